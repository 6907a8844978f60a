import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { connectedEvent, disconnectedEvent } from "#session-host/content/connection.ts"
import { mapNonMessage } from "#session-host/content/map-non-message.ts"

const at = { epoch: 3, connection: 2 }
const known = {
  own: { jid: "4911@s.whatsapp.net", lid: "11@lid" },
  phones: new Map([["22@lid", "4922@s.whatsapp.net"]]),
}
const info = (tag: string, attrs: Record<string, string>) => ({
  tag: "ib",
  attrs: { from: "s.whatsapp.net" },
  children: [{ tag, attrs, children: [] }],
})

test("the number of waiting messages is announced", () => {
  const preview = info("offline_preview", {
    count: "7",
    message: "4",
    notification: "2",
    receipt: "1",
    appdata: "0",
  })
  const [mapped] = mapNonMessage(preview, known, at)
  expect(mapped!.event).toEqual({
    event: "offline_sync_preview",
    total: 7,
    messages: 4,
    notifications: 2,
    receipts: 1,
    app_data_changes: 0,
  })
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

test("the end of the backlog says how much it was, also nothing", () => {
  expect(mapNonMessage(info("offline", { count: "7" }), known, at)[0]!.event).toEqual({
    event: "offline_sync_completed",
    count: 7,
  })
  expect(mapNonMessage(info("offline", {}), known, at)[0]!.event).toEqual({
    event: "offline_sync_completed",
    count: 0,
  })
})

test("a stanza of an unknown kind gives no event", () => {
  expect(mapNonMessage(info("edge_routing", {}), known, at)).toEqual([])
  expect(mapNonMessage({ tag: "ib", attrs: {}, children: [] }, known, at)).toEqual([])
  expect(mapNonMessage({ tag: "next_year", attrs: {}, children: [] }, known, at)).toEqual([])
})

test("an occurrence without an id of the network is another one in another connection or epoch", () => {
  const ids = [
    connectedEvent(at, "491"),
    connectedEvent({ ...at, connection: 3 }, "491"),
    connectedEvent({ ...at, epoch: 4 }, "491"),
    disconnectedEvent(at),
  ].map(({ identity }) => JSON.stringify(identity))
  expect(new Set(ids).size).toBe(4)
})
