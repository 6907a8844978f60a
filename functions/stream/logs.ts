import { streamLogs } from "#contract/bridge-log.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { sessionUnavailable } from "#core/error.ts"
import { contractRouter } from "../http/contract-router.ts"
import { sendEvents, timing } from "./sse.ts"

/** Contract, "Streams" */
export const mostLogStreams = { perBridge: 2, perAccount: 10 }

export const logStream = contractRouter().openapi(streamLogs, async (c) => {
  if (!BridgeLog.isKept()) throw sessionUnavailable("this service keeps no logs of bridges")
  const { tail } = c.req.valid("query")
  const follow = (signal: AbortSignal) => linesOf(c.var.bridge.id, tail, signal)
  return await sendEvents(c, { of: "LOGS", atMost: mostLogStreams, endsAfterMs: timing.endsAfterMs, follow })
})

async function* linesOf(bridgeId: string, tail: number, signal: AbortSignal): AsyncGenerator<string> {
  for await (const lines of BridgeLog.follow(bridgeId, tail, signal))
    yield lines.map((line) => `data: ${BridgeLog.oneLine(line)}\n\n`).join("")
}
