/** Delivery as it is shipped, under watch: a poller stands in for Lambda's. */
import { need } from "#core/platform/config.ts"
import { handler } from "#functions/delivery/handler.ts"
import { startPoller } from "#one-machine/delivery/doorbells.ts"
import { doorbellsFrom } from "#test/support/doorbells-from-queue.ts"
import { stepsOf } from "../armed-steps.ts"
import { breakQueue, breakStore } from "../break-store-and-queue.ts"
import { hearEventRows } from "../forward-event-rows.ts"
import { watchAttempts, watchRequests, watchStore } from "../watch-requests.ts"

process.once("disconnect", () => process.exit(0))

const { CHAOS_STEPS: dir = "", CHAOS_BREAK: broken, TOLD_AT: told } = process.env
const steps = stepsOf(dir)
breakStore(broken)
breakQueue(broken)
watchStore(steps)
watchRequests(steps, "post")
watchAttempts(steps)
if (told) hearEventRows(Number(told), () => steps.at("told of an event"))

startPoller({
  doorbells: doorbellsFrom(need("DOORBELL_URL")),
  concurrency: 100,
  handler: async (event) => {
    const done = steps.begin("doorbell")
    try {
      return await handler(event)
    } finally {
      done()
    }
  },
})
process.send?.({})
