import "#test/support/store.ts"
import { describe, expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import type { Network } from "#test/support/network/network.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call, eventsOfType } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const mentioning = (lid: string, text: string, more: object = {}) => ({
  raw: { extendedTextMessage: { text, contextInfo: { mentionedJid: [lid], ...more } } },
})

type Types = NonNullable<Parameters<typeof Lease.choose>[1]["events"]>

/**
 * A session in groups by private ids, with Cy, who writes, and Nia, who never does. Their news would name
 * Nia, so by default nobody wants it.
 */
async function inGroups({ count = 1, events = ["message", "typing", "message_status"] as Types } = {}) {
  const chat = await aChat({ timing: { beatMs: 1000 } })
  const { network, bridge, phone } = chat
  await Lease.choose(bridge.id, { events, messageStatus: "participants" })
  await call(bridge.id, "POST", "/look-at-lease")
  const [cy, nia] = [await network.phone("Cy"), await network.phone("Nia")]
  const groups: string[] = []
  for (let made = 0; made < count; made++) groups.push((await network.group([cy, phone, nia], "lid")).jid)
  const device = `${phone.number}:1`
  await network.control.settled(device, 10_000)
  const [group = ""] = groups
  return {
    ...chat,
    cy,
    nia,
    group,
    groups,
    device,
    /** What came of a text of Cy's that mentions this private id. */
    mention: async (lid: string, text = `@${lid.replace("@lid", "")} hi`, more: object = {}, to = group) => {
      const { id } = (await cy.post(to, mentioning(lid, text, more))) as { id: string }
      return await chat.message(id)
    },
    /** How often the session has asked for members of a group. */
    questions: async () => await groupQuestions(network, device),
  }
}

async function groupQuestions(network: Network, device: string): Promise<number> {
  return (await network.control.log({ who: device, kind: "in", tag: "iq", attrs: { xmlns: "w:g2" } })).length
}

const madeUp = (n: number) => `${77_000_000_000_000 + n}@lid`

describe("somebody who never wrote, in a group by private ids", () => {
  test("is named by number in a text, its mentions and its quote, and the group is asked for once", async () => {
    const { nia, group, mention, questions } = await inGroups()
    const quote = { stanzaId: "3EB0", participant: nia.lid, quotedMessage: { conversation: "old" } }
    for (const more of [{}, quote])
      expect(await mention(nia.lid, undefined, more)).toMatchObject({
        body: `@${nia.number} hi`,
        mentions: [nia.jid],
        chat_id: group,
        ...(more === quote && { quoted: { contact_id: nia.jid } }),
      })
    expect(await questions()).toBe(1)
  })

  test("is named by number when they type", async () => {
    const { network, bridge, nia, group, device, questions } = await inGroups()
    const typing = { from: group, participant: nia.lid }
    for (let times = 0; times < 2; times++)
      await network.control.stanza(device, {
        tag: "chatstate",
        attrs: typing,
        content: [{ tag: "composing", attrs: {} }],
      })
    await until(async () => (await eventsOfType(bridge.id, "typing")).length === 2)
    for (const event of await eventsOfType(bridge.id, "typing"))
      expect(event).toMatchObject({ contact_id: nia.jid, chat_id: group })
    expect(await questions()).toBe(1)
  })

  test("is named by number when they read what we have sent, and is known from the send", async () => {
    const { network, bridge, ask, phone, nia, group, mention, questions } = await inGroups()
    const { message_id: id } = await ask("POST", "/send/text", { chat: group, body: "hello all" })
    await nia.read({ id })
    await network.call("POST", `/phones/${nia.number}/read`, {
      chat: group,
      message_ids: [id],
      from: phone.number,
    })
    const readers = await until(async () => {
      const statuses = await eventsOfType(bridge.id, "message_status")
      const found = statuses.filter(({ status }) => status === "read").flatMap((each) => each.participants)
      return found.length > 0 && found
    })
    expect(readers).toEqual([nia.jid])
    expect(await mention(nia.lid)).toMatchObject({ mentions: [nia.jid] })
    expect(await questions()).toBe(1)
  })

  test("is known from the API's own look at the group, and everywhere from then on", async () => {
    const { ask, cy, nia, phone, group, mention, message, questions } = await inGroups()
    expect(await ask("GET", `/groups/${group}`)).toMatchObject({
      members: expect.arrayContaining([expect.objectContaining({ jid: nia.jid })]),
    })
    expect(await mention(nia.lid)).toMatchObject({ mentions: [nia.jid] })
    expect(await questions()).toBe(1)
    const { id } = (await cy.post(phone.number, mentioning(nia.lid, "Nia?"))) as { id: string }
    expect(await message(id)).toMatchObject({ mentions: [nia.jid] })
  })
})

test("news of a group names those whom it is about, and no group is asked for", async () => {
  const { network, nia, cy, phone, mention, questions } = await inGroups({ events: ["message", "group"] })
  expect(await mention(nia.lid)).toMatchObject({ mentions: [nia.jid] })
  const byNumber = await network.group([cy, phone, await network.phone("Ole")], "pn")
  const [, ole] = (await network.control.phones()).slice(-2)
  expect(await mention(ole!.lid, "hi", {}, byNumber.jid)).toMatchObject({ mentions: [ole!.jid] })
  expect(await questions()).toBe(0)
})

describe("private ids that nobody has", () => {
  test("cost one question for their group, however many there are", async () => {
    const { mention, questions } = await inGroups()
    for (let n = 0; n < 10; n++) expect(await mention(madeUp(n))).toMatchObject({ mentions: [madeUp(n)] })
    expect(await questions()).toBe(1)
  })

  test("cost a few questions in a row, however many groups they are mentioned in", async () => {
    const { groups, mention, questions } = await inGroups({ count: 24 })
    for (const group of groups) await mention(madeUp(1), "hi", {}, group)
    expect(await questions()).toBe(20)
  }, 60_000)
})

test("a network that says nothing of a group keeps its messages back for a moment, and in their order", async () => {
  const { network, bridge, bob, cy, nia, phone, groups, device, message } = await inGroups({ count: 2 })
  await network.fault({ kind: "ignore_iq", device, xmlns: "w:g2" })
  const sent: string[] = []
  for (const group of [...groups, ...groups]) {
    sent.push(((await cy.post(group, mentioning(nia.lid, "hi"))) as { id: string }).id)
    sent.push((await bob.send(phone.number, "and I")).id)
  }
  await message(sent.at(-1)!)
  const messages = await eventsOfType(bridge.id, "message")
  expect(messages.map((event) => event.message_id)).toEqual(sent)
  expect(messages[0]).toMatchObject({ mentions: [nia.lid] })
  expect(await groupQuestions(network, device)).toBe(1)
})
