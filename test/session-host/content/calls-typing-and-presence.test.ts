import { describe, expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { mapNonMessage } from "#session-host/content/map-non-message.ts"
import { authorsOf } from "#session-host/content/message-identity.ts"
import { lidsInStanza } from "#session-host/content/people-in-stanza.ts"
import type { Stanza } from "#session-host/network/stanza.ts"

const own = { jid: "4911@s.whatsapp.net", lid: "11@lid" }
const known = { own, phones: new Map([["22@lid", "4922@s.whatsapp.net"]]) }
const at = { epoch: 3, connection: 2, stanza: 5 }

const node = (tag: string, attrs: Record<string, string> = {}, children: Stanza[] = []): Stanza => ({
  tag,
  attrs,
  children,
})
const map = (stanza: Stanza) => {
  const mapped = mapNonMessage(stanza, known, at)
  for (const { event } of mapped) expect(event).toEqual(expect.schemaMatching(Event))
  return mapped
}
const eventOf = (stanza: Stanza) => map(stanza)[0]?.event

const aCall = (tag: string, more: Record<string, string> = {}, attrs: Record<string, string> = {}) =>
  node("call", { from: "22:3@lid", id: "s1", t: "1700000000", ...attrs }, [
    node(tag, { "call-id": "C1", "call-creator": "22:3@lid", ...more }),
  ])

describe("calls", () => {
  test("an offer is an incoming call, with its caller's phone number and platform", () => {
    expect(eventOf(aCall("offer", {}, { platform: "android" }))).toEqual({
      event: "call_incoming",
      call_id: "C1",
      contact_id: "4922@s.whatsapp.net",
      chat_id: "4922@s.whatsapp.net",
      name: "",
      platform: "android",
      timestamp: 1_700_000_000,
    })
  })

  test("a call says that it has a picture, and which group it is to", () => {
    const offer = node("offer", { "call-id": "C1", "group-jid": "1@g.us" }, [node("audio"), node("video")])
    const call = node("call", { from: "22:3@lid", id: "s1", t: "1700000000" }, [offer])
    expect(eventOf(call)).toMatchObject({ event: "call_incoming", video: true, chat_id: "1@g.us" })
    const noticed = aCall("offer_notice", { media: "video" })
    expect(eventOf(noticed)).toMatchObject({ video: true, chat_id: "4922@s.whatsapp.net" })
  })

  test("a platform that is not told is unknown, a number that is told counts before what is known", () => {
    expect(eventOf(aCall("offer", { caller_pn: "4999@s.whatsapp.net" }))).toMatchObject({
      platform: "unknown",
      contact_id: "4999@s.whatsapp.net",
    })
    expect(eventOf(aCall("offer_notice"))).toMatchObject({ event: "call_incoming" })
  })

  test.for([
    ["terminate", undefined, "hangup"],
    ["terminate", "timeout", "timeout"],
    ["terminate", "busy", "busy"],
    ["terminate", "accepted_elsewhere", "accept_elsewhere"],
    ["terminate", "rejected_elsewhere", "decline"],
    ["terminate", "a reason of next year", "hangup"],
    ["terminate", "constructor", "hangup"],
    ["accept", undefined, "accept_elsewhere"],
    ["reject", undefined, "decline"],
    ["reject", "busy", "busy"],
  ] as const)("%s %s ends a call with %s", ([tag, reason, expected]) => {
    expect(eventOf(aCall(tag, reason && { reason }))).toEqual({
      event: "call_terminated",
      call_id: "C1",
      contact_id: "4922@s.whatsapp.net",
      chat_id: "4922@s.whatsapp.net",
      reason: expected,
      timestamp: 1_700_000_000,
    })
  })

  test("a call ends once, whichever side ends it, and on whatever device", () => {
    const ends = [
      aCall("accept", {}, { from: "11:1@lid" }),
      aCall("terminate", { reason: "accepted_elsewhere" }),
      aCall("terminate", { "call-creator": "22@lid" }),
    ]
    expect(new Set(ends.map((end) => JSON.stringify(map(end)[0]!.identity))).size).toBe(1)
    expect(map(ends[0]!)[0]!.event).toMatchObject({ contact_id: "4922@s.whatsapp.net" })
  })

  test("a stanza that says nothing of a call is none", () => {
    expect(map(node("call", { from: "22@lid" }))).toEqual([])
    expect(map(node("call", { from: "22@lid" }, [node("offer")]))).toEqual([])
    expect(map(aCall("preaccept"))).toEqual([])
  })
})

const typing = (child: Stanza, attrs: Record<string, string> = {}) =>
  eventOf(node("chatstate", { from: "22@lid", ...attrs }, [child]))

describe("typing", () => {
  test.for([
    [node("composing"), "composing", "text"],
    [node("composing", { media: "audio" }), "composing", "voice"],
    [node("composing", { media: "hologram" }), "composing", "text"],
    [node("paused"), "paused", "text"],
    [node("paused", { media: "audio" }), "paused", "voice"],
  ] as const)("%j is %s by %s", ([child, state, mode]) => {
    expect(typing(child)).toEqual({
      event: "typing",
      contact_id: "4922@s.whatsapp.net",
      chat_id: "4922@s.whatsapp.net",
      state,
      mode,
    })
  })

  test("in a group it is a member's", () => {
    expect(typing(node("composing"), { from: "1@g.us", participant: "33:2@lid" })).toMatchObject({
      contact_id: "33@lid",
      chat_id: "1@g.us",
    })
  })

  test("a chat state that is neither typing nor a pause gives no event", () => {
    expect(typing(node("dancing"))).toBeUndefined()
    expect(eventOf(node("chatstate", { from: "22@lid" }))).toBeUndefined()
  })
})

describe("presence", () => {
  test.for([
    [{}, { unavailable: false }],
    [{ type: "available" }, { unavailable: false }],
    [
      { type: "unavailable", last: "1700000000" },
      { unavailable: true, last_seen: 1_700_000_000 },
    ],
    [{ type: "unavailable", last: "deny" }, { unavailable: true }],
    [{ type: "unavailable", last: "none" }, { unavailable: true }],
    [{ type: "unavailable" }, { unavailable: true }],
  ] as const)("%j is %j", ([attrs, expected]) => {
    expect(eventOf(node("presence", { from: "22@lid", ...attrs }))).toEqual({
      event: "presence",
      contact_id: "4922@s.whatsapp.net",
      ...expected,
    })
  })

  test("how many of a group are there is no person's presence", () => {
    expect(eventOf(node("presence", { from: "1@g.us", count: "3" }))).toBeUndefined()
    expect(eventOf(node("presence", { from: "22@lid", type: "subscribe" }))).toBeUndefined()
  })

  test("each is a happening of its own", () => {
    const stanza = node("presence", { from: "22@lid" })
    const next = mapNonMessage(stanza, known, { ...at, stanza: 6 })
    expect(next[0]!.identity).not.toEqual(map(stanza)[0]!.identity)
  })
})

const picture = (from: string, change: Stanza) =>
  node("notification", { type: "picture", id: "n1", t: "1700000000", from }, [change])

describe("pictures", () => {
  test.for([
    [node("set", { id: "77" }), { remove: false, picture_id: "77" }],
    [node("set"), { remove: false }],
    [node("delete", { id: "77" }), { remove: true }],
  ] as const)("%j of the own picture is %j", ([change, expected]) => {
    for (const from of [own.jid, own.lid, "4911:3@s.whatsapp.net"])
      expect(eventOf(picture(from, change))).toEqual({
        event: "profile_picture_updated",
        timestamp: 1_700_000_000,
        ...expected,
      })
  })

  test("another's picture, and another notification, are no event", () => {
    expect(eventOf(picture("22@lid", node("set", { id: "77" })))).toBeUndefined()
    expect(eventOf(picture(own.jid, node("request")))).toBeUndefined()
    expect(eventOf(node("notification", { type: "devices", from: own.jid, id: "1" }))).toBeUndefined()
  })
})

test("the LIDs to look up are those whose number the stanza does not tell", () => {
  const call = node("call", { from: "22:1@lid", sender_pn: "4922@s.whatsapp.net" }, [
    node("offer", { "call-id": "1", "call-creator": "33:4@lid" }),
  ])
  expect(lidsInStanza(call)).toEqual(["33@lid"])
})

test.for([
  [
    { from: "22:4@lid", sender_pn: "4922@s.whatsapp.net", notify: "Bob" },
    [{ jid: "4922@s.whatsapp.net", lid: "22@lid", pushName: "Bob" }],
  ],
  [
    { from: "4922@s.whatsapp.net", sender_lid: "22@lid" },
    [{ jid: "4922@s.whatsapp.net", lid: "22@lid", pushName: undefined }],
  ],
  [
    { from: "1@g.us", participant: "33@lid", notify: "Eve" },
    [{ jid: undefined, lid: "33@lid", pushName: "Eve" }],
  ],
  [{ from: "11:3@lid", notify: "Me" }, []],
  [{ from: "1@g.us", participant: "4911@s.whatsapp.net" }, []],
  [{ from: "1@newsletter" }, []],
] as const)("the author of %j is %j", ([attrs, expected]) => {
  expect(authorsOf({ attrs: { ...attrs } }, own)).toEqual(expected)
})
