/** The API as it is shipped, under watch, on a port of its own. */
import { createServer } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { wholeApp } from "#one-machine/api/whole-app.ts"
import { listen } from "#one-machine/listen.ts"
import { stepsOf } from "../armed-steps.ts"
import { breakStore } from "../break-store-and-queue.ts"
import { watchRequests, watchStore } from "../watch-requests.ts"

process.once("disconnect", () => process.exit(0))

const { CHAOS_STEPS: dir = "", CHAOS_BREAK: broken } = process.env
const steps = stepsOf(dir)
breakStore(broken)
watchStore(steps)
watchRequests(steps, "host call")

const app = wholeApp()
const answer = getRequestListener(async (request, ...rest) => {
  const isSend = request.method === "POST" && new URL(request.url).pathname.includes("/send/")
  const done = steps.begin(isSend ? "send request" : "request")
  try {
    if (isSend) steps.at("send request")
    const response = await app.fetch(request, ...rest)
    if (isSend) steps.at("send answer")
    return response
  } finally {
    done()
  }
})
const server = createServer((request, response) => void answer(request, response))
process.send?.({ url: `http://127.0.0.1:${await listen(server)}` })
