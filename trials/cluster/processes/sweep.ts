/** The sweep, in a loop as on one machine. */
import { setTimeout as sleep } from "node:timers/promises"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import { breakQueue } from "../break-store-and-queue.ts"

process.once("disconnect", () => process.exit(0))
// It rings for what others have promised, and for nothing else.
breakQueue(process.env.CHAOS_BREAK, 1)
process.send?.({})
for (;;) {
  await lookAtAll().catch((error: unknown) => log.error({ error }, "the sweep's look failed"))
  await sleep(Math.min(1000, config.LEASE_BEAT_MS))
}
