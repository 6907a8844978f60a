import type { Contact, PresenceData, WACallEvent } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import { isShown } from "#simulator/network/profiles.ts"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const { ada, bob, client, device } = await network.chat()
const change = (body: object, { number } = bob) => network.call("PATCH", `/phones/${number}`, body)

type Client = typeof client

function presences(client: Client) {
  const seen: [string, PresenceData][] = []
  client.sock.ev.on("presence.update", (update) => {
    for (const presence of Object.values(update.presences)) seen.push([update.id, presence])
    client.changed()
  })
  return {
    seen,
    until: (wanted: string) =>
      client.until(`presence ${wanted}`, () => seen.find(([, one]) => one.lastKnownPresence === wanted)),
  }
}

test("a subscriber sees a person come and go, until the subscription lapses", async () => {
  const { seen, until } = presences(client)
  await change({ available: true })
  await client.sock.presenceSubscribe(bob.jid)
  expect(await until("available")).toMatchObject([bob.jid, {}])
  await change({ available: false })
  const [, gone] = await until("unavailable")
  expect(gone.lastSeen).toBeGreaterThan(1_700_000_000)

  await network.call("DELETE", "/presence/subscriptions")
  await change({ available: true })
  await client.sock.presenceSubscribe(bob.lid)
  await client.until("the answer to the second", () => seen.find(([id]) => id === bob.lid))
  expect(seen).toHaveLength(3)
})

test("a last seen that is hidden is not told", async () => {
  const { bob, client } = await network.chat()
  const { until } = presences(client)
  await change({ available: true }, bob)
  await change({ available: false, privacy: { last: "none" } }, bob)
  await client.sock.presenceSubscribe(bob.jid)
  expect((await until("unavailable"))[1].lastSeen).toBeUndefined()
})

test("writing and recording show both ways", async () => {
  const { until } = presences(client)
  const typing = (state: string) =>
    network.call("POST", `/phones/${bob.number}/typing`, { to: ada.number, state })
  await typing("composing")
  expect(await until("composing")).toMatchObject([bob.lid, {}])
  await typing("recording")
  await until("recording")
  await client.sock.sendPresenceUpdate("recording", bob.jid)
  const [state] = await network.log({ kind: "in", who: device, tag: "chatstate" })
  expect(state?.stanza).toMatchObject({ content: [{ tag: "composing", attrs: { media: "audio" } }] })
})

function calls(client: Client) {
  const seen: WACallEvent[] = []
  client.sock.ev.on("call", (events) => {
    seen.push(...events)
    client.changed()
  })
  return (id: string, status: string) =>
    client.until(`call ${status}`, () => seen.find((one) => one.id === id && one.status === status))
}

test.for([
  ["terminate", "timeout", "timeout"],
  ["terminate", undefined, "terminate"],
  ["accept", undefined, "accept"],
  ["reject", undefined, "reject"],
] as const)("a call is offered, and ends by %s for %s", async ([step, reason, status]) => {
  const until = calls(client)
  const path = `/phones/${bob.number}/calls`
  const { call_id } = (await network.call("POST", path, { to: ada.number, video: true })) as {
    call_id: string
  }
  expect(await until(call_id, "offer")).toMatchObject({ from: bob.lid, callerPn: bob.jid, isVideo: true })
  await network.call("POST", `${path}/${call_id}`, { to: ada.number, step, reason })
  await until(call_id, status)
})

test("why a call ended is told in the caller's words", async () => {
  const path = `/phones/${bob.number}/calls`
  const { call_id } = (await network.call("POST", path, { to: ada.number })) as { call_id: string }
  const reasons: (string | undefined)[] = []
  client.sock.ws.on("CB:call,,terminate", ({ content }: { content: { attrs: { reason?: string } }[] }) => {
    reasons.push(content[0]?.attrs.reason)
    client.changed()
  })
  const words = ["timeout", "busy", "accepted_elsewhere", "rejected_elsewhere", undefined]
  for (const reason of words) await network.call("POST", `${path}/${call_id}`, { to: ada.number, reason })
  await client.until("all ends", () => (reasons.length === words.length ? true : undefined))
  expect(reasons).toEqual(words)
})

test("a client rejects a call, and the caller hears it", async () => {
  const until = calls(client)
  const path = `/phones/${bob.number}/calls`
  const { call_id } = (await network.call("POST", path, { to: ada.number })) as { call_id: string }
  const offer = await until(call_id, "offer")
  await client.sock.rejectCall(call_id, offer.from)
  const [heard] = await network.log({ kind: "in", who: device, tag: "call" })
  expect(heard?.stanza).toMatchObject({ content: [{ tag: "reject", attrs: { "call-id": call_id } }] })
})

test("about texts are set and read", async () => {
  await change({ about: "at sea" })
  expect(await client.sock.fetchStatus(bob.jid)).toMatchObject([{ status: { status: "at sea" } }])
  const other = await network.paired(bob)
  await client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns: "w:mex", type: "get" },
    content: [
      {
        tag: "query",
        attrs: { query_id: "9152604461510864" },
        content: Buffer.from(JSON.stringify({ variables: { input: { text: "in port" } } })),
      },
    ],
  })
  expect(await other.sock.fetchStatus(client.device.creds.me!.lid!)).toMatchObject([
    { status: { status: "in port" } },
  ])
})

test("a picture is fetched, its change is told to contacts, its absence is a 404", async () => {
  await bob.send(ada.number, "we know each other")
  await client.message("we know each other")
  await expect(client.sock.profilePictureUrl(bob.jid)).rejects.toThrow("item-not-found")

  const contacts: Partial<Contact>[] = []
  client.sock.ev.on("contacts.update", (updates) => {
    contacts.push(...updates)
    client.changed()
  })
  const told = (imgUrl: string) =>
    client.until(`picture ${imgUrl}`, () => contacts.find((one) => one.imgUrl === imgUrl))
  await change({ picture: Buffer.from("a face").toString("base64") })
  expect(await told("changed")).toMatchObject({ id: bob.jid })
  const url = await client.sock.profilePictureUrl(bob.lid, "image")
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v\/ppic\//)
  await change({ picture: null })
  await told("removed")
})

test("privacy settings and the blocklist are set and read; a blocked person is not heard", async () => {
  const { ada, bob, client } = await network.chat()
  await client.sock.updateLastSeenPrivacy("none")
  expect(await client.sock.fetchPrivacySettings(true)).toMatchObject({ last: "none", readreceipts: "all" })

  await bob.send(ada.number, "before")
  await client.message("before")
  await client.sock.updateBlockStatus(bob.jid, "block")
  expect(await client.sock.fetchBlocklist()).toEqual([bob.lid])
  await bob.send(ada.number, "blocked")
  await client.sock.updateBlockStatus(bob.jid, "unblock")
  expect(await client.sock.fetchBlocklist()).toEqual([])
  await bob.send(ada.number, "after")
  await client.message("after")
  expect(await ada.read({ from: bob.number, count: 2 })).toMatchObject([
    { text: "before" },
    { text: "after" },
  ])
})

test("the personal QR code stays until it is revoked; statuses have a privacy list", async () => {
  const ask = async (action: string) => {
    const answer = (await client.sock.query({
      tag: "iq",
      attrs: { to: "@s.whatsapp.net", xmlns: "w:qr", type: "set" },
      content: [{ tag: "qr", attrs: { type: "contact", action } }],
    })) as { content: { attrs: { code: string } }[] }
    return answer.content[0]!.attrs.code
  }
  const code = await ask("get")
  expect(await ask("get")).toBe(code)
  expect(await ask("revoke")).not.toBe(code)
  const statuses: unknown = await client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns: "status", type: "get" },
    content: [{ tag: "privacy", attrs: {} }],
  })
  expect(statuses).toMatchObject({ content: [{ tag: "privacy", content: [{ tag: "list" }] }] })
})

test("a number that is not on the network is not found, one that is is", async () => {
  expect(await client.sock.onWhatsApp(bob.number, "15550001111")).toEqual([{ jid: bob.jid, exists: true }])
})

test("a restricted account gets nack 463, except with a token or an answer", async () => {
  const [ada, bob, eve] = [await network.phone("Ada"), await network.phone("Bob"), await network.phone("Eve")]
  await network.call("PATCH", `/phones/${ada.number}`, { restricted: true })
  const [client, trusting] = [await network.paired(ada), await network.paired(eve)]
  const refused = await client.sock.sendMessage(bob.lid, { text: "who are you" })
  expect((await client.status(refused!.key.id!, 0)).update.messageStubParameters).toContain("463")

  await bob.send(ada.number, "I am Bob")
  await client.message("I am Bob")
  await client.sock.sendMessage(bob.lid, { text: "hello Bob" })
  expect(await bob.read({ text: "hello Bob" })).toHaveLength(1)

  await trusting.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns: "privacy", type: "set" },
    content: [
      {
        tag: "tokens",
        attrs: {},
        content: [
          {
            tag: "token",
            attrs: { jid: ada.lid, t: String(Math.floor(Date.now() / 1000)), type: "trusted_contact" },
          },
        ],
      },
    ],
  })
  await network.control.settled(deviceOf(client), 10_000)
  await client.sock.sendMessage(eve.lid, { text: "hello Eve" })
  expect(await eve.read({ text: "hello Eve" })).toHaveLength(1)
})

test("a companion that comes or goes is told to the account's devices; its contacts hear of a change", async () => {
  await bob.send(ada.number, "hi")
  await client.message("hi")
  const second = await network.paired(ada)
  const [added] = await network.log({
    kind: "out",
    who: device,
    tag: "notification",
    attrs: { type: "devices" },
  })
  expect(added?.stanza).toMatchObject({ content: [{ tag: "add" }] })
  await bob.send(ada.number, "to both")
  await client.message("to both")
  await second.message("to both")

  const other = await network.paired(bob)
  await network.call("DELETE", `/phones/${ada.number}/devices/2`)
  const [removed] = await network.log({
    kind: "out",
    who: deviceOf(other),
    tag: "notification",
    attrs: { type: "devices" },
  })
  expect(removed?.stanza).toMatchObject({ content: [{ tag: "update" }] })
  await other.sock.sendMessage(ada.jid, { text: "to the first alone" })
  await client.message("to the first alone")
})

test("reading goes both ways, to each for itself and all its devices", async () => {
  const sent = await client.sock.sendMessage(bob.lid, { text: "read this" })
  await bob.read({ text: "read this" })
  await network.call("POST", `/phones/${bob.number}/read`, { chat: ada.number, message_ids: [sent!.key.id] })
  await client.status(sent!.key.id!, 4)

  await bob.send(ada.number, "read that")
  const { message } = await client.message("read that")
  await client.sock.readMessages([message.key])
  const heard = await network.log({
    kind: "in",
    who: device,
    tag: "receipt",
    attrs: { type: "read" },
  })
  expect(heard).toHaveLength(1)
})

test("a contact who is left out of those that see something does not see it, whatever token they show", () => {
  const token = Buffer.from("token")
  const profile = {
    about: "",
    aboutAt: 0,
    blocked: [],
    qr: "",
    restricted: false,
    privacy: { status: "contact_blacklist" },
    disallowed: { status: [ada.number], last: [bob.number] },
    tokens: { [ada.number]: token, [bob.number]: token },
  }
  const seen = [ada, bob].map(({ number: pn }) => isShown(profile, "status", { pn, token }))
  expect(seen).toEqual([false, true])
})
