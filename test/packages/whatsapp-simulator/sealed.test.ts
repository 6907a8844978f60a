import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import type { Client } from "../../support/network/baileys-client.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

interface Sealing {
  id: string
  author: string
  responder: string
  use: string
  secret: Uint8Array
}

/** As WhatsApp Web derives it. */
const keyOf = ({ id, author, responder, use, secret }: Sealing) =>
  Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(32), id + author + responder + use, 32))

function opened(sealing: Sealing, { encPayload, encIv }: proto.Message.IPollEncValue) {
  const payload = Buffer.from(encPayload!)
  const decipher = createDecipheriv("aes-256-gcm", keyOf(sealing), encIv!)
  decipher.setAuthTag(payload.subarray(-16))
  return Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
}

function sealed(sealing: Sealing, plaintext: Uint8Array, bound: boolean) {
  const encIv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", keyOf(sealing), encIv)
  cipher.setAAD(Buffer.from(bound ? `${sealing.id}\0${sealing.responder}` : ""))
  return { encPayload: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]), encIv }
}

test("a phone's sealed reaction and edit open with the secret of the message they are about", async () => {
  const { ada, bob, client } = await network.chat()
  const { id } = await bob.send(ada.number, "frist")
  const { message } = await client.message("frist")
  const about = { id, author: bob.lid, responder: bob.lid, secret: secretOf(message.message) }

  await bob.post(ada.number, { reaction: { message_id: id, emoji: "👍", sealed: true } })
  const { encReactionMessage } = await received(client, "encReactionMessage")
  const reaction = opened({ ...about, use: "Enc Reaction" }, encReactionMessage!)
  expect(proto.Message.ReactionMessage.decode(reaction).text).toBe("👍")
  expect(encReactionMessage!.targetMessageKey).toMatchObject({ id })

  await bob.post(ada.number, { edit: { message_id: id, text: "first", sealed: true } })
  const { secretEncryptedMessage } = await received(client, "secretEncryptedMessage")
  const edit = proto.Message.decode(opened({ ...about, use: "Message Edit" }, secretEncryptedMessage!))
  expect(edit.protocolMessage).toMatchObject({ key: { id }, editedMessage: { conversation: "first" } })
})

test.for(["lid", "pn"] as const)("a phone opens what a client seals (%s)", async (mode) => {
  const { ada, bob, client } = await network.chat()
  const [author, responder] = mode === "lid" ? [bob.lid, ada.lid] : [bob.jid, ada.jid]
  const target = (id: string) => ({ id, remoteJid: author, fromMe: false })
  const send = async (message: proto.IMessage) => {
    const messageId = client.sock.generateMessageTag()
    await client.sock.relayMessage(author, message, { messageId })
    const [read] = await bob.read({ id: messageId })
    return read
  }
  const poll = await bob.post(ada.number, { poll: { question: "Lunch?", options: ["Soup", "Salad"] } })
  const { messageContextInfo } = await received(client, "pollCreationMessageV3")
  const about = { author, responder, secret: messageContextInfo!.messageSecret! }
  const selectedOptions = [createHash("sha256").update("Salad").digest()]
  const choice = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const vote = sealed({ ...about, id: poll.id, use: "Poll Vote" }, choice, true)
  expect(await send({ pollUpdateMessage: { pollCreationMessageKey: target(poll.id), vote } })).toMatchObject({
    opened: { options: ["Salad"] },
  })

  const reaction = proto.Message.ReactionMessage.encode({ text: "😋" }).finish()
  const encReactionMessage = {
    targetMessageKey: target(poll.id),
    ...sealed({ ...about, id: poll.id, use: "Enc Reaction" }, reaction, false),
  }
  expect(await send({ encReactionMessage })).toMatchObject({ opened: { reaction: "😋" } })
  const wrong = { ...encReactionMessage, encPayload: randomBytes(40) }
  expect((await send({ encReactionMessage: wrong }))?.opened).toBeUndefined()
})

test("a phone opens a client's answer to an event", async () => {
  const { ada, bob, client } = await network.chat()
  const event = await bob.post(ada.number, { event: { name: "Party", start: 1_900_000_000 } })
  const { messageContextInfo } = await received(client, "eventMessage")
  const answer = proto.Message.EventResponseMessage.encode({
    response: proto.Message.EventResponseMessage.EventResponseType.MAYBE,
    extraGuestCount: 3,
  }).finish()
  const sealing = { id: event.id, author: bob.lid, responder: ada.lid, use: "Event Response" }
  await client.sock.relayMessage(
    bob.lid,
    {
      encEventResponseMessage: {
        eventCreationMessageKey: { id: event.id, remoteJid: bob.lid, fromMe: false },
        ...sealed({ ...sealing, secret: messageContextInfo!.messageSecret! }, answer, true),
      },
    },
    { messageId: "RSVP1" },
  )
  expect(await bob.read({ id: "RSVP1" })).toMatchObject([{ opened: { response: "maybe", guests: 3 } }])
})

async function received(client: Client, kind: keyof proto.IMessage): Promise<proto.IMessage> {
  const found = await client.until(kind, () => client.messages.find(({ message }) => message.message?.[kind]))
  return found.message.message!
}

const secretOf = (message: proto.IMessage | null | undefined) => message!.messageContextInfo!.messageSecret!
