// What a program in TypeScript may rely on: compiled against the packed SDK.
import { BridgeError, messagingBridge, webhooks } from "messaging-bridge-sdk"

const shop = messagingBridge().bridge("shop")

for await (const { event } of shop.events({ types: ["poll_vote"], resume: "votes" })) {
  const options: string[] = event.selected_options
  console.log(options)
}
for await (const { event } of shop.messages({ resume: "shop" })) console.log(event.body)
for await (const { event } of shop.events({ from: "now" }))
  if (event.event === "message") console.log(event.body)

const sent = await shop.sendText({ chat: "1", body: "b" })
const id: string = sent.message_id
const page = await shop.listContacts()
const first: string | undefined = page[0]?.name
for await (const contact of shop.listContacts()) console.log(contact.jid, id, first)

export const hook = webhooks.handler(
  { message: async (event, { eventId }) => console.log(event.body, eventId) },
  { secret: "whsec_" },
)

try {
  await shop.qr()
} catch (error) {
  if (error instanceof BridgeError && error.code === "already_paired") console.log(error.requestId)
}

// @ts-expect-error -- there is no such field
await shop.sendText({ chat: "1", text: "b" })
// @ts-expect-error -- a poll's vote has no body
for await (const { event } of shop.events({ types: ["poll_vote"], from: "now" })) console.log(event.body)
// @ts-expect-error -- it does not say where it begins
shop.events({ types: ["message"] })
