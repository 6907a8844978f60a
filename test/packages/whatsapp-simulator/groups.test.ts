import { afterAll, expect, test } from "vitest"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())
const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
const [client, other] = [await network.paired(ada), await network.paired(bob)]
const eve = await network.phone("Eve")

test.for(["lid", "pn"] as const)(
  "a group addressed by %s talks both ways with a Baileys client",
  async (mode) => {
    const { jid } = await network.group([bob, ada, eve], mode, "Lunch")
    expect(await client.sock.groupMetadata(jid)).toMatchObject({
      subject: "Lunch",
      addressingMode: mode,
      owner: mode === "lid" ? bob.lid : bob.jid,
      participants: [{ admin: "superadmin" }, { admin: null }, { admin: null }],
    })

    await bob.send(jid, `who is in by ${mode}?`)
    const { message } = await client.message(`who is in by ${mode}?`)
    expect(message.key).toMatchObject({
      remoteJid: jid,
      participant: mode === "lid" ? bob.lid : bob.jid,
      participantAlt: mode === "lid" ? bob.jid : bob.lid,
    })
    for (const text of ["I am", "and Eve too"]) await client.sock.sendMessage(jid, { text })
    for (const phone of [bob, eve, ada]) {
      const read = await phone.read({ chat: jid, from: ada.number, count: 2 })
      expect(read.map(({ text }) => text)).toEqual(["I am", "and Eve too"])
    }
    await eve.send(jid, `with cake, by ${mode}`)
    await client.message(`with cake, by ${mode}`)
  },
)

test("two Baileys clients talk in a group one of them made", async () => {
  const group = await client.sock.groupCreate("Ours", [bob.jid])
  await other.until("the new group", () =>
    other.messages.find(({ message }) => message.key.remoteJid === group.id),
  )
  for (let i = 0; i < 3; i++) {
    await client.sock.sendMessage(group.id, { text: `ping ${i}` })
    await other.message(`ping ${i}`)
    await other.sock.sendMessage(group.id, { text: `pong ${i}` })
    await client.message(`pong ${i}`)
  }
  expect(await bob.read({ chat: group.id, count: 6 })).toHaveLength(6)
})

test("members are added, promoted, removed; a former member reads nothing more and may not write", async () => {
  const group = await client.sock.groupCreate("Changing", [bob.jid])
  await client.sock.sendMessage(group.id, { text: "two of us" })
  await client.sock.groupParticipantsUpdate(group.id, [eve.jid], "add")
  await client.sock.groupParticipantsUpdate(group.id, [eve.jid], "promote")
  await client.sock.sendMessage(group.id, { text: "three of us" })
  expect(await eve.read({ chat: group.id })).toMatchObject([{ text: "three of us" }])

  await client.sock.groupParticipantsUpdate(group.id, [bob.jid], "remove")
  await client.sock.sendMessage(group.id, { text: "without Bob" })
  await eve.read({ text: "without Bob" })
  expect((await bob.read({ chat: group.id, text: "two of us" })).length).toBe(1)
  expect((await bob.read({ chat: group.id, count: 2 })).map(({ text }) => text)).not.toContain("without Bob")
  expect(await bob.send(group.id, "let me in")).toMatchObject({ error: "403" })
  expect((await client.sock.groupMetadata(group.id)).participants).toMatchObject([
    { admin: "superadmin" },
    { admin: "admin" },
  ])
})

test("a description that comes without an id gets one, which the next change must name", async () => {
  const { jid } = await network.group([bob, ada])
  const described = async (text: string, attrs: Record<string, string> = {}) => {
    const body = { tag: "body", attrs: {}, content: Buffer.from(text) }
    const content = [{ tag: "description", attrs, content: [body] }]
    await client.sock.query({ tag: "iq", attrs: { to: jid, xmlns: "w:g2", type: "set" }, content })
    return (await client.sock.groupMetadata(jid)).descId
  }
  const prev = await described("without an id")
  expect(prev).toBeTruthy()
  await expect(described("blind")).rejects.toThrow("conflict")
  const next = await described("seen", { prev: prev! })
  expect(next).not.toBe(prev)
  const gone = { tag: "description", attrs: { delete: "true", prev: next! } }
  await client.sock.query({ tag: "iq", attrs: { to: jid, xmlns: "w:g2", type: "set" }, content: [gone] })
  const told = await network.log({ kind: "out", attrs: { from: jid, type: "w:gp2" } })
  expect(told.at(-1)!.stanza!.content).toMatchObject([{ tag: "description", content: [{ tag: "delete" }] }])
})

test("subject, description and settings reach the members' clients", async () => {
  const { jid } = await network.group([bob, ada])
  const changes: unknown[] = []
  client.sock.ev.on("groups.update", (updates) => {
    changes.push(...updates.filter(({ id }) => id === jid))
    client.changed()
  })
  const path = `/groups/${jid}`
  await network.call("PATCH", path, { by: bob.number, subject: "Renamed" })
  await network.call("PATCH", path, { by: bob.number, description: "What for" })
  await network.call("PATCH", path, { by: bob.number, setting: "announcement" })
  await client.until("all changes", () => (changes.length >= 3 ? true : undefined))
  // Strict clients drop this news without a version.
  const told = await network.log({ kind: "out", who: deviceOf(client), attrs: { from: jid } })
  expect(JSON.stringify(told)).toMatch(/"announcement","attrs":{"prev_v_id":"\d+","v_id":"\d+"}/)
  expect(changes).toMatchObject([
    { id: jid, subject: "Renamed", author: bob.lid },
    { desc: "What for" },
    { announce: true },
  ])
  expect(await ada.send(jid, "not allowed")).toMatchObject({ error: "403" })
  await expect(client.sock.groupUpdateSubject(jid, "Mine")).resolves.toBeUndefined()
  await network.call("PATCH", path, { by: bob.number, setting: "locked" })
  await expect(client.sock.groupUpdateSubject(jid, "Mine again")).rejects.toThrow("not-authorized")
})

test("a stranger joins by the invite code and leaves again", async () => {
  const { id } = await client.sock.groupCreate("Open", [])
  const code = await client.sock.groupInviteCode(id)
  expect(await other.sock.groupGetInviteInfo(code!)).toMatchObject({ id, subject: "Open" })
  await expect(other.sock.groupMetadata(id)).rejects.toThrow("forbidden")
  expect(await other.sock.groupAcceptInvite(code!)).toBe(id)
  await other.sock.sendMessage(id, { text: "hello from outside" })
  await client.message("hello from outside")
  await other.sock.groupLeave(id)
  await expect(other.sock.groupMetadata(id)).rejects.toThrow("forbidden")
  expect(Object.keys(await client.sock.groupFetchAllParticipating())).toContain(id)
})

test("the author of a group message hears from each who has it, and who read it", async () => {
  const { id } = await client.sock.groupCreate("Receipts", [bob.jid])
  const receipts: { userJid?: string | null; readTimestamp?: unknown }[] = []
  client.sock.ev.on("message-receipt.update", (updates) => {
    receipts.push(...updates.filter(({ key }) => key.remoteJid === id).map(({ receipt }) => receipt))
    client.changed()
  })
  await client.sock.sendMessage(id, { text: "read me" })
  const { message } = await other.message("read me")
  await other.sock.readMessages([message.key])
  const ofBob = () => receipts.filter(({ userJid }) => userJid === bob.lid)
  await client.until("a read receipt", () => ofBob().find(({ readTimestamp }) => readTimestamp))
  expect(ofBob()[0]).not.toHaveProperty("readTimestamp")
})

test("a status reaches those it is shown to, and nobody else", async () => {
  const nobody = await network.phone()
  await client.sock.sendMessage("status@broadcast", { text: "my day" }, { statusJidList: [bob.jid, ada.jid] })
  expect(await bob.read({ chat: "status@broadcast" })).toMatchObject([{ text: "my day", from: ada.number }])
  const { id } = await bob.post("status@broadcast", { text: "mine too", viewers: [ada.number] })
  const [shown] = await network.log({ kind: "out", who: deviceOf(client), tag: "status", attrs: { id } })
  expect(shown?.stanza?.attrs).toMatchObject({ from: "status@broadcast", participant: bob.lid })
  await bob.send(nobody.number, "after it")
  await nobody.read({ text: "after it" })
  expect(await nobody.read()).toHaveLength(1)
})

test("a broadcast list reaches each of its people for itself, under the list's address", async () => {
  const list = "1700000000@broadcast"
  const { id } = await bob.post(list, { text: "to some of you", viewers: [ada.number, eve.number] })
  const { message } = await client.message("to some of you")
  expect(message.key).toMatchObject({ remoteJid: list, participant: bob.lid, fromMe: false })
  expect(message.broadcast).toBe(true)
  expect((await other.message("to some of you")).message.key).toMatchObject({ remoteJid: list, id })
  expect(await eve.read({ id })).toMatchObject([{ chat: list, from: bob.number }])
  const [sent] = await network.log({ kind: "in", who: `${ada.number}:1`, tag: "receipt", attrs: { id } })
  expect(sent?.stanza?.attrs).toMatchObject({ to: list, participant: bob.lid })
})

test("an admin revokes what another wrote: a phone's reaches clients, a client's reaches phones", async () => {
  const { jid } = await network.group([bob, ada])
  await network.call("PATCH", `/groups/${jid}`, { by: bob.number, promote: [ada.number] })

  const sent = await client.sock.sendMessage(jid, { text: "out of order" })
  const id = sent!.key.id!
  await bob.read({ id })
  await bob.post(jid, { revoke: { message_id: id } })
  const revoked = await client.until("the revocation", () =>
    client.statuses.find(({ key, update }) => key.id === id && update.message === null),
  )
  expect(revoked.key.remoteJid).toBe(jid)

  const { id: theirs } = await bob.send(jid, "so was I")
  const { message } = await client.message("so was I")
  await client.sock.sendMessage(jid, { delete: message.key })
  const [read] = await bob.read({ chat: jid, from: ada.number, kind: "protocolMessage" })
  expect(read?.content).toMatchObject({
    protocolMessage: { key: { id: theirs, fromMe: false, participant: bob.lid } },
  })
  for (const [kind, of] of [
    ["out", id],
    ["in", theirs],
  ] as const) {
    const marks = await network.log({ kind, who: `${ada.number}:1`, tag: "message", attrs: { edit: "8" } })
    expect(marks, `the revocation of ${of}`).toHaveLength(1)
  }
})

test("who is no admin revokes nothing of another's, in a group or a chat", async () => {
  const { jid } = await network.group([bob, eve, ada])
  for (const [chat, to] of [
    [jid, jid],
    [bob.number, eve.number],
  ] as const) {
    const { id } = await bob.send(to, "mine")
    await eve.read({ id })
    expect(await eve.post(chat, { revoke: { message_id: id } })).toMatchObject({ error: "403" })
    expect(await bob.post(to, { revoke: { message_id: id } })).not.toHaveProperty("error")
  }
})

/** The outcome of each person, by what a client's question about members was answered. */
const outcomes = async (answer: Promise<{ status: string }[]>) => (await answer).map(({ status }) => status)

test("each person has a code of their own, and who may not be added is invited, and they alone get in", async () => {
  const shy = await network.phone()
  const [guest, hers] = [await network.paired(shy), await network.paired(eve)]
  await network.control.change(shy.number, { privacy: { groupadd: "none" } })
  const { id } = await client.sock.groupCreate("Codes", [bob.jid])
  const change = (people: string[], how: "add" | "remove" | "promote" | "demote") =>
    client.sock.groupParticipantsUpdate(id, people, how)
  await network.call("PATCH", `/groups/${id}`, { by: bob.number, leave: true })
  const added = await change([bob.jid, shy.jid, "4900000001@s.whatsapp.net", eve.jid], "add")
  expect(added.map(({ status }) => status)).toEqual(["408", "403", "404", "200"])
  expect(await outcomes(change([eve.jid], "add"))).toEqual(["409"])
  expect(await outcomes(change([bob.jid], "promote"))).toEqual(["404"])
  expect(await outcomes(change([eve.jid], "promote"))).toEqual(["200"])
  const overthrow = hers.sock.groupParticipantsUpdate(id, [ada.jid], "demote")
  expect(await outcomes(overthrow)).toEqual(["405"])

  const request = added[1]!.content.content as { attrs: Record<string, string> }[]
  const { code, expiration } = request[0]!.attrs
  const invitation = { groupJid: id, inviteCode: code!, inviteExpiration: Number(expiration) }
  const accept = (by: typeof guest) => by.sock.groupAcceptInviteV4(ada.lid, invitation)
  await client.sock.groupParticipantsUpdate(id, [eve.jid], "remove")
  await expect(accept(hers)).rejects.toThrow("gone")
  await accept(guest)
  await expect(accept(guest)).rejects.toThrow("gone")
  expect((await guest.sock.groupMetadata(id)).participants).toHaveLength(2)
})

test("a link is refused to a person who was removed, to members, and once it was revoked", async () => {
  const { id } = await client.sock.groupCreate("Links", [])
  const code = (await client.sock.groupInviteCode(id))!
  expect((await other.sock.groupGetInviteInfo(code)).participants).toEqual([])
  await other.sock.groupAcceptInvite(code)
  await expect(other.sock.groupAcceptInvite(code)).rejects.toThrow("conflict")
  await expect(other.sock.groupInviteCode(id)).rejects.toThrow("not-authorized")
  await client.sock.groupParticipantsUpdate(id, [bob.jid], "remove")
  await expect(other.sock.groupAcceptInvite(code)).rejects.toThrow("not-authorized")
  await expect(other.sock.groupInviteCode(id)).rejects.toThrow("forbidden")
  await client.sock.groupRevokeInvite(id)
  await expect(other.sock.groupGetInviteInfo(code)).rejects.toThrow("gone")
  await expect(other.sock.groupGetInviteInfo("AbCdEfGhIjKlMnOpQrStUv")).rejects.toThrow("not-acceptable")
})

test("admins are told who asks to join and who was turned away, and a topic is not changed unseen", async () => {
  const { id } = await client.sock.groupCreate("Closed", [])
  await client.sock.groupJoinApprovalMode(id, "on")
  const ask = async () => {
    await other.sock.groupAcceptInvite((await client.sock.groupInviteCode(id))!)
    expect(await client.sock.groupRequestParticipantsList(id)).toMatchObject([{ jid: bob.lid }])
  }
  await ask()
  await client.sock.groupRequestParticipantsUpdate(id, [bob.lid], "reject")
  await ask()
  await client.sock.groupRequestParticipantsUpdate(id, [bob.lid], "approve")
  expect(await outcomes(client.sock.groupRequestParticipantsUpdate(id, [bob.lid], "approve"))).toEqual([
    "404",
  ])
  expect((await other.sock.groupMetadata(id)).participants).toHaveLength(2)
  const told = await network.log({
    who: deviceOf(client),
    kind: "out",
    tag: "notification",
    attrs: { from: id },
  })
  const tags = told.flatMap(({ stanza }) => (stanza!.content as { tag: string }[]).map(({ tag }) => tag))
  expect(tags).toEqual([
    "create",
    "membership_approval_mode",
    "created_membership_requests",
    "revoked_membership_requests",
    "created_membership_requests",
    "add",
  ])
  await client.sock.groupUpdateDescription(id, "first")
  const body = [{ tag: "body", attrs: {}, content: Buffer.from("unseen") }]
  const blind = client.sock.query({
    tag: "iq",
    attrs: { to: id, xmlns: "w:g2", type: "set" },
    content: [{ tag: "description", attrs: { id: "D1" }, content: body }],
  })
  await expect(blind).rejects.toThrow("conflict")
})
