import { expect, test } from "vitest"
import "#test/support/store.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aSharedChat } from "#test/support/session/chat.ts"
import { eventsOfType } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const { phone, bridge, ask, network, message } = await aSharedChat()

/** The messages that this person has written, once there are this many. */
async function messagesOf(person: { jid: string }, count: number) {
  return await until(async () => {
    const all = await eventsOfType(bridge.id, "message")
    const theirs = all.filter(({ contact_id }) => contact_id === person.jid)
    return theirs.length >= count && theirs
  })
}

test.for(["lid", "pn"] as const)(
  "groups by %s, a status, and what the own phone writes",
  async (addressing) => {
    const bob = await network.phone("Bob")
    const group = await network.group([bob, phone], addressing)
    const inGroup = await bob.send(group.jid, "hello all")
    expect(await message(inGroup.id)).toMatchObject({
      is_group: true,
      chat_id: group.jid,
      contact_id: bob.jid,
      phone: bob.number,
      from_me: false,
    })
    const ownInGroup = await phone.send(group.jid, "hello from the phone")
    expect(await message(ownInGroup.id)).toMatchObject({
      is_group: true,
      chat_id: group.jid,
      contact_id: phone.jid,
      from_me: true,
    })
    const own = await phone.send(bob.number, "just you", { addressing })
    expect(await message(own.id)).toMatchObject({
      is_group: false,
      chat_id: bob.jid,
      contact_id: phone.jid,
      phone: phone.number,
      from_me: true,
    })
    const status = await bob.post("status@broadcast", { text: "holidays", viewers: [phone.number] })
    expect(await message(status.id)).toMatchObject({
      is_broadcast: true,
      chat_id: "status@broadcast",
      contact_id: bob.jid,
    })
    const direct = await bob.send(phone.number, "hello", { addressing })
    expect(await message(direct.id)).toMatchObject({ chat_id: bob.jid, contact_id: bob.jid })
  },
)

test("no event and no answer has a NUL, whatever strangers have written", async () => {
  const eve = await network.phone("E\0ve\0")
  const group = await network.group([eve, phone])
  const said = [
    await eve.send(phone.number, "a\0b"),
    await eve.post(group.jid, { poll: { question: "so\0?", options: ["y\0es", "no"] } }),
    await eve.post(phone.number, { location: { latitude: 1, longitude: 2, name: "he\0re" } }),
  ]
  const told = []
  for (const { id } of said) told.push(await message(id))
  expect(told).toMatchObject([
    { name: "Eve", body: "ab" },
    { name: "Eve", options: ["yes", "no"] },
    { name: "Eve", location: { name: "here" } },
  ])
  const contact = await ask("GET", `/contacts/${eve.jid}`)
  const list = await ask("GET", "/contacts")
  expect(contact).toMatchObject({ status: 200, name: "Eve" })
  expect(JSON.stringify([told, contact, list])).toContain("Eve")
  expect(JSON.stringify([told, contact, list])).not.toContain("\\u0000")
})

test("a message of an unknown kind is an event, and set aside; content not for people is no event", async () => {
  const bob = await network.phone("Bob")
  await bob.post(phone.number, { raw: { protocolMessage: { type: 3, ephemeralExpiration: 60 } } })
  await bob.post(phone.number, { raw: { stickerPackMessage: { name: "Cats" } } })
  const { id } = await bob.send(phone.number, "and now?")
  await message(id)
  expect(await messagesOf(bob, 2)).toMatchObject([{ type: "unknown", body: "Cats" }, { body: "and now?" }])
  const parked = await rowsOf(tables.sessions, bridge.id, "PARKED#")
  expect(parked).toHaveLength(1)
  expect(Number(parked[0]!.expires_at)).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400)
})

test("each message has one row, and messages sent through the API have none", async () => {
  const bob = await network.phone("Bob")
  const before = new Set((await rowsOf(tables.sessions, bridge.id, "MESSAGE#")).map(({ sk }) => sk))
  await ask("POST", "/send/text", { chat: bob.number, body: "ours" })
  const { id } = await bob.send(phone.number, "theirs")
  await message(id)
  const own = await phone.send(bob.number, "from the phone")
  await message(own.id)
  const rows = (await rowsOf(tables.sessions, bridge.id, "MESSAGE#")).filter(({ sk }) => !before.has(sk))
  // A reader of the table must see neither ids nor addresses.
  for (const row of rows) expect(JSON.stringify(row)).not.toContain(bob.number)
  // Messages between our own devices are remembered for as long as they may come again.
  const remembered = rows.filter((row) => Number(row.expires_at) > Date.now() / 1000 + 29 * 86_400)
  expect(remembered).toHaveLength(2)
  expect(await messagesOf(bob, 1)).toHaveLength(1)
})

test("a member's revocation of another's message is no event, and an admin's is one", async () => {
  const [ada, bob, cy] = [await network.phone("Ada"), await network.phone("Bob"), await network.phone("Cy")]
  for (const addressing of ["lid", "pn"] as const) {
    const group = await network.group([ada, bob, cy, phone], addressing)
    const { id } = await bob.send(group.jid, "said")
    await message(id)
    const key = { id, fromMe: false, participant: addressing === "lid" ? bob.lid : bob.jid }
    const revoke = async (by: typeof cy) =>
      await by.post(group.jid, { raw: { protocolMessage: { key, type: 0 } } })
    await revoke(cy)
    const after = await cy.send(group.jid, "after it")
    await message(after.id)
    const revoked = await revoke(ada)
    expect(await message(revoked.id)).toMatchObject({ edit: "revoke", target_id: id, contact_id: ada.jid })
    const edits = (await eventsOfType(bridge.id, "message")).filter(({ target_id }) => target_id === id)
    expect(edits).toHaveLength(1)
  }
})

test("garbage is an event, in a group beside a sender's first key too, and nothing waits behind it", async () => {
  const eve = await network.phone("Eve")
  const group = await network.group([eve, phone])
  for (const to of [phone.number, group.jid]) {
    const { id } = await eve.post(to, {
      bytes: Buffer.from([0xff, 0xfe, 0xfd, 0, 0x80, 1]).toString("base64"),
    })
    const after = await eve.send(to, "after it")
    await message(after.id)
    expect(await message(id)).toMatchObject({ type: "unknown", unknown_kind: "unreadable", name: "Eve" })
    expect(await ask("GET", `/messages/${id}`)).toMatchObject({ message_id: id, type: "unknown" })
  }
})
