import type { BinaryNode, BinaryNodeAttributes } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const shop = {
  name: "Ada's Shop",
  category: "Books",
  description: "Old ones",
  website: "https://shop.example",
  email: "ada@shop.example",
  address: "1 Main Street",
}

const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
await network.call("PATCH", `/phones/${ada.number}`, { business: shop })
const client = await network.paired(bob)

test("a question about people says who is a business, and how it describes itself", async () => {
  expect(await client.sock.getBusinessProfile(ada.jid)).toMatchObject({
    wid: ada.jid,
    category: shop.category,
    description: shop.description,
    website: [shop.website],
    email: shop.email,
    address: shop.address,
  })
  expect(await client.sock.getBusinessProfile(bob.jid)).toBeUndefined()

  const users = [ada, bob].map(({ jid }) => ({ tag: "user", attrs: { jid } }))
  const answer = (await client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", type: "get", xmlns: "usync" },
    content: [
      {
        tag: "usync",
        attrs: { sid: "1", mode: "query", last: "true", index: "0", context: "interactive" },
        content: [
          { tag: "query", attrs: {}, content: [{ tag: "business", attrs: {} }] },
          { tag: "list", attrs: {}, content: users },
        ],
      },
    ],
  })) as BinaryNode
  const verified = /"verified_name"/g
  expect(JSON.stringify(answer).match(verified)).toHaveLength(1)
})

test("a business's messages carry its verified name, in a chat and in a group; others' carry none", async () => {
  await ada.send(bob.number, "from the shop")
  expect((await client.message("from the shop")).message.verifiedBizName).toBe(shop.name)
  const { jid } = await network.group([ada, bob])
  await ada.send(jid, "to the group")
  expect((await client.message("to the group")).message.verifiedBizName).toBe(shop.name)

  await network.call("PATCH", `/phones/${ada.number}`, { business: null })
  await ada.send(bob.number, "closed")
  expect((await client.message("closed")).message.verifiedBizName).toBeFalsy()
})

test("a member who hides its number shows it with dots, and is named by private id alone", async () => {
  const ada = await network.phone("Ada")
  await network.call("PATCH", `/phones/${ada.number}`, { hides_number: true })
  const { jid } = await network.group([ada, bob])
  const card = (await client.sock.query({
    tag: "iq",
    attrs: { to: jid, type: "get", xmlns: "w:g2" },
    content: [{ tag: "query", attrs: { request: "interactive" } }],
  })) as { content: { content: { tag: string; attrs: BinaryNodeAttributes }[] }[] }
  expect(JSON.stringify(card)).not.toContain(ada.number)
  const members = card.content[0]!.content.filter(({ tag }) => tag === "participant").map(
    ({ attrs }) => attrs,
  )
  const dotted = `+${ada.number[0]}${"∙".repeat(ada.number.length - 3)}${ada.number.slice(-2)}`
  expect(members).toEqual([
    { jid: ada.lid, display_name: dotted, type: "superadmin" },
    { jid: bob.lid, phone_number: bob.jid },
  ])

  await ada.send(jid, "guess who")
  const { message } = await client.message("guess who")
  expect(message.key.participant).toBe(ada.lid)
  expect(message.key.participantAlt).toBeUndefined()
  await client.sock.sendMessage(jid, { text: "hello dots" })
  expect(await ada.read({ text: "hello dots" })).toHaveLength(1)
})
