import { BridgeLog } from "#core/bridge/bridge-log.ts"
import type { Logger } from "#core/platform/log.ts"

/**
 * Writes a line into the bridge's log, which its customer reads, and into the service's. The customer's also
 * has `detail`, the service's also has `fields`.
 */
export type Say = (
  level: BridgeLog.Level,
  text: string,
  more?: { detail?: string; fields?: Record<string, unknown> },
) => void

export function newSay(bridgeId: string, log: Logger): Say {
  return (level, text, { detail = "", fields = {} } = {}) => {
    log[level](fields, text)
    BridgeLog.append(bridgeId, level, `${text}${detail}`)
  }
}
