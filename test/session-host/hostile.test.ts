import { randomBytes } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { bridge as admin } from "#admin/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { Bytes } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { countRequests } from "#test/support/count-requests.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"
import { anIntruder } from "../support/network/intruder.ts"
import { advanceSenderKeys } from "../support/session/advance-ratchets.ts"
import { aChat } from "../support/session/chat.ts"
import { eventsOfType } from "../support/session/host.ts"

const calm = { timing: { beatMs: 1000 } }

/** The largest sealed value of a bridge's session, in bytes. */
async function largestRow(bridgeId: string): Promise<number> {
  const rows = await rowsOf(tables.sessions, bridgeId)
  return Math.max(...rows.map(({ sealed }) => Bytes.parse(sealed).length))
}

test("first messages and a sender key that skip 1,999 others each end no session and make no large row", async () => {
  const chat = await aChat(calm)
  const { bob, phone, bridge, network } = chat
  const { epoch } = (await Lease.get(bridge.id))!
  const eve = await anIntruder(chat)
  for (let i = 0; i < 8; i++) {
    // A new session for each of the first messages, then one that goes on.
    if (i < 5) await eve.begin()
    await eve.skip(1_999)
    await eve.post({}, await eve.encrypt({ conversation: `hostile ${i}` }))
  }
  const group = (await network.group([bob, phone])).jid
  const encrypted = async (said: string) =>
    await eve.repository.encryptGroupMessage({
      group,
      meId: eve.lid,
      data: Buffer.from(`\n\u0001${said}\u0001`),
    })
  const { senderKeyDistributionMessage: axolotlSenderKeyDistributionMessage } = await encrypted("0")
  const carrier = await eve.encrypt({
    senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage },
  })
  for (let i = 1; i <= 3; i++) {
    await advanceSenderKeys(eve, `${group}::${eve.lid.replace("@lid", "_1")}::0`, 1_900)
    const { ciphertext } = await encrypted(`${i}`)
    const sealed = [...(i === 1 ? [carrier] : []), { type: "skmsg", ciphertext }]
    await eve.post({ from: group, participant: eve.lid }, ...sealed)
  }
  await bob.send(phone.number, "still there")
  const bodies = (await eventsOfType(bridge.id, "message", 12)).map(({ body }) => body)
  const hostile = Array.from({ length: 8 }, (_, i) => `hostile ${i}`)
  expect(bodies).toEqual([...hostile, "1", "2", "3", "still there"])
  expect((await Lease.get(bridge.id))!.epoch).toBe(epoch)
  expect(await largestRow(bridge.id)).toBeLessThan(64 * 1024)
})

test("a message whose ratchet no row can hold cannot be decrypted: the session goes on, it does not return", async () => {
  const chat = await aChat(calm)
  const { bob, phone, bridge, network } = chat
  const { epoch } = (await Lease.get(bridge.id))!
  const logins = async () => (await network.control.log({ kind: "out", tag: "success" })).length
  const before = await logins()
  const eve = await anIntruder(chat)
  await eve.begin()
  await eve.post({ from: `${"9".repeat(2000)}@lid` }, await eve.encrypt({ conversation: "from nowhere" }))
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 1)
  expect(messages.map(({ body }) => body)).toEqual(["still there"])
  await network.control.settled(`${phone.number}:1`, 10_000)
  expect((await Lease.get(bridge.id))!.epoch).toBe(epoch)
  expect(await logins()).toBe(before)
})

test("a message of which everything is as long as can be leaves the session as it was", async () => {
  const chat = await aChat(calm)
  const { bob, phone, bridge } = chat
  const { epoch } = (await Lease.get(bridge.id))!
  const eve = await anIntruder(chat)
  await eve.begin()
  const messageContextInfo = { messageSecret: randomBytes(450_000) }
  await eve.post({}, await eve.encrypt({ conversation: "long secret", messageContextInfo }))
  const imageMessage = { caption: "long name", jpegThumbnail: randomBytes(90_000) }
  await eve.post({ id: randomBytes(250_000).toString("base64") }, await eve.encrypt({ imageMessage }))
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 3)
  expect(messages.map(({ body, caption }) => caption ?? body)).toEqual([
    "long secret",
    "long name",
    "still there",
  ])
  expect((await Lease.get(bridge.id))!.epoch).toBe(epoch)
})

test("a message that mentions thousands of strangers costs few requests to the store, and delays none", async () => {
  const chat = await aChat(calm)
  const { bob, phone, bridge, network } = chat
  await network.control.settled(`${phone.number}:1`, 10_000)
  const eve = await anIntruder(chat)
  await eve.begin()
  const mentionedJid = Array.from({ length: 3_000 }, (_, n) => `${7_000_000 + n}@lid`)
  const text = { text: "all of you", contextInfo: { mentionedJid } }
  const requests = countRequests("BatchGetItem")
  await eve.post({}, await eve.encrypt({ extendedTextMessage: text }))
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 2)
  expect(messages.map(({ body }) => body)).toEqual(["all of you", "still there"])
  expect(messages[0]?.mentions).toEqual(mentionedJid)
  expect(requests()).toBeLessThan(40)
})

test.for(["refuse_iq", "ignore_iq"] as const)(
  "a message by number arrives under it while the network does not tell whose it is (%s); none waits",
  async (kind) => {
    const chat = await aChat(calm)
    const { bob, phone, bridge, network } = chat
    const device = `${phone.number}:1`
    await network.control.settled(device, 10_000)
    const eve = await anIntruder(chat)
    await eve.begin()
    const asked = async () =>
      (await network.control.log({ who: device, kind: "in", attrs: { xmlns: "usync" } })).length
    const before = await asked()
    await network.fault({ kind, device, xmlns: "usync", code: 429 })
    await eve.post({ from: eve.jid, id: "BYNUMBER" }, await eve.encrypt({ conversation: "by number" }))
    await bob.send(phone.number, "still there")
    const messages = await eventsOfType(bridge.id, "message", 2)
    expect(messages.map(({ body, contact_id }) => [body, contact_id])).toEqual([
      ["by number", eve.jid],
      ["still there", bob.jid],
    ])
    expect(await network.control.settled(device, 10_000)).toBe(true)
    const attrs = { id: "BYNUMBER", error: "500" }
    expect(await network.control.log({ who: device, kind: "in", tag: "ack", attrs })).toEqual([])
    expect(await asked()).toBe(before + 1)
  },
)

test("hundreds of messages that cannot be decrypted delay no other", async () => {
  const { bob, phone, bridge, network } = await aChat(calm)
  await network.control.flood(bob.number, { to: phone.number, kind: "unreadable", count: 200 })
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 1)
  expect(messages.map(({ body }) => body)).toEqual(["still there"])
})

test("a thousand requests for messages that never were are acknowledged, ask nothing, and delay none", async () => {
  const { bob, phone, bridge, network } = await aChat(calm)
  const device = `${phone.number}:1`
  const asked = () => network.keyQuestions(device)
  const before = await asked()
  await network.control.flood(bob.number, { to: phone.number, kind: "retries", count: 1000 })
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 1)
  expect(messages.map(({ body }) => body)).toEqual(["still there"])
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await asked()).toBe(before)
})

test("hundreds of placeholders and news of names, devices and versions delay no message; little is kept", async () => {
  const { bob, phone, bridge, network, ask } = await aChat(calm)
  const device = `${phone.number}:1`
  await network.fault({ kind: "silent_phone", device })
  await bob.send(phone.number, "so that he is a contact")
  const flood = (kind: "placeholders" | "news", count: number) =>
    network.control.flood(bob.number, { to: phone.number, kind, count })
  await Promise.all([flood("placeholders", 300), flood("news", 300)])
  await bob.send(phone.number, "still there")
  const messages = await eventsOfType(bridge.id, "message", 2)
  expect(messages.map(({ body }) => body)).toEqual(["so that he is a contact", "still there"])
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await rowsOf(tables.sessions, bridge.id, "AWAITED#")).toHaveLength(200)
  await until(async () => JSON.stringify(await ask("GET", "/contacts")).includes('"name.299"'))
})

test("a decrypted text that is no message gets a receipt, and its sender is not asked to send it again", async () => {
  const { bob, phone, bridge, network } = await aChat(calm)
  const { ids } = await network.control.flood(bob.number, { to: phone.number, kind: "garbage", count: 20 })
  await bob.send(phone.number, "still there")
  await eventsOfType(bridge.id, "message", 1)
  expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
  const receipts = await network.control.log({ kind: "in", who: `${phone.number}:1`, tag: "receipt" })
  const told = receipts.filter(({ stanza }) => ids.includes(stanza?.attrs.id ?? ""))
  expect(new Set(told.map(({ stanza }) => stanza!.attrs.type))).toEqual(new Set(["inactive"]))
  expect(told).toHaveLength(20)
})

test("a message that ends sessions is skipped once when the operator says so, and those behind it arrive", async () => {
  const chat = await aChat(calm)
  const { bob, phone, bridge, network } = chat
  // Else what the phone told at the linking may still be at the head.
  await network.control.settled(`${phone.number}:1`, 10_000)
  const eve = await anIntruder(chat)
  await eve.begin()
  const address = eve.repository.jidToSignalProtocolAddress(eve.lid)
  const isOfEve = (request: object) => JSON.stringify(request).includes(`#session#${address}`)
  const mended = dynamoDb.faults.add({ fault: "invalid", operation: "TransactWriteItems", when: isOfEve })
  onTestFinished(mended)
  await eve.post({}, await eve.encrypt({ conversation: "poison" }))
  await bob.send(phone.number, "behind it")
  await until(async () => (await Lease.get(bridge.id))!.failCount > 0)
  expect(await eventsOfType(bridge.id, "message", 0)).toEqual([])

  await admin.skip!.run([bridge.id])
  const bodies = async (count: number) =>
    (await eventsOfType(bridge.id, "message", count)).map(({ body }) => body)
  expect(await bodies(1)).toEqual(["behind it"])
  expect((await Lease.get(bridge.id))!.skip).toBeUndefined()
  mended()
  await eve.begin()
  await eve.post({}, await eve.encrypt({ conversation: "not skipped" }))
  expect(await bodies(2)).toEqual(["behind it", "not skipped"])
})
