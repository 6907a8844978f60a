import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { app } from "#test/support/service/app.ts"
import { at, anAddress, liftLimits } from "#test/support/service/customer.ts"
import { aSharedChat } from "#test/support/session/chat.ts"

// What WAHA's programs ask of a linked session, on the real app and the simulated network.

liftLimits()
const chat = await aSharedChat()
const { network, bob, bridge } = chat
trustMediaOf(network)
const key = await ApiKey.create(bridge.accountId, "waha's")
const session = bridge.customerRef
const from = at(anAddress())

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const init = {
    method,
    headers: {
      "x-api-key": key,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
  return await app.request(`/waha${path}`, init, from)
}

async function asked(method: string, path: string, body?: unknown) {
  const answer = await ask(method, path, body)
  const said: unknown = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`)
  return said as Record<string, any>
}

const bobId = `${bob.number}@c.us`
const textsOf = async () => (await network.control.read(bob.number, {})).map(({ text }) => text)
test("a text arrives, and is answered as WAHA answers it", async () => {
  const sent = await asked("POST", "/api/sendText", { session, chatId: bobId, text: "ready", reply_to: null })
  expect(sent).toMatchObject({
    body: "ready",
    fromMe: true,
    from: bobId,
    to: bobId,
    ack: 1,
    ackName: "SERVER",
  })
  expect(sent.id).toMatch(new RegExp(`^true_${bobId}_[0-9A-F]+$`))
  expect(await textsOf()).toContain("ready")
})
