import { expect, test } from "vitest"
import "#test/support/store.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { anIntruder } from "#test/support/network/intruder.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { sendText } from "#test/support/session/host.ts"

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

const chat = await aSharedChat()
const { phone, bridge, network } = chat
const device = `${phone.number}:1`

const say = (chat: string, body: string) => sendText(bridge.id, chat, body)

/** The people whom questions name. */
const peopleIn = (questions: unknown[]) =>
  [...JSON.stringify(questions).matchAll(/"tag":"user","attrs":\{"jid":"([^"]+)"/g)].map(([, jid]) => jid)

test("a device that was never announced gets the message that revealed it, and is asked for once", async () => {
  const bob = await network.phone("Bob")
  const group = await network.group([bob, phone])
  for (const chat of [bob.number, group.jid]) expect(await say(chat, "before")).toMatchObject({ status: 200 })
  const silent = await network.fault({ kind: "silent_devices" })
  const client = await network.paired(bob)
  await silent()

  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", attrs: { xmlns: "usync" } })).length
  const before = await asked()
  expect(await say(bob.number, "missed by nobody")).toMatchObject({ status: 200 })
  await client.message("missed by nobody")
  expect(await say(group.jid, "nor in a group")).toMatchObject({ status: 200 })
  await client.message("nor in a group")
  const after = await asked()
  // In the chat; the group's message goes to what is known by then.
  expect(after).toBe(before + 1)
  for (const body of ["one more", "and one"]) await say(bob.number, body)
  await client.message("and one")
  expect(await asked()).toBe(after)
  expect(await bob.read({ text: "missed by nobody" })).toMatchObject([{ times: 1 }])
})

test("a list of devices that has changed without a word on how is asked for again", async () => {
  const bob = await network.phone("Bob")
  await sendText(bridge.id, bob.number, "so that they are known")
  const asked = async () => await network.control.log({ who: device, kind: "in", attrs: { xmlns: "usync" } })
  for (const [kind, people] of [
    ["devices_changed", [bob.lid]],
    ["own_devices", [phone.lid]],
    ["about_changed", []],
  ] as const) {
    const before = (await asked()).length
    await network.control.notice(device, { kind, about: bob.number })
    await network.control.settled(device, 10_000)
    expect(await sendText(bridge.id, bob.number, kind)).toMatchObject({ status: 200 })
    expect([kind, peopleIn((await asked()).slice(before))]).toEqual([kind, people])
  }
})

test("devices whose owner may not give keys are left out, in chats as in groups", async () => {
  const bob = await network.phone("Bob")
  await network.paired(bob)
  const group = await network.group([bob, phone])
  await network.fault({ kind: "not_acceptable", device: `${bob.number}:1` })
  for (const [chat, body] of [
    [bob.number, "in a chat"],
    [group.jid, "in a group"],
  ] as const) {
    expect(await sendText(bridge.id, chat, body)).toMatchObject({ status: 200 })
    expect(await bob.read({ text: body })).toMatchObject([{ times: 1 }])
  }
})

test("a message that no device of its recipient can read is refused, and is sent once one can", async () => {
  const bob = await network.phone("Bob")
  const refused = { status: 503, code: "session_unavailable" }
  for (const kind of ["no_keys", "no_devices"] as const) {
    const person = await network.phone(`Person of ${kind}`)
    const over = await network.fault({ kind, device: `${person.number}:0` })
    const id = newMessageId()
    for (const body of ["first", "again"])
      expect(await sendText(bridge.id, person.number, body, id)).toMatchObject(refused)
    expect(await network.control.log({ who: device, kind: "in", tag: "message", attrs: { id } })).toEqual([])
    expect(await sendText(bridge.id, bob.number, "to somebody else")).toMatchObject({ status: 200 })
    await over()
    expect(await sendText(bridge.id, person.number, "at last", id)).toMatchObject({ status: 200 })
    expect(await person.read({ text: "at last" })).toMatchObject([{ times: 1, id }])
  }
})

test("the network is asked once for the keys of a device that has none, until its owner's devices change", async () => {
  const bob = await network.phone("Bob")
  // It never comes back, so it asks for no message once more.
  const client = await network.paired(bob)
  client.close()
  const group = await network.group([bob, phone])
  const eve = await network.phone("Eve")
  await sendText(bridge.id, eve.number, "so that there is a session with our own phone")
  const asked = () => network.keyQuestions(device)
  const questions = async (chat: string) => {
    const before = await asked()
    expect(await sendText(bridge.id, chat, "hello")).toMatchObject({ status: 200 })
    return (await asked()) - before
  }
  const inTurn = async () => {
    const counts = []
    for (const chat of [bob.number, group.jid, bob.number, group.jid]) counts.push(await questions(chat))
    return counts
  }
  // A question that fails says nothing about the device.
  const fails = await network.fault({ kind: "keys_fail", device: `${bob.number}:1` })
  expect(await inTurn()).toEqual([1, 1, 1, 1])
  await fails()
  const over = await network.fault({ kind: "no_keys", device: `${bob.number}:1` })
  expect(await inTurn()).toEqual([1, 0, 0, 0])

  await over()
  await network.control.notice(device, { kind: "devices_changed", about: bob.number })
  await network.control.settled(device, 10_000)
  expect(await questions(bob.number)).toBe(1)
})

/** Bytes, and a number as big-endian bytes, as the control API takes them. */
const bytes = (value: Uint8Array) => ({ base64: Buffer.from(value).toString("base64") })

function number(value: number, length: number) {
  const out = Buffer.alloc(length)
  out.writeUIntBE(value, 0, length)
  return bytes(out)
}

test("a storm of devices that ask for messages again gets twenty answers, and the next message goes out", async () => {
  const bob = await network.phone("Bob")
  const group = await network.group([bob, phone])
  // Baileys would send each of them again twice.
  for (let n = 0; n < 20; n++)
    expect(await sendText(bridge.id, group.jid, `number ${n}`)).toMatchObject({ status: 200 })
  await bob.read({ text: "number 19" })
  const messages = { who: device, kind: "in", tag: "message", attrs: { to: group.jid } } as const
  const before = (await network.control.log(messages)).length
  await network.call("POST", `/phones/${bob.number}/floods`, { to: group.jid, kind: "asks", count: 60 })
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await sendText(bridge.id, group.jid, "after the storm")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "after the storm" })).toMatchObject([{ times: 1 }])
  const again = (await network.control.log(messages)).length - before - 1
  expect(again).toBeGreaterThan(0)
  expect(again).toBeLessThanOrEqual(21)
})

test("a member who asks for a forgotten message is given the group's key with the next one", async () => {
  const bob = await network.phone("Bob")
  const group = await network.group([bob, phone])
  /** The members to whom a message gives the key. */
  const given = async (body: string) => {
    const { message_id: id } = (await sendText(bridge.id, group.jid, body)) as unknown as {
      message_id: string
    }
    const [sent] = await network.control.log({ who: device, kind: "in", tag: "message", attrs: { id } })
    return [...JSON.stringify(sent!.stanza).matchAll(/"tag":"to","attrs":\{"jid":"([^"]+)"/g)].map(
      ([, jid]) => jid,
    )
  }
  expect(await given("the first")).toContain(bob.lid)
  expect(await given("the second")).toEqual([])
  await network.control.stanza(device, {
    tag: "receipt",
    attrs: { id: "FORGOTTEN", from: group.jid, participant: bob.lid, type: "retry", t: "1800000000" },
    content: [{ tag: "retry", attrs: { count: "1", id: "FORGOTTEN", t: "1800000000", v: "1" }, content: [] }],
  })
  expect(await network.control.settled(device, 10_000)).toBe(true)
  expect(await given("the third")).toEqual([bob.lid])
})

test("a device that asks for a message with its own keys gets it under them, and no others are asked for", async () => {
  const eve = await anIntruder(chat)
  const sent = await sendText(bridge.id, eve.lid, "once more, please")
  const bundle = await eve.bundle()
  const since = {
    who: device,
    kind: "in",
    after: (await network.control.log({ who: device })).at(-1)!.n,
  } as const
  const { message_id: id } = sent as unknown as { message_id: string }
  await network.control.stanza(device, {
    tag: "receipt",
    attrs: { id, from: eve.lid, type: "retry", t: "1800000000" },
    content: [
      { tag: "retry", attrs: { count: "2", id, t: "1800000000", v: "1" } },
      { tag: "registration", attrs: {}, content: number(bundle.registrationId, 4) },
      {
        tag: "keys",
        attrs: {},
        content: [
          { tag: "type", attrs: {}, content: bytes(Buffer.of(5)) },
          { tag: "identity", attrs: {}, content: bytes(bundle.identityKey.subarray(1)) },
          {
            tag: "key",
            attrs: {},
            content: [
              { tag: "id", attrs: {}, content: number(bundle.preKey.keyId, 3) },
              { tag: "value", attrs: {}, content: bytes(bundle.preKey.publicKey.subarray(1)) },
            ],
          },
          {
            tag: "skey",
            attrs: {},
            content: [
              { tag: "id", attrs: {}, content: number(bundle.signedPreKey.keyId, 3) },
              { tag: "value", attrs: {}, content: bytes(bundle.signedPreKey.publicKey.subarray(1)) },
              { tag: "signature", attrs: {}, content: bytes(bundle.signedPreKey.signature) },
            ],
          },
        ],
      },
    ],
  })
  await network.log({ ...since, tag: "message", attrs: { id } })
  expect(await network.control.log({ ...since, attrs: { xmlns: "encrypt" } })).toEqual([])
})

test("a message to oneself, by number or private id, is in the phone's chat with itself", async () => {
  for (const [i, to] of [phone.number, phone.jid, phone.lid].entries()) {
    expect(await say(to, `note ${i}`)).toMatchObject({ status: 200 })
    const [note] = await phone.read({ text: `note ${i}` })
    expect(note).toMatchObject({ chat: phone.number, from_me: true })
    const sent = { who: device, kind: "in", tag: "message", attrs: { id: note!.id } } as const
    const [stanza] = await network.log(sent)
    expect(stanza!.stanza!.attrs).toMatchObject({ to: phone.lid, peer_recipient_pn: phone.jid })
  }
})
