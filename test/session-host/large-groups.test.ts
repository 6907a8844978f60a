import "#test/support/store.ts"
import { expect, test } from "vitest"
import { newMessageId } from "#core/message-id.ts"
import { sendText } from "#test/support/host.ts"
import { aNetwork } from "#test/support/network.ts"
import { aPairedSession } from "#test/support/paired.ts"

/** A linked session in groups of a crowd, and Bob, who made them and reads along. */
async function inGroups(sizes: { count: number; devices: number }[]) {
  const network = await aNetwork()
  const session = await aPairedSession(network, { timing: { beatMs: 4000 } })
  const bob = await network.phone("Bob")
  const groups: string[] = []
  for (const size of sizes) {
    const { numbers } = await network.control.crowd(size)
    const members = [session.phone.number, ...numbers]
    groups.push((await network.control.group({ creator: bob.number, subject: "All", members })).jid)
  }
  return { network, bob, groups, bridgeId: session.bridge.id }
}

test("the first message to a group of 1,024 people with 1,500 devices is out within three calls", async () => {
  const { bob, groups, bridgeId } = await inGroups([{ count: 1022, devices: 1.5 }])
  const [group = ""] = groups
  const id = newMessageId()
  const statuses: number[] = []
  for (let call = 0; call < 3 && !statuses.includes(200); call++)
    statuses.push((await sendText(bridgeId, group, "hello all", id)).status)
  expect(statuses).toContain(200)
  expect(await bob.read({ text: "hello all" })).toMatchObject([{ id, times: 1, chat: group }])
}, 120_000)
