import { afterAll, beforeAll, expect, test } from "vitest"
import { statusChat } from "#core/message/jid.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aLinkedDevice, outgoing } from "#test/support/session/linked-device.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import type { VolatileVault } from "#test/support/session/vault.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

/**
 * A linked device in a group with Bob and Eve, who may leave it, and ways to ask the device for messages
 * again.
 */
async function aGroup() {
  const linked = await aLinkedDevice(network)
  const { ada, bob, device, connection, heard } = linked
  const eve = await network.phone("Eve")
  const { jid } = await network.group([ada, bob, eve])
  return {
    ...linked,
    eve,
    jid,
    say: async (chat: string, body: string) => {
      const message = outgoing(chat, body)
      await connection.send(message)
      return message.messageId
    },
    removeEve: () => network.call("PATCH", `/groups/${jid}`, { by: ada.number, remove: [eve.number] }),
    /** Makes a person ask for this message once more, and for others in the same receipt. */
    ask: async (
      id: string,
      who: { from: string; participant?: string; recipient?: string },
      others: string[] = [],
    ) => {
      const retry = { tag: "retry", attrs: { count: "1", id, t: "1800000000", v: "1" }, content: [] }
      const items = others.map((other) => ({ tag: "item", attrs: { id: other }, content: [] }))
      const list = items.length > 0 ? [{ tag: "list", attrs: {}, content: items }] : []
      const attrs = { id, type: "retry", t: "1800000000", ...who }
      await network.control.stanza(device, { tag: "receipt", attrs, content: [...list, retry] })
      expect(await network.control.settled(device, 10_000)).toBe(true)
    },
    /** How often the device has sent this message. */
    times: async (id: string) => (await heard("message", id)).length,
  }
}

test("a message goes once more to those whom it went to, and to no one else, whatever they ask for", async () => {
  const { bob, eve, jid, connection, say, removeEve, ask, times } = await aGroup()
  const inGroup = await say(jid, "to the group")
  const toBob = await say(bob.jid, "to Bob alone")
  await ask(toBob, { from: eve.lid })
  await ask(toBob, { from: jid, participant: eve.lid })
  await ask(inGroup, { from: bob.lid })
  await ask(inGroup, { from: (await network.phone("Stranger")).lid })
  await ask(inGroup, { from: jid })
  await ask(inGroup, { from: jid, participant: bob.lid }, [toBob])
  await removeEve()
  for (const participant of [eve.lid, eve.lid.replace("@", ":1@"), eve.jid])
    await ask(inGroup, { from: jid, participant })
  expect([await times(inGroup), await times(toBob)]).toEqual([1, 1])

  await ask(inGroup, { from: jid, participant: bob.lid })
  await ask(toBob, { from: bob.lid })
  expect([await times(inGroup), await times(toBob)]).toEqual([2, 2])
  connection.close()
})

test("a message goes again to the device alone that asks for it, also if a phone, five times at most", async () => {
  const { ada, bob, eve, jid, vault, connection, say, ask, heard } = await aGroup()
  await say(bob.jid, "so that there is a session")
  await bob.read({ text: "so that there is a session" })
  await network.call("DELETE", `/phones/${bob.number}/sessions`)
  const inGroup = await say(jid, "to the group")
  expect(await bob.read({ text: "to the group" })).toMatchObject([{ times: 1 }])
  expect(await eve.read({ text: "to the group" })).toMatchObject([{ times: 1 }])
  expect((await heard("message", inGroup)).slice(1)).toMatchObject([{ to: jid, participant: bob.lid }])
  // Eve has our sender key still, and Bob gets it once more.
  const holders = JSON.parse(vault.ofType("sender-key-memory").at(-1)!) as Record<string, boolean>
  expect(holders).toMatchObject({ [bob.lid]: false, [eve.lid]: true })

  const toBob = await say(bob.jid, "to Bob alone")
  for (let n = 1; n <= 7; n++) await ask(toBob, { from: bob.lid })
  await ask(toBob, { from: ada.lid, recipient: bob.lid })
  const again = (await heard("message", toBob)).slice(1)
  expect(again).toHaveLength(6)
  expect(again[0]).toMatchObject({ to: bob.lid, device_fanout: "false" })
  expect(again[5]).toMatchObject({ to: ada.lid, recipient: bob.lid, device_fanout: "false" })
  expect(await ada.read({ text: "to Bob alone" })).toMatchObject([{ times: 2 }])
  connection.close()
  const next = aConnection({ url: network.url, vault })
  await next.happens("open")
  await ask(toBob, { from: bob.lid })
  expect(await heard("message", toBob)).toHaveLength(7)
  next.close()
})

test("nothing that a stranger writes into a request for a message is in what is sent", async () => {
  const { bob, device, connection, say } = await aGroup()
  const id = await say(bob.jid, "to Bob alone")
  const retry = { tag: "retry", attrs: { count: "1e999", id, t: "1800000000", v: "1" }, content: [] }
  const attrs = { id, type: "retry", t: "1800000000", from: bob.lid, recipient: "1@s.whatsapp.net" }
  await network.control.stanza(device, { tag: "receipt", attrs, content: [retry] })
  expect(await network.control.settled(device, 10_000)).toBe(true)
  const [, again] = await network.control.log({ who: device, kind: "in", tag: "message", attrs: { id } })
  expect(again!.stanza!.attrs).not.toHaveProperty("recipient")
  expect(JSON.stringify(again!.stanza)).toContain('"count":"1"')
  connection.close()
})

test("a status goes once more to those to whom it was shown, and to no one else", async () => {
  const { bob, eve, connection, ask, times } = await aGroup()
  const status = { ...outgoing(statusChat, "open till ten"), members: [bob.jid] }
  await connection.send(status)
  for (const participant of [eve.lid, eve.lid.replace("@", ":1@"), ""])
    await ask(status.messageId, { from: statusChat, participant })
  await ask(status.messageId, { from: eve.lid })
  expect(await times(status.messageId)).toBe(1)
  await ask(status.messageId, { from: statusChat, participant: bob.lid })
  expect(await times(status.messageId)).toBe(2)
  connection.close()
})

test("a viewer whose phone has lost its sessions is shown a status once more, and no other viewer is", async () => {
  const { bob, eve, connection, say, heard } = await aGroup()
  await say(bob.jid, "so that there is a session")
  await bob.read({ text: "so that there is a session" })
  await network.call("DELETE", `/phones/${bob.number}/sessions`)
  const status = { ...outgoing(statusChat, "open till ten"), members: [bob.jid, eve.jid] }
  await connection.send(status)
  expect(await bob.read({ text: "open till ten" })).toMatchObject([{ chat: statusChat }])
  expect(await eve.read({ text: "open till ten" })).toMatchObject([{ times: 1 }])
  expect(await heard("message", status.messageId)).toMatchObject([{ to: statusChat }, { to: statusChat }])
  connection.close()
})

/** The public half of the key with which the device signs what it sends to a group. */
const groupKey = (vault: VolatileVault) =>
  (JSON.parse(vault.ofType("sender-key").at(-1)!) as { senderSigningKey: { public: unknown } }[]).at(-1)!
    .senderSigningKey.public

test.for(["a member, for the last message", "who has left, for one that nobody remembers"])(
  "a former member cannot read on, though a message is asked for again before the next one: %s",
  async (whoAsks) => {
    const { bob, eve, jid, vault, connection, say, removeEve, ask } = await aGroup()
    const last = await say(jid, "for all")
    const before = groupKey(vault)
    await removeEve()
    if (whoAsks.startsWith("a member")) await ask(last, { from: jid, participant: bob.lid })
    else await ask("FORGOTTEN", { from: jid, participant: eve.lid })
    expect(groupKey(vault)).toEqual(before)
    await say(jid, "without Eve")
    expect(groupKey(vault)).not.toEqual(before)
    expect(await bob.read({ text: "without Eve" })).toMatchObject([{ times: 1 }])
    connection.close()
  },
)
