import { createServer } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { listen, stopListening } from "#one-machine/listen.ts"
import { holdCalls } from "#one-machine/service/early-calls.ts"
import { until } from "#test/support/until.ts"

test("a call that comes while the service starts is answered once it is at work, with its body", async () => {
  const server = createServer()
  onTestFinished(async () => await stopListening(server))
  let came = 0
  server.on("request", () => came++)
  const answerWith = holdCalls(server)
  const url = `http://127.0.0.1:${await listen(server)}`
  const early = fetch(url, { method: "POST", body: "early" })
  await until(() => came === 1)
  answerWith((request, response) => void request.pipe(response))
  expect(await (await early).text()).toBe("early")
  expect(await (await fetch(url, { method: "POST", body: "late" })).text()).toBe("late")
})
