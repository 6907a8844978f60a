import "#test/support/store.ts"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { expect, onTestFinished, test, vi } from "vitest"
import { newMessageId } from "#core/message/message-id.ts"
import { call, sendText } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"

const { aChat } = await aSharedHost({ timing: { beatMs: 1000 } })

/** A session, Bob and Eve, and what the network says of a group. */
async function aCircle() {
  const chat = await aChat()
  const eve = await chat.network.phone("Eve")
  const { network, bob, phone, bridge } = chat
  /** What a command answers, compared by the caller. */
  const answerOf = async <Answer>(method: string, path: string, body?: object) =>
    (await (await call(bridge.id, method, path, { body })).json()) as Answer
  return {
    ...chat,
    eve,
    /** A group of Bob's, with the session in it. */
    bobs: async (subject = "Bob's", ...more: { number: string }[]) =>
      (await network.group([bob, phone, ...more], "lid", subject)).jid,
    /** A group of the session's own. */
    own: async (...members: { number: string }[]) => {
      const body = { name: "Ours", members: members.map(({ number }) => number) }
      return (await answerOf<{ group: { jid: string } }>("POST", "/groups", body)).group.jid
    },
    answerOf,
    change: (jid: string, body: object) =>
      network.call("PATCH", `/groups/${jid}`, { by: bob.number, ...body }),
    known: async (jid: string) => (await network.control.groups()).find((group) => group.jid === jid)!,
    named: async (subject: string) =>
      (await network.control.groups()).filter((group) => group.subject === subject),
    /** A call under an id that was used before. */
    retry: async (id: string, body: object) => {
      const answer = await call(bridge.id, "POST", "/groups", { body, messageId: id })
      // Compared by the caller.
      const said = (await answer.json()) as { code?: string; group?: { jid: string } }
      return { status: answer.status, repeated: answer.headers.get("x-send-repeated"), ...said }
    },
  }
}

/** Most tests have groups of their own in this one. */
const { ask, answerOf, own, bobs, change, known, named, retry, bob, eve, phone, network, bridge, message } =
  await aCircle()

/** How many questions about groups, or changes of them, the network has heard. */
const asked = async (type?: "set") =>
  (
    await network.log({
      who: `${phone.number}:1`,
      kind: "in",
      tag: "iq",
      attrs: { xmlns: "w:g2", ...(type && { type }) },
    })
  ).length

test("a list has every group by JID in pages, without members, and the account's own role", async () => {
  const { ask, answerOf, own, bobs, bob } = await aCircle()
  const jids = [await own(bob), await bobs(), await bobs("Third")].toSorted()
  const list = (query = "") => answerOf<{ jid: string }[]>("GET", `/groups${query}`)
  const all = await list()
  expect(all.map(({ jid }) => jid)).toEqual(jids)
  expect(all).toContainEqual(expect.objectContaining({ name: "Ours", role: "owner", participants: 2 }))
  expect(all).toContainEqual(expect.objectContaining({ name: "Third", role: "member", owner: bob.jid }))
  expect(all[0]).not.toHaveProperty("members")
  expect(await list("?limit=2")).toMatchObject(jids.slice(0, 2).map((jid) => ({ jid })))
  expect(await list(`?limit=2&after=${jids[1]!}`)).toMatchObject([{ jid: jids[2] }])
  expect(await ask("GET", "/groups?limit=251")).toMatchObject({ status: 400, code: "invalid_request" })
})

/** Creates a group. @returns how the network was asked for it */
async function askedFor(body: object): Promise<BinaryNode> {
  await ask("POST", "/groups", body)
  const all = await network.log({ who: `${phone.number}:1`, kind: "in", attrs: { xmlns: "w:g2" } })
  return all
    .map(({ stanza }) => (stanza!.content as BinaryNode[])[0]!)
    .findLast(({ tag }) => tag === "create")!
}

test("a group is asked for as WhatsApp Web asks for one", async () => {
  const plain = await askedFor({ name: "As on the web", members: [bob.number] })
  expect(plain.attrs).toEqual({ subject: "As on the web" })
  expect(plain.content).toEqual([
    expect.objectContaining({ tag: "participant", attrs: { jid: bob.lid, phone_number: bob.jid } }),
    { tag: "member_add_mode", attrs: {}, content: "all_member_add".length },
    expect.objectContaining({
      tag: "membership_approval_mode",
      content: [expect.objectContaining({ tag: "group_join", attrs: { state: "off" } })],
    }),
    expect.objectContaining({ tag: "ephemeral", attrs: { expiration: "0" } }),
    { tag: "member_share_group_history_mode", attrs: {}, content: "admin_share".length },
  ])
  const timed = await askedFor({ name: "Timed", disappearing: 86_400 })
  expect(timed.content).toContainEqual(
    expect.objectContaining({ tag: "ephemeral", attrs: { expiration: "86400", trigger: "1" } }),
  )
})

test("pages after the first ask the network nothing", async () => {
  await own()
  await ask("GET", "/groups?limit=1")
  const before = await asked()
  await ask("GET", "/groups?limit=1&after=1@g.us")
  expect(await asked()).toBe(before)
})

test("a group is created with its members and settings at once, and phones write in it", async () => {
  const made = await ask("POST", "/groups", {
    name: "Lunch",
    topic: "Where to?",
    members: [bob.number, `+${eve.number}`, bob.jid],
    write: "all",
    edit: "admins",
    add_members: "admins",
    approval: true,
    disappearing: 86_400,
  })
  const card = {
    name: "Lunch",
    topic: "Where to?",
    participants: 3,
    role: "owner",
    write: "all",
    edit: "admins",
    add_members: "admins",
    approval: true,
    disappearing: 86_400,
  }
  expect(made).toMatchObject({
    status: 200,
    group: card,
    members: [
      { jid: bob.jid, phone: bob.number, outcome: "added" },
      { jid: eve.jid, phone: eve.number, outcome: "added" },
    ],
  })
  const [group] = await named("Lunch")
  const jid = group!.jid
  expect(await answerOf<object[]>("GET", "/groups")).toContainEqual(expect.objectContaining({ jid }))
  expect(await ask("GET", `/groups/${jid}`)).toMatchObject({ ...card, members: [{ role: "owner" }, {}, {}] })
  expect((await known(jid)).members).toHaveLength(3)
  await bob.send(jid, "The usual place")
  expect(await eve.read({ chat: jid })).toMatchObject([{ text: "The usual place" }])
  await network.control.settled(`${bob.number}:0`, 5000)
})

test("under one id one group is created, whatever the retry asks for", async () => {
  const id = newMessageId()
  const first = await retry(id, { name: "Once", members: [bob.number] })
  expect(first).toMatchObject({ status: 200, repeated: null })
  const again = await retry(id, { name: "Another" })
  expect(again).toMatchObject({ repeated: "true", group: first.group, members: [{ outcome: "added" }] })
  expect(await named("Once")).toHaveLength(1)
  expect(await named("Another")).toHaveLength(0)
})

test("a retry while the first call still asks about its members creates no second group", async () => {
  const { network, phone, retry, named, bob } = await aCircle()
  const device = `${phone.number}:1`
  const [id, wanted] = [newMessageId(), { name: "Twice", members: [bob.number] }]
  const release = await network.fault({ kind: "hold", device })
  const first = retry(id, wanted)
  await network.log({ who: device, kind: "in", tag: "iq", attrs: { xmlns: "usync" } })
  // The caller has lost the connection, and asks again.
  const again = retry(id, wanted)
  expect(await again).toMatchObject({ status: 409, code: "idempotency_conflict" })
  await release()
  expect(await first).toMatchObject({ status: 200, repeated: null })
  expect(await retry(id, wanted)).toMatchObject({ status: 200, repeated: "true" })
  expect(await named("Twice")).toHaveLength(1)
})

test("a retry that is refused does not free the key of a group that may be there", async () => {
  const { network, phone, retry, named, end, ask } = await aCircle()
  const device = `${phone.number}:1`
  const [id, wanted, known] = [newMessageId(), { name: "Lost" }, newMessageId()]
  const hold = await network.fault({ kind: "hold", device })
  const first = retry(id, wanted)
  await network.log({ who: device, kind: "in", tag: "iq", attrs: { xmlns: "w:g2", type: "set" } })
  await end("cut")
  await hold()
  expect(await first).toMatchObject({ status: 504 })
  expect(await retry(known, { name: "Known" })).toMatchObject({ status: 200 })

  const isOpen = { status: 504, code: "send_outcome_unknown" }
  const refuses = await network.fault({ kind: "refuse_iq", device, xmlns: "w:g2", code: 429 })
  expect(await retry(id, wanted)).toMatchObject(isOpen)
  await refuses()
  expect(await retry(id, { ...wanted, members: ["4900000001"] })).toMatchObject(isOpen)
  await ask("DELETE", "/logout")
  expect(await retry(id, wanted)).toMatchObject(isOpen)
  // What is known needs no phone.
  expect(await retry(known, { name: "Known" })).toMatchObject({ status: 200, repeated: "true" })
  expect(await named("Lost")).toHaveLength(1)
})

const isNetwork = () => new Error().stack!.includes("/simulator/clock.ts")

/** The clock of all but the network is ten minutes ahead. */
function clockOfHostsAhead(): void {
  const real = Date.now
  const spied = vi.spyOn(Date, "now").mockImplementation(() => real() + (isNetwork() ? 0 : 600_000))
  onTestFinished(() => spied.mockRestore())
}

test.for([true, false])(
  "a group question that the network leaves open leaves the outcome open (made: %s); a retry finds it",
  async (isMade) => {
    const { network, phone, retry, named, end } = await aCircle()
    clockOfHostsAhead()
    const device = `${phone.number}:1`
    const subject = `Open ${String(isMade)}`
    const fault = isMade
      ? await network.fault({ kind: "hold", device })
      : await network.fault({ kind: "ignore_iq", device, xmlns: "w:g2", times: 1 })
    const id = newMessageId()
    const first = retry(id, { name: subject })
    await network.log({ who: device, kind: "in", tag: "iq", attrs: { xmlns: "w:g2", type: "set" } })
    // The answer is lost with the connection.
    await end("cut")
    await fault()
    expect(await first).toMatchObject({ status: 504, code: "send_outcome_unknown" })
    expect(await retry(id, { name: subject })).toMatchObject({
      status: 200,
      repeated: isMade ? "true" : null,
      group: { name: subject, participants: 1, role: "owner" },
    })
    expect(await named(subject)).toHaveLength(1)
  },
)

test("people not on the network, the account itself, and too many are refused, and nothing changes", async () => {
  const create = (body: object) => ask("POST", "/groups", { name: "Never", ...body })
  expect(await create({ members: [bob.number, "4900000001"] })).toMatchObject({
    status: 422,
    code: "recipient_not_found",
    error: expect.stringContaining("4900000001"),
  })
  expect(await create({ members: [phone.number] })).toMatchObject({ status: 400, code: "invalid_request" })
  const many = Array.from({ length: 1024 }, (_, n) => `49151${String(n).padStart(6, "0")}`)
  expect(await create({ members: many })).toMatchObject({ status: 400, code: "invalid_request" })
  for (const name of ["", "   ", "x".repeat(101)])
    expect(await ask("POST", "/groups", { name })).toMatchObject({ status: 400, code: "invalid_request" })
  expect(await named("Never")).toEqual([])
  const jid = await own()
  expect(await ask("POST", `/groups/${jid}/members/add`, { members: [...many, bob.number] })).toMatchObject({
    status: 400,
  })
  expect(
    await ask("POST", `/groups/${jid}/members/add`, { members: [bob.number, "4900000001"] }),
  ).toMatchObject({ status: 422 })
  expect((await known(jid)).members).toHaveLength(1)
})

test("members are added, promoted, demoted and removed, each with an outcome", async () => {
  const [blocking, private_, left] = [await network.phone(), await network.phone(), await network.phone()]
  await network.control.change(blocking.number, { block: phone.number })
  await network.control.change(private_.number, { privacy: { groupadd: "none" } })
  const jid = await own(bob, left)
  await network.call("PATCH", `/groups/${jid}`, { by: left.number, leave: true })
  const members = [eve, blocking, private_, left, bob].map(({ number }) => number)
  expect(await answerOf("POST", `/groups/${jid}/members/add`, { members })).toMatchObject([
    { jid: eve.jid, phone: eve.number, outcome: "added" },
    { jid: blocking.jid, outcome: "refused", reason: "blocked", network_code: 401 },
    { jid: private_.jid, outcome: "refused", reason: "privacy", network_code: 403 },
    { jid: left.jid, outcome: "refused", reason: "recently_left" },
    { jid: bob.jid, outcome: "refused", reason: "already" },
  ])
  const one = async (verb: string, who: { number: string }) =>
    (await answerOf<object[]>("POST", `/groups/${jid}/members/${verb}`, { members: [who.number] }))[0]
  expect(await one("promote", bob)).toMatchObject({ outcome: "promoted" })
  // An admin, but not who made the group.
  await expect(change(jid, { remove: [phone.number] })).resolves.toBeDefined()
  expect((await known(jid)).members).toHaveLength(3)
  expect(await one("demote", bob)).toMatchObject({ outcome: "demoted" })
  expect(await one("remove", eve)).toMatchObject({ outcome: "removed" })
  expect(await one("remove", eve)).toMatchObject({ outcome: "refused", reason: "not_found" })
  expect((await known(jid)).members.map(({ number }) => number)).toEqual([phone.number, bob.number])
})

test("a member whom the network finds no more by number is changed by the JID that the group shows", async () => {
  const fay = await network.phone("Fay")
  const jid = await own(fay)
  await network.control.change(fay.number, { username: "fay.w" })
  expect(await ask("GET", `/groups/${jid}`)).toMatchObject({ members: [{}, { jid: fay.jid }] })
  for (const [verb, outcome] of [
    ["promote", "promoted"],
    ["remove", "removed"],
  ])
    expect(await answerOf("POST", `/groups/${jid}/members/${verb}`, { members: [fay.jid] })).toMatchObject([
      { jid: fay.jid, phone: fay.number, outcome },
    ])
  expect((await known(jid)).members).toHaveLength(1)
})

test("a person who may not be added is invited by a message, and joins by that", async () => {
  const shy = await network.phone("Shy")
  await network.control.change(shy.number, { privacy: { groupadd: "contacts" } })
  const jid = await own()
  const invited = await ask("POST", `/groups/${jid}/members/add`, { members: [shy.number], invite: true })
  expect(invited).toMatchObject({ 0: { jid: shy.jid, outcome: "invited", reason: "privacy" } })
  const [read] = await shy.read({ kind: "groupInviteMessage" })
  const { groupInviteMessage } = read!.content as { groupInviteMessage: { inviteCode: string } }
  expect(groupInviteMessage).toMatchObject({ groupJid: jid, groupName: "Ours" })
  const accept = { code: groupInviteMessage.inviteCode, admin: phone.number }
  await network.call("PATCH", `/groups/${jid}`, { by: shy.number, accept })
  expect((await known(jid)).members.map(({ number }) => number)).toContain(shy.number)
})

test("a retry invites no one a second time, also while the answer to the first invitation is missing", async () => {
  const { network, phone, bridge, own, ask } = await aCircle()
  const shy = await network.phone("Shy")
  await network.control.change(shy.number, { privacy: { groupadd: "contacts" } })
  const jid = await own()
  const messageId = newMessageId()
  const add = async () => {
    const body = { members: [shy.number], invite: true }
    const answer = await call(bridge.id, "POST", `/groups/${jid}/members/add`, { body, messageId })
    return { status: answer.status, said: await answer.json() }
  }
  const invited = { status: 200, said: [{ jid: shy.jid, outcome: "invited" }] }
  const device = `${phone.number}:1`
  const release = await network.fault({ kind: "lose_acks", device })
  expect(await add()).toMatchObject({ status: 504, said: { code: "send_outcome_unknown" } })
  await release()
  // A refusal of the retry does not free the key.
  const refuses = await network.fault({ kind: "refuse_iq", device, xmlns: "w:g2", code: 401 })
  expect(await add()).toMatchObject({ status: 504, said: { code: "send_outcome_unknown" } })
  await refuses()
  expect(await add()).toMatchObject(invited)
  expect(await add()).toMatchObject(invited)
  // Behind all that was sent to this phone before.
  await ask("POST", "/send/text", { chat: shy.number, body: "the last one" })
  await shy.read({ text: "the last one" })
  expect(await shy.read({ kind: "groupInviteMessage" })).toHaveLength(1)
})

test("a member who is removed gets no more messages, and those who stay get another sender key", async () => {
  const jid = await own(bob, eve)
  const say = async (body: string) => (await ask("POST", "/send/text", { chat: jid, body })).message_id
  await say("for both")
  await eve.read({ text: "for both" })
  const second = await say("once more")
  await ask("POST", `/groups/${jid}/members/remove`, { members: [eve.number] })
  const third = await say("without Eve")
  expect(await bob.read({ text: "without Eve" })).toMatchObject([{ times: 1 }])
  expect(await eve.read({ chat: jid, count: 2 })).toHaveLength(2)
  const given = async (id: string) => {
    const [sent] = await network.log({ who: `${phone.number}:1`, kind: "in", tag: "message", attrs: { id } })
    return JSON.stringify(sent?.stanza).match(/"tag":"to","attrs":{"jid":"[^"]+/g) ?? []
  }
  expect(await given(second)).toEqual([])
  expect((await given(third)).some((to) => to.includes(bob.lid))).toBe(true)
  expect((await given(third)).some((to) => to.includes(eve.lid))).toBe(false)
  expect(await network.control.phone(bob.number)).toMatchObject({
    not_decrypted: { no_session: 0, bad: 0 },
  })
})

test("name, topic and settings are changed, and what is so already is not set again", async () => {
  const jid = await own(bob)
  const changed = {
    name: "Renamed",
    topic: "What for",
    write: "admins",
    edit: "admins",
    add_members: "admins",
  }
  const more = { approval: true, disappearing: 604_800 }
  expect(await ask("PATCH", `/groups/${jid}`, { ...changed, ...more })).toMatchObject({
    status: 200,
    jid,
    ...changed,
    ...more,
  })
  expect(await known(jid)).toMatchObject({ subject: "Renamed" })
  expect(await bob.send(jid, "may I?")).toMatchObject({ error: "403" })
  const before = await asked("set")
  expect(await ask("PATCH", `/groups/${jid}`, { ...changed, topic: "" })).toMatchObject({ topic: "" })
  expect(await asked("set")).toBe(before + 1)
  const back = { write: "all", edit: "all", add_members: "all", approval: false, disappearing: 0 }
  expect(await ask("PATCH", `/groups/${jid}`, back)).toMatchObject({ status: 200, ...back })
  expect(await ask("GET", `/groups/${jid}`)).toMatchObject({ name: "Renamed", topic: "", ...back })
})

test("a member may change what members may, and is told what needs an admin before anything is changed", async () => {
  const jid = await bobs("Bob's", eve)
  expect(await ask("PATCH", `/groups/${jid}`, { name: "By a member" })).toMatchObject({ status: 200 })
  expect(await ask("PATCH", `/groups/${jid}`, { name: "Half", write: "admins" })).toMatchObject({
    status: 403,
    code: "not_admin",
  })
  await change(jid, { setting: "locked" })
  expect(await ask("PATCH", `/groups/${jid}`, { name: "Half" })).toMatchObject({ code: "not_admin" })
  expect(await known(jid)).toMatchObject({ subject: "By a member" })
  for (const verb of ["remove", "promote", "demote"])
    expect(await ask("POST", `/groups/${jid}/members/${verb}`, { members: [eve.number] })).toMatchObject({
      status: 403,
      code: "not_admin",
    })
  expect(await ask("DELETE", `/groups/${jid}/avatar`)).toMatchObject({ status: 403, code: "not_admin" })
  await change(jid, { promote: [(await known(jid)).members[1]!.number] })
  expect(await ask("POST", `/groups/${jid}/members/remove`, { members: [bob.number] })).toMatchObject({
    0: { outcome: "refused", reason: "not_allowed" },
  })
})

test("a group that the account is not in, or has left, is not found", async () => {
  const left = await bobs()
  expect(await ask("POST", `/groups/${left}/leave`)).toMatchObject({ status: 200, ok: true })
  const { jid: others } = await network.group([bob, eve])
  for (const jid of [left, others, "120363000000009999@g.us"])
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { name: "Mine" }],
      ["POST", "/leave", undefined],
      ["POST", "/members/add", { members: [eve.number] }],
      ["DELETE", "/avatar", undefined],
    ] as const)
      expect(await ask(method, `/groups/${jid}${path}`, body)).toMatchObject({
        status: 404,
        code: "not_found",
      })
  expect(await ask("GET", `/groups/${bob.jid}`)).toMatchObject({ status: 400 })
})

test("a group that was refused can be written to as soon as the account is in it", async () => {
  const refused = { status: 422, code: "recipient_not_found" }
  const { jid } = await network.group([bob, eve], "lid", "Joined later")
  const { jid: other } = await network.group([bob, eve], "lid", "Added later")
  for (const chat of [jid, other]) expect(await sendText(bridge.id, chat, "too early")).toMatchObject(refused)
  const before = await asked()
  expect(await sendText(bridge.id, jid, "still too early")).toMatchObject(refused)
  expect(await asked()).toBe(before)

  const link = `https://chat.whatsapp.com/${(await known(jid)).invite}`
  expect(await ask("POST", "/groups/join", { link })).toMatchObject({ joined: true })
  expect(await sendText(bridge.id, jid, "joined")).toMatchObject({ status: 200 })
  await change(other, { add: [phone.number] })
  await message((await bob.send(other, "welcome")).id)
  expect(await sendText(bridge.id, other, "added")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "added" })).toHaveLength(1)
})

test.each(["left", "lost"])(
  "nothing can be sent to a group that was %s, and the refusal is definite",
  async (how) => {
    const jid = await bobs()
    const { message_id: id } = await ask("POST", "/send/text", { chat: jid, body: "while in it" })
    if (how === "left") await ask("POST", `/groups/${jid}/leave`)
    else {
      await change(jid, { remove: [phone.number] })
      // It comes after the news of the removal.
      await message((await bob.send(phone.number, "removed")).id)
    }
    for (const [method, path, body] of [
      ["POST", "/send/text", { chat: jid, body: "too late" }],
      ["POST", "/send/typing", { chat: jid, state: "composing" }],
      ["POST", "/send/reaction", { message_id: id, emoji: "👍" }],
      ["PATCH", `/messages/${id}/edit`, { body: "changed" }],
      ["DELETE", `/messages/${id}`, undefined],
      ["POST", `/messages/${id}/pin`, {}],
    ] as const)
      expect([path, await ask(method, path, body)]).toMatchObject([
        path,
        { status: 422, code: "recipient_not_found", error: expect.stringContaining("not in it") },
      ])
  },
)

test("a link is looked at and joined, and leads nowhere once it was revoked", async () => {
  const { jid } = await network.group([bob, eve], "lid", "Open house")
  const { invite } = await known(jid)
  const link = `https://chat.whatsapp.com/${invite}?mode=ems_copy_t`
  const look = (of: string) => ask("GET", `/groups/invite?link=${encodeURIComponent(of)}`)
  expect(await look(link)).toMatchObject({ status: 200, jid, name: "Open house", participants: 2, role: "" })
  expect((await known(jid)).members).toHaveLength(2)
  for (let i = 0; i < 2; i++)
    expect(await ask("POST", "/groups/join", { link })).toMatchObject({ status: 200, jid, joined: true })
  expect((await known(jid)).members).toHaveLength(3)

  await change(jid, { revoke_invite: true })
  for (const said of [await look(link), await ask("POST", "/groups/join", { link })])
    expect(said).toMatchObject({ status: 410, code: "invite_revoked" })
  const unknown = "AbCdEfGhIjKlMnOpQrStUv"
  for (const said of [await look(unknown), await ask("POST", "/groups/join", { link: unknown })])
    expect(said).toMatchObject({ status: 404, code: "not_found" })
  for (const odd of ["", "https://example.org/AbCdEfGhIjKlMnOpQrStUv", "https://chat.whatsapp.com/"])
    expect(await look(odd)).toMatchObject({ status: 400, code: "invalid_request" })

  await change(jid, { remove: [phone.number] })
  const renewed = (await known(jid)).invite
  expect(await ask("POST", "/groups/join", { link: renewed })).toMatchObject({
    status: 403,
    code: "join_refused",
  })

  const ours = await own()
  const { link: first } = await answerOf<{ link: string }>("GET", `/groups/${ours}/invite`)
  expect(first).toBe(`https://chat.whatsapp.com/${(await known(ours)).invite}`)
  const second = await answerOf<{ link: string }>("POST", `/groups/${ours}/invite/revoke`)
  expect(second.link).toBe(`https://chat.whatsapp.com/${(await known(ours)).invite}`)
  expect(second.link).not.toBe(first)
  const theirs = await bobs()
  expect(await ask("GET", `/groups/${theirs}/invite`)).toMatchObject({ status: 403, code: "not_admin" })
  expect(await ask("POST", `/groups/${theirs}/invite/revoke`)).toMatchObject({
    status: 403,
    code: "not_admin",
  })
  expect(await ask("GET", `/groups/${jid}/invite`)).toMatchObject({ status: 404, code: "not_found" })
})

test("where admins decide, people ask to join, and are let in or turned away", async () => {
  const jid = await own()
  await ask("PATCH", `/groups/${jid}`, { approval: true })
  const { invite } = await known(jid)
  for (const { number } of [bob, eve])
    await network.call("PATCH", `/groups/${jid}`, { by: number, join: invite })
  const requests = () => answerOf<object[]>("GET", `/groups/${jid}/requests`)
  expect(await requests()).toMatchObject([
    { jid: bob.jid, phone: bob.number, requested_at: expect.any(Number) },
    { jid: eve.jid, phone: eve.number },
  ])
  const decide = (how: string, ...who: { number: string }[]) =>
    answerOf<object[]>("POST", `/groups/${jid}/requests/${how}`, { members: who.map(({ number }) => number) })
  expect(await decide("approve", bob)).toMatchObject([{ jid: bob.jid, outcome: "approved" }])
  expect(await decide("reject", eve, bob)).toMatchObject([
    { jid: eve.jid, outcome: "rejected" },
    { jid: bob.jid, outcome: "refused", reason: "not_found" },
  ])
  expect(await requests()).toEqual([])
  expect((await known(jid)).members.map(({ number }) => number)).toContain(bob.number)
  expect((await known(jid)).members.map(({ number }) => number)).not.toContain(eve.number)
})

test("the account asks to join where admins decide, and only they see who asks", async () => {
  const { jid } = await network.group([bob, eve], "lid", "Closed")
  await change(jid, { approval: true })
  const { invite: link } = await known(jid)
  expect(await ask("POST", "/groups/join", { link })).toMatchObject({ status: 200, jid, joined: false })
  expect(await ask("GET", `/groups/${jid}/requests`)).toMatchObject({ status: 404, code: "not_found" })
  await change(jid, { approve: [phone.number] })
  expect(await ask("GET", `/groups/${jid}`)).toMatchObject({ status: 200, approval: true, role: "member" })
  const theirs = await bobs()
  expect(await ask("GET", `/groups/${theirs}/requests`)).toMatchObject({ status: 403, code: "not_admin" })
})

test("an admin of a group revokes what another member wrote; a plain member may not", async () => {
  const jid = await bobs("Revocations", eve)
  const { id } = await eve.send(jid, "out of order")
  await message(id)
  const path = `/messages/${id}`
  expect(await ask("DELETE", path)).toMatchObject({ status: 409, code: "not_own_message" })

  await change(jid, { promote: [phone.number] })
  const revoked = await ask("DELETE", path)
  expect(revoked).toMatchObject({ status: 200, chat_id: jid })
  const [read] = await eve.read({ id: revoked.message_id })
  expect(read?.content).toMatchObject({
    protocolMessage: { key: { id, remoteJid: jid, fromMe: false, participant: eve.lid } },
  })
  const who = `${phone.number}:1`
  const [sent] = await network.log({
    who,
    kind: "in",
    tag: "message",
    attrs: { id: revoked.message_id },
  })
  expect(sent?.stanza?.attrs).toMatchObject({ edit: "8", to: jid })
  // Not even an admin changes another's words.
  expect(await ask("PATCH", `${path}/edit`, { body: "better" })).toMatchObject({ code: "not_own_message" })

  const { id: theirs } = await eve.send(phone.number, "between us")
  await message(theirs)
  const refused = await ask("DELETE", `/messages/${theirs}`)
  expect(refused).toMatchObject({ status: 409, code: "not_own_message" })

  await change(jid, { remove: [phone.number] })
  expect(await ask("DELETE", path)).toMatchObject({ status: 404, code: "not_found" })
})
