import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, vi } from "vitest"
import { until } from "../until.ts"
import { closeLeftovers } from "./close-leftovers.ts"

/**
 * Runs around each test file that shares its process with others. What can be put back is put back. A file
 * that leaves anything else fails: it has to close that, or to be named `*.alone.test.ts`, which gives it a
 * process of its own.
 */
const before = {
  env: { ...process.env },
  fetch: globalThis.fetch,
  authorities: getCACertificates("default"),
  ...counted(),
}

afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  globalThis.fetch = before.fetch
  if (getCACertificates("default") !== before.authorities) setDefaultCACertificates(before.authorities)
  for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name]
  Object.assign(process.env, before.env)
  await closeLeftovers()
  // A server or process that was just closed is counted until its handle is gone.
  for (const what of Object.keys(counted()) as (keyof ReturnType<typeof counted>)[])
    await until(() => counted()[what] <= before[what], {
      what: `the end of ${what} that this file started`,
      withinMs: 5000,
    })
})

/** Counts the things that a file could leave and that disturb the next one. */
function counted() {
  const open = process.getActiveResourcesInfo()
  return {
    servers: open.filter((one) => one === "TCPServerWrap").length,
    processes: open.filter((one) => one === "ProcessWrap").length,
    handlers: process.listenerCount("uncaughtException") + process.listenerCount("unhandledRejection"),
  }
}
