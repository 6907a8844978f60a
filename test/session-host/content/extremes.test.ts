import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { fromCall } from "#session-host/content/call.ts"
import { phonesIn } from "#session-host/content/chat-and-sender.ts"
import { fromMessage } from "#session-host/content/message.ts"
import { fromInfo } from "#session-host/content/offline-sync.ts"
import type { MessageContent } from "#session-host/network/connection.ts"

const own = { jid: "491719999999@s.whatsapp.net", lid: "99@lid" }
const bob = "491710000001@s.whatsapp.net"

/** The events of a message, as JSON carries them. */
function told(attrs: Record<string, string>, content: MessageContent): unknown[] {
  const all = { id: "ABC", from: bob, t: "1800000000", ...attrs }
  // In the form it has after the wire.
  const received = proto.Message.decode(proto.Message.encode(content).finish())
  const mapped = fromMessage({
    attrs: all,
    content: received,
    own,
    phones: phonesIn(all, own),
    verified: false,
  })
  return JSON.parse(JSON.stringify(mapped.map(({ event }) => event))) as unknown[] // an array went in
}

const numbers = [Infinity, -Infinity, NaN, -0, 1e308, -1, 0.1]

test("no place is beyond JSON, wherever strangers say they are", () => {
  for (const degreesLatitude of numbers)
    for (const kind of ["locationMessage", "liveLocationMessage"] as const) {
      const events = told({}, { [kind]: { degreesLatitude, degreesLongitude: -degreesLatitude } })
      expect(events).toEqual([expect.schemaMatching(Event)])
    }
})

test("no time is beyond JSON, whatever a stranger calls the time", () => {
  const { MAX_SAFE_INTEGER: most } = Number
  for (const startTime of [most, -most, 2 ** 62, -(2 ** 62), 0, -1]) {
    const events = told({}, { eventMessage: { name: "x", startTime, endTime: startTime } })
    expect(events).toEqual([expect.schemaMatching(Event)])
  }
  for (const t of ["1e400", "-1e400", "1.5", "NaN", "", "x", "99999999999999999999", "0x10"]) {
    expect(told({ t }, { conversation: "x" })).toEqual([expect.schemaMatching(Event)])
    const offer = { tag: "offer", attrs: { "call-id": "A" }, children: [] }
    const [call] = fromCall(
      { tag: "call", attrs: { from: bob, id: "B", t }, children: [offer] },
      { own, phones: new Map() },
    )
    expect(JSON.parse(JSON.stringify(call!.event))).toEqual(expect.schemaMatching(Event))
    const children = [{ tag: "offline_preview", attrs: { count: t, message: t }, children: [] }]
    const [sync] = fromInfo({ tag: "ib", attrs: {}, children }, { epoch: 1, connection: 1 })
    expect(JSON.parse(JSON.stringify(sync!.event))).toEqual(expect.schemaMatching(Event))
  }
})

test("the number of answers that a poll allows is a whole number, whatever its maker wrote", () => {
  for (const selectableOptionsCount of [0, 4_294_967_295]) {
    const poll = { name: "x", options: [{ optionName: "a" }], selectableOptionsCount }
    expect(told({}, { pollCreationMessage: poll })).toEqual([expect.schemaMatching(Event)])
  }
})
