import "#test/support/store.ts"
import { expect, test } from "vitest"
import { newMessageId } from "#core/message/message-id.ts"
import { aNetwork } from "../support/network/network.ts"
import { sendText } from "../support/session/host.ts"
import { aPairedSession } from "../support/session/paired.ts"

/** A linked session in groups of a crowd, and Bob, who created them and reads along. */
async function inGroups(...sizes: { count: number; devices?: number }[]) {
  const network = await aNetwork()
  const session = await aPairedSession(network, { timing: { beatMs: 4000 } })
  const bob = await network.phone("Bob")
  const groups: string[] = []
  const members: string[][] = []
  for (const size of sizes) {
    const { numbers } = await network.control.crowd(size)
    const { jid } = await network.control.group({
      creator: bob.number,
      subject: "All",
      members: [session.phone.number, ...numbers],
    })
    groups.push(jid)
    members.push(numbers)
  }
  const device = `${session.phone.number}:1`
  let last = 0
  return {
    network,
    bob,
    members,
    group: groups[0] ?? "",
    groups,
    device,
    bridgeId: session.bridge.id,
    say: (group: string, body: string, id?: string) => sendText(session.bridge.id, group, body, id),
    /** The session's questions to the network since the last call, by namespace. */
    asked: async () => {
      const entries = await network.control.log({ who: device, kind: "in", tag: "iq", after: last })
      last = entries.at(-1)?.n ?? last
      return entries.map(({ stanza }) => stanza?.attrs.xmlns)
    },
    /** Resolves when it asks something in this namespace. */
    asks: (xmlns: string) =>
      network.log({ who: device, kind: "in", tag: "iq", after: last, attrs: { xmlns } }),
  }
}

test("the first message to 1,024 members' 1,500 devices is out within three calls, the next asks nothing", async () => {
  const { bob, group, say, asked } = await inGroups({ count: 1022, devices: 1.5 })
  const id = newMessageId()
  const statuses: number[] = []
  for (let call = 0; call < 3 && !statuses.includes(200); call++)
    statuses.push((await say(group, "hello all", id)).status)
  expect(statuses).toContain(200)
  expect(await bob.read({ text: "hello all" })).toMatchObject([{ id, times: 1, chat: group }])

  await asked()
  expect(await say(group, "again")).toMatchObject({ status: 200 })
  expect(await asked()).toEqual([])
}, 120_000)

test("three groups of 800 in turn: from the second round on the network is asked nothing", async () => {
  const { groups, say, asked } = await inGroups({ count: 798 }, { count: 798 }, { count: 798 })
  for (const group of groups) expect(await say(group, "first round")).toMatchObject({ status: 200 })
  await asked()
  for (const group of groups) expect(await say(group, "second round")).toMatchObject({ status: 200 })
  expect(await asked()).toEqual([])
}, 120_000)

test("a group is asked for once, and again when the network tells of a change, or refuses a message to it", async () => {
  const { network, bob, group, device, say, asked } = await inGroups({ count: 3 })
  await asked()
  await say(group, "one")
  expect((await asked()).filter((xmlns) => xmlns === "w:g2")).toHaveLength(1)

  const eve = await network.phone("Eve")
  await network.call("PATCH", `/groups/${group}`, { by: bob.number, add: [eve.number] })
  await network.control.settled(device, 10_000)
  await say(group, "two, with Eve")
  expect((await asked()).filter((xmlns) => xmlns === "w:g2")).toHaveLength(1)
  expect(await eve.read({ text: "two, with Eve" })).toMatchObject([{ times: 1 }])
  expect(await network.control.phone(eve.number)).toMatchObject({ not_decrypted: { no_session: 0 } })

  await network.fault({ kind: "nack", device, code: 479, times: 1 })
  expect(await say(group, "three")).toMatchObject({ status: 502 })
  await say(group, "four")
  expect((await asked()).filter((xmlns) => xmlns === "w:g2")).toHaveLength(1)
})

test("a device without keys keeps no other from getting a message", async () => {
  const { network, bob, group, members, say } = await inGroups({ count: 3 })
  await network.fault({ kind: "no_keys", device: `${members[0]![0]}:0` })
  expect(await say(group, "for the others")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "for the others" })).toMatchObject([{ times: 1 }])
})

test("keys are asked for only of devices that a session is missing with", async () => {
  const { network, bob, group, say } = await inGroups({ count: 3 })
  const before = (await network.control.phone(bob.number)).devices[0]!.prekeys
  await say(bob.number, "to one")
  await say(group, "to all")
  expect((await network.control.phone(bob.number)).devices[0]!.prekeys).toBe(before - 1)
})

test("a question about devices that is not answered fails its own message alone", async () => {
  const { network, bob, device, say, asked, asks } = await inGroups()
  const one = await network.phone("One")
  await say(bob.number, "so that its devices are known, and our own")
  await asked()
  const silent = await network.fault({ kind: "ignore_iq", device, xmlns: "encrypt", times: 1 })
  const first = say(one.number, "for nobody")
  await asks("encrypt")
  await silent()
  expect(await say(bob.number, "for somebody")).toMatchObject({ status: 200 })
  expect(await first).toMatchObject({ status: 503 })
})
