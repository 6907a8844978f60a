import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, vi } from "vitest"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { config } from "#core/platform/config.ts"
import { log, logOutput } from "#core/platform/log.ts"
import { aNetwork } from "../network/network.ts"
import { aChat } from "./chat.ts"
import { aHost } from "./host.ts"

/**
 * One network and one host for all tests of a file, with the logs that they write. Each chat has an account
 * and a contact of its own.
 */
export async function aSharedHost(options: Pick<Parameters<typeof aHost>[1] & object, "timing"> = {}) {
  const logs = mkdtempSync(join(tmpdir(), "host-logs-"))
  Object.assign(config, { LOG_DIR: logs, METRICS_SERVICE: "session-host" })
  /** The lines of the host's own log, with its metrics. */
  const hostLog: string[] = []
  vi.spyOn(logOutput, "write").mockImplementation((line) => hostLog.push(line) > 0)
  log.level = "warn"
  const shared = await aNetwork()
  afterAll(async () => {
    await shared.close()
    log.level = config.LOG_LEVEL
    Object.assign(config, { METRICS_SERVICE: undefined })
    rmSync(logs, { recursive: true })
  })
  const host = await aHost(shared, { isShared: true, capacity: 100, ...options })
  return {
    host,
    hostLog,
    network: shared,
    aChat: (options: Parameters<typeof aChat>[0] = {}) => aChat({ network: shared, host, ...options }),
    linesOf,
  }
}

/** The lines of a bridge's log. */
async function linesOf(bridgeId: string): Promise<string[]> {
  for await (const some of BridgeLog.follow(bridgeId, 200)) return some
  return []
}
