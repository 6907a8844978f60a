import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { batchWrite } from "#core/store/store.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call } from "#test/support/session/host.ts"

/** How many messages the chat keeps: more than a search looks at for one page. */
const count = Number(process.env.MESSAGES ?? 2100)
/** How many rows are made before they are written. */
const together = 500

test("a chat of very many kept messages opens, goes back a page, and is searched to its first message", async () => {
  const chat = await aChat()
  const { bob, bridge, host } = chat
  await Lease.choose(bridge.id, { keep: 30 })
  await call(bridge.id, "POST", "/look-at-lease")
  const latest = await chat.message((await bob.send(chat.phone.number, "the latest")).id)
  const { store, transcript } = await host.sessions.get(bridge.id)!.memory()
  for (let from = 1; from <= count; from += together)
    await batchWrite(
      Array.from({ length: Math.min(together, count + 1 - from) }, (_, i) => {
        const n = from + i
        const about = {
          message_id: `3A${n.toString(16).padStart(18, "0")}`,
          timestamp: latest.timestamp - count + n,
        }
        const row = transcript.pastRow({ ...latest, ...about, body: `Message number ${n}.` }, n)
        const { TableName: table, Item } = store.toWrite(row).Put!
        return { table, row: Item }
      }),
    )
  const figures: Record<string, number> = {}
  /** A page of a list of the session, and where it goes on. */
  const page = async (name: string, path: string) => {
    const start = performance.now()
    const answer = await call(bridge.id, "GET", path, { waitMs: 60_000 })
    const messages = (await answer.json()) as { body: string }[]
    figures[name] = Math.max(figures[name] ?? 0, Math.round(performance.now() - start))
    return { bodies: messages.map(({ body }) => body), after: answer.headers.get("x-next-after") }
  }
  const list = `/chats/${encodeURIComponent(bob.jid)}/messages?limit=50`
  const thread = await page("thread_ms", list)
  expect(thread.bodies).toContain(`Message number ${count}.`)
  const before = await page("page_up_ms", `${list}&after=${thread.after}`)
  expect(before.bodies).toContain(`Message number ${count - 60}.`)
  await page("list_ms", "/chats-with-last?limit=50")

  const search = (words: string) => `/search?${new URLSearchParams({ words, chat: bob.jid }).toString()}`
  expect((await page("find_newest_ms", search(`NUMBER ${count - 1}.`))).bodies).toHaveLength(1)
  const start = performance.now()
  let [found, pages] = [await page("search_page_ms", search("number 1.")), 1]
  for (; found.bodies.length === 0 && found.after !== null; pages++)
    found = await page("search_page_ms", `${search("number 1.")}&after=${found.after}`)
  const search_all_ms = Math.round(performance.now() - start)
  expect(found.bodies).toEqual(["Message number 1."])
  if (process.env.MESSAGES)
    console.log(JSON.stringify({ messages: count, ...figures, search_all_ms, search_pages: pages }))
}, 1_800_000)
