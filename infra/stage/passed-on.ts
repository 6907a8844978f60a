/**
 * Settings of the processes that may be set for a deploy. Their values are those that
 * `core/platform/config.ts` takes at the start.
 */
const settable = {
  LOG_LEVEL: /^(trace|debug|info|warn|error|fatal|silent)$/,
  WHATSAPP_WEB_VERSION: /^\d+\.\d+\.\d+$/,
  RATE_LIMIT_PROVISION: /^[1-9]\d*$/,
  RATE_LIMIT_PROXY: /^[1-9]\d*$/,
  RATE_LIMIT_OTHER: /^[1-9]\d*$/,
  RATE_LIMIT_ADDRESS: /^[1-9]\d*$/,
}

/**
 * Those of these settings that were given; for the others, a process has its own defaults.
 * @throws where one makes no sense
 */
export function givenSettings(...names: (keyof typeof settable)[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = process.env[name]
    if (!value) continue
    if (!settable[name].test(value)) throw new Error(`${name} cannot be "${value}"`)
    found[name] = value
  }
  return found
}
