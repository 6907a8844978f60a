import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aHostProcess, exit } from "#test/support/session/host-process.ts"
import { held, statusOf } from "#test/support/session/host.ts"
import { codeOf } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

/** A busy machine must not make its hosts believe that they stood still. */
const patient = { LEASE_BEAT_MS: "3000" }

test("every send that is asked for while a host is told to end is answered with success, and arrives once", async () => {
  const network = await aNetwork()
  const [customer, first] = [await aCustomer(), await aHostProcess(network, patient)]
  const { id } = await json(customer.post("/api/instances", { customer_ref: "shop" }))
  const bridgeId = String(id)
  await held(bridgeId, first)
  const [owner, contact] = [await network.phone("Ada"), await network.phone("Bob")]
  await owner.scan(await codeOf(bridgeId))
  await until(async () => (await statusOf(bridgeId)) === "connected")

  const answers: Promise<Response>[] = []
  const send = () => {
    const body = { chat: contact.number, body: `message ${answers.length}` }
    answers.push(customer.post("/api/instances/shop/proxy/send/text", body))
  }
  await aHostProcess(network, patient)
  for (let i = 0; i < 10; i++) send()
  await answers[0]
  first.child.kill("SIGTERM")
  for (let i = 0; i < 40; i++) {
    send()
    await sleep(5)
  }
  await exit(first.child)

  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses).toEqual(statuses.map(() => 200))
  const texts = (await contact.read({ count: answers.length })).map(({ text }) => text)
  expect(texts.toSorted()).toEqual(answers.map((_, i) => `message ${i}`).toSorted())
})
