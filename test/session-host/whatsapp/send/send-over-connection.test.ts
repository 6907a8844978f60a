import { afterAll, beforeAll, expect, test } from "vitest"
import { NotSent, OutcomeUnknown } from "#session-host/network/errors.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { framesThatLeave } from "#test/support/session/frames-that-left.ts"
import { aLinkedDevice, outgoing } from "#test/support/session/linked-device.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import { aVault, type VolatileVault } from "#test/support/session/vault.ts"
import { until } from "#test/support/until.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

test("a message is durable before its stanza leaves", async () => {
  const { bob, vault, connection, heard } = await aLinkedDevice(network)
  await connection.send(outgoing(bob.jid, "so that the session is there"))
  const release = vault.hold()
  const message = outgoing(bob.jid, "kept before")
  const sending = connection.send(message)
  await until(async () => (await vault.sent(message.messageId)) !== undefined)
  const later = connection.registered([bob.number])
  expect(await heard("message", message.messageId)).toEqual([])

  release()
  await sending
  await later
  expect(Buffer.from((await vault.sent(message.messageId))!.message)).toEqual(Buffer.from(message.message))
  connection.close()
})

/** A group with Bob, for whose keys Baileys asks the network after it has encrypted a message. */
async function aGroupAskedAboutLate(vault: VolatileVault) {
  const linked = await aLinkedDevice(network, vault)
  const { ada, bob } = linked
  // As if the holders of our sender key had changed before the last of the three times that they are looked
  // up.
  let looked = 0
  const keys = vault.keys.bind(vault)
  vault.keys = async (type, ids) => {
    if (type !== "sender-key-memory" || ++looked % 3 !== 0) return await keys(type, ids)
    return new Map(ids.map((id) => [id, JSON.stringify({ [bob.lid]: true, [ada.lid]: true })]))
  }
  return { ...linked, group: await network.group([bob, ada]) }
}

test("a message that fails at a question between its encryption and its stanza was not sent", async () => {
  const { ada, bob, group, connection, device } = await aGroupAskedAboutLate(aVault())
  await network.fault({ kind: "refuse_iq", device, xmlns: "encrypt", code: 503, times: 1 })
  await expect(connection.send(outgoing(group.jid, "no"))).rejects.toThrow(NotSent)
  await connection.send(outgoing(group.jid, "yes"))
  expect(await bob.read({ from: ada.number })).toMatchObject([{ text: "yes" }])
  connection.close()
})

test("a message counts as built when its stanza is the next frame, and not at a question before it", async () => {
  const vault = aVault()
  // Nothing waits, so that each frame leaves in the context of its message.
  Object.assign(vault, { gate: { made: 0, kept: 0, isFull: false, whenKept: async () => {} } })
  const left = framesThatLeave(network, vault)
  const { group, connection, device } = await aGroupAskedAboutLate(vault)
  await connection.send(outgoing(group.jid, "built at last"))
  const ofMessage = (await left.since(device)).filter(({ built }) => built !== undefined)
  expect(ofMessage.map(({ stanza, built }) => [stanza.tag, built])).toEqual([
    ["iq", false],
    ["message", true],
  ])
  connection.close()
})

test("a send whose connection ends before the ack has an unknown outcome, and goes again with its bytes", async () => {
  const { bob, vault, connection, device } = await aLinkedDevice(network)
  await network.fault({ kind: "lose_acks", device, times: 1 })
  const message = outgoing(bob.jid, "known once")
  const sending = connection.send(message)
  await bob.read({ text: "known once" })
  connection.close()
  await expect(sending).rejects.toThrow(OutcomeUnknown)
  await vault.settled()

  const second = aConnection({ url: network.url, vault })
  await second.happens("open")
  const rows = vault.changes.filter(({ outgoing: row }) => row).length
  await second.send(message, true)
  expect(vault.changes.filter(({ outgoing: row }) => row)).toHaveLength(rows)
  await expect.poll(async () => await bob.read({ id: message.messageId })).toMatchObject([{ times: 2 }])
  second.close()
})

test("on a closed connection nothing is sent", async () => {
  const { bob, connection } = await aLinkedDevice(network)
  connection.close()
  await expect(connection.send(outgoing(bob.jid, "closed"))).rejects.toThrow(NotSent)
})
