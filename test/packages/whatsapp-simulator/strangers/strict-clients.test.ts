import { randomBytes } from "node:crypto"
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getBinaryNodeChildren,
  proto,
} from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import * as Curve from "#simulator/wire/curve.ts"
import { connect, newDevice } from "#simulator/wire/raw-client.ts"
import type { Client } from "../../../support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "../../../support/network/network.ts"

// The questions and checks of clients that are stricter than Baileys.

const network = await aNetwork()
afterAll(() => network.close())

async function ask(
  client: Client,
  iq: { xmlns: string; type: "get" | "set"; to?: string },
  content?: BinaryNode[],
): Promise<BinaryNode> {
  const attrs = { to: "@s.whatsapp.net", ...iq }
  return (await client.sock.query({ tag: "iq", attrs, ...(content && { content }) })) as BinaryNode
}

const node = (tag: string, attrs: Record<string, string> = {}, content?: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  ...(content && { content }),
})

/** The first notification of a type that a client got, or the one of this number. */
async function noticeTo(client: Client, type: string, number = 1): Promise<BinaryNode> {
  const match = { kind: "out", who: deviceOf(client), tag: "notification", attrs: { type } } as const
  const found = await network.log({ ...match, count: number })
  return found.at(-1)!.stanza as BinaryNode
}

const groupNotice = (client: Client, number?: number) => noticeTo(client, "w:gp2", number)

const { ada, bob, client } = await network.chat()

/** The companions that a list vouches for. @throws when the signature is not the account's. */
function vouchedFor(devices: BinaryNode | undefined, accountKey: Uint8Array) {
  const signed = proto.ADVSignedKeyIndexList.decode(getBinaryNodeChildBuffer(devices, "key-index-list")!)
  const about = Buffer.concat([Buffer.from([6, 2]), signed.details!])
  expect(Curve.verify(accountKey, about, signed.accountSignature!)).toBe(true)
  return proto.ADVKeyIndexList.decode(signed.details!)
}

test("an account signs which companions it has, in answers and in notices", async () => {
  const bob = await network.phone("Bob")
  const other = await network.paired(bob)
  await other.sock.sendMessage(ada.jid, { text: "we know each other" })
  await client.message("we know each other")
  const query = [node("devices", { version: "2" })]
  const answer = await ask(client, { xmlns: "usync", type: "get" }, [
    node("usync", { context: "message", mode: "query", sid: "1", last: "true", index: "0" }, [
      node("query", {}, query),
      node("list", {}, [node("user", { jid: bob.jid })]),
    ]),
  ])
  const user = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(answer, "usync"), "list"), "user")
  const devices = getBinaryNodeChild(user, "devices")
  const accountKey = other.device.creds.account!.accountSignatureKey!
  const list = vouchedFor(devices, accountKey)
  expect(list).toMatchObject({ currentIndex: 1, validIndexes: [0, 1] })

  await network.paired(bob)
  const notice = await noticeTo(other, "devices")
  const added = getBinaryNodeChild(notice, "add")
  expect(getBinaryNodeChild(added, "key-index-list")?.content).toBeTruthy()
})

test("the keys of a companion come with what it and its phone have signed about each other", async () => {
  const bob = await network.phone("Bob")
  const other = await network.paired(bob)
  const [jid, phoneJid] = [`${bob.number}:1@s.whatsapp.net`, bob.jid]
  const answer = await ask(client, { xmlns: "encrypt", type: "get" }, [
    node("key", {}, [node("user", { jid }), node("user", { jid: phoneJid })]),
  ])
  const [companion, phone] = getBinaryNodeChildren(getBinaryNodeChild(answer, "list"), "user")
  const identity = proto.ADVSignedDeviceIdentity.decode(
    getBinaryNodeChildBuffer(companion, "device-identity")!,
  )
  const { account, signedIdentityKey } = other.device.creds
  expect(Buffer.from(identity.accountSignatureKey!)).toEqual(Buffer.from(account!.accountSignatureKey!))
  const about = Buffer.concat([
    Buffer.from([6, 1]),
    identity.details!,
    signedIdentityKey.public,
    identity.accountSignatureKey!,
  ])
  expect(Curve.verify(signedIdentityKey.public, about, identity.deviceSignature!)).toBe(true)
  expect(getBinaryNodeChild(phone, "device-identity")).toBeUndefined()
})

test("a client that remembers the network's key is answered as one that does not, and goes on", async () => {
  const { promise: told, resolve } = Promise.withResolvers<BinaryNode>()
  const device = { ...newDevice(), remembers: randomBytes(32) }
  const connection = await connect(network.url, device, resolve)
  expect(await told).toMatchObject({ tag: "iq", content: [{ tag: "pair-device" }] })
  connection.close()
})

test("a question of w:p without a child is a ping", async () => {
  expect(await ask(client, { xmlns: "w:p", type: "get" })).toMatchObject({ attrs: { type: "result" } })
})

test("a phone gives a companion the keys of settings that it asks for, and says which it has not", async () => {
  const own = client.device.creds.myAppStateKeyId!
  const asked = [Buffer.from(own, "base64"), Buffer.from([0, 0, 1, 2, 3, 4])]
  const before = client.messages.length
  const protocolMessage = {
    type: proto.Message.ProtocolMessage.Type.APP_STATE_SYNC_KEY_REQUEST,
    appStateSyncKeyRequest: { keyIds: asked.map((keyId) => ({ keyId })) },
  }
  const me = client.device.creds.me!.id.replace(/:\d+@/, "@")
  await client.sock.relayMessage(
    me,
    { protocolMessage },
    { additionalAttributes: { category: "peer", push_priority: "high" } },
  )
  const { message } = await client.until("the keys", () =>
    client.messages.slice(before).find((one) => one.message.message?.protocolMessage?.appStateSyncKeyShare),
  )
  const keys = message.message!.protocolMessage!.appStateSyncKeyShare!.keys!
  expect(keys.map(({ keyData }) => Boolean(keyData?.keyData?.length))).toEqual([true, false])
})

test("a new group member is told all about it; the others are told who came, and the new version", async () => {
  const [bob, eve] = [await network.phone("Bob"), await network.phone("Eve")]
  const [other, late] = [await network.paired(bob), await network.paired(eve)]
  const { id } = await client.sock.groupCreate("Growing", [bob.jid])
  const added = await client.sock.groupParticipantsUpdate(id, [eve.jid], "add")
  expect(added).toMatchObject([{ status: "200", content: { attrs: { type: "200" } } }])
  const create = getBinaryNodeChild(await groupNotice(late), "create")
  expect(getBinaryNodeChild(create, "group")).toMatchObject({ attrs: { subject: "Growing", size: "3" } })
  const { prev_v_id: before, v_id: after } = getBinaryNodeChild(await groupNotice(other, 2), "add")!.attrs
  expect(Number(after)).toBe(Number(before) + 1)
})

test("people who join by an invitation are told so; where admins decide, they are asked and let them in", async () => {
  const [bob, eve] = [await network.phone("Bob"), await network.phone("Eve")]
  const [other, late] = [await network.paired(bob), await network.paired(eve)]
  const { id } = await client.sock.groupCreate("Invited", [])
  const code = await client.sock.groupInviteCode(id)
  await other.sock.groupAcceptInvite(code!)
  expect(await groupNotice(other)).toMatchObject({
    content: [{ tag: "create", attrs: { reason: "invite" } }],
  })

  await client.sock.groupJoinApprovalMode(id, "on")
  await late.sock.groupAcceptInvite(code!)
  await expect(late.sock.groupMetadata(id)).rejects.toThrow("forbidden")
  const asking = await client.sock.groupRequestParticipantsList(id)
  expect(asking).toMatchObject([{ jid: eve.lid }])
  const decided = await client.sock.groupRequestParticipantsUpdate(id, [eve.lid], "approve")
  expect(decided).toMatchObject([{ status: "200" }])
  expect((await late.sock.groupMetadata(id)).participants).toHaveLength(3)
  expect(await client.sock.groupRequestParticipantsList(id)).toEqual([])
})

test("a personal QR code says whose it is", async () => {
  const own = await ask(client, { xmlns: "w:qr", type: "set" }, [node("qr", { type: "contact" })])
  const { code } = getBinaryNodeChild(own, "qr")!.attrs
  const answer = await ask(client, { xmlns: "w:qr", type: "get" }, [node("qr", { code: code! })])
  expect(getBinaryNodeChild(answer, "qr")?.attrs).toMatchObject({ jid: ada.jid, notify: "Ada" })
})

test("a newsletter is made, found, followed, read and left", async () => {
  const reader = await network.paired(bob)
  const made = await client.sock.newsletterCreate("Daily", "All that is new")
  expect(made).toMatchObject({ name: "Daily", description: "All that is new", subscribers: 0 })
  await expect(reader.sock.newsletterMetadata("jid", "1@newsletter")).rejects.toThrow("no such newsletter")
  await reader.sock.newsletterFollow(made.id)
  const found = await reader.sock.newsletterMetadata("invite", made.invite!)
  expect(found).toMatchObject({ id: made.id, viewer_metadata: { role: "SUBSCRIBER" } })
  expect(await reader.sock.newsletterSubscribers(made.id)).toEqual({ subscribers: 1 })
  expect(await reader.sock.subscribeNewsletterUpdates(made.id)).toEqual({ duration: "300" })

  await client.sock.sendMessage(made.id, { text: "It rains" })
  const { message } = await reader.message("It rains")
  expect(message.key).toMatchObject({ remoteJid: made.id, fromMe: false, server_id: "100" })
  await network.control.settled(deviceOf(reader), 10_000)
  expect(await network.control.phone(bob.number)).toMatchObject({ not_decrypted: { bad: 0 } })
  const last = await reader.sock.newsletterFetchMessages(made.id, 10, 0, 0)
  expect(
    getBinaryNodeChildren(
      getBinaryNodeChild(getBinaryNodeChild(last, "message_updates"), "messages"),
      "message",
    ),
  ).toHaveLength(1)
  const mine = await ask(reader, { xmlns: "w:mex", type: "get" }, [
    { tag: "query", attrs: { query_id: "6388546374527196" }, content: Buffer.from('{"variables":{}}') },
  ])
  expect(getBinaryNodeChildBuffer(mine, "result")!.toString()).toContain(made.id)
  const ofItself = await ask(reader, { xmlns: "newsletter", type: "get", to: made.id }, [
    { tag: "messages", attrs: { count: "5" } },
  ])
  expect(getBinaryNodeChildren(getBinaryNodeChild(ofItself, "messages"), "message")).toHaveLength(1)

  await reader.sock.newsletterUnfollow(made.id)
  await reader.sock.sendMessage(made.id, { text: "from a stranger" })
  await network.log({ kind: "out", who: deviceOf(reader), tag: "ack", attrs: { error: "403" } })
  expect(await client.sock.newsletterSubscribers(made.id)).toEqual({ subscribers: 0 })
})

test("a question to the network that is none, or unknown to it, is refused, and the next is answered", async () => {
  const asked = (attrs: Record<string, string>, content?: Buffer) =>
    ask(client, { xmlns: "w:mex", type: "get" }, [{ tag: "query", attrs, ...(content && { content }) }])
  await expect(asked({ query_id: "6388546374527196" }, Buffer.from("{"))).rejects.toThrow("bad-request")
  await expect(asked({ query_id: "6388546374527196" })).rejects.toThrow("bad-request")
  const unknown = await asked({ query_id: "1" }, Buffer.from('{"variables":{}}'))
  expect(getBinaryNodeChildBuffer(unknown, "result")!.toString()).toContain('"error_code":400')
  expect(await client.sock.fetchAccountReachoutTimelock()).toMatchObject({ isActive: false })
})
