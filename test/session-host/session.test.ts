import { expect, test } from "vitest"
import "#test/support/store.ts"
import { eventsOf, eventsOfType, sendText } from "#test/support/host.ts"
import { aNetwork } from "#test/support/network.ts"
import { aPairedSession } from "#test/support/paired.ts"

test("a phone links by the PNG of `qr`, a text goes out, the answer becomes an event row", async () => {
  const network = await aNetwork()
  const { bridge, phone } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  const sent = await sendText(bridge.id, contact.number, "hello Bob")
  expect(sent).toMatchObject({ status: 200 })
  const [read] = await contact.read({ text: "hello Bob" })
  expect(read).toMatchObject({ text: "hello Bob", times: 1 })

  await contact.send(phone.number, "hello Ada")
  const [message] = await eventsOfType(bridge.id, "message")
  expect(message).toMatchObject({
    body: "hello Ada",
    name: "Bob",
    phone: contact.number,
    contact_id: contact.jid,
    chat_id: contact.jid,
    from_me: false,
    type: "text",
  })
  expect((await eventsOf(bridge.id)).map((event) => event.event)).toContain("connected")
})
