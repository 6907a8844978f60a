import { setTimeout as sleep } from "node:timers/promises"
import type { Seeded, Stage } from "./scene.ts"

/** What an event is like here, as the contract says. */
interface Stored {
  event_id: string
  state: string
  event: Message & { event: string; from_me?: boolean }
}
interface Message {
  message_id: string
  chat_id: string
  type: string
  body: string
  target_id?: string
}

/** What a page says, and what is so. */
interface Check {
  what: string
  said: unknown
  so: unknown
}

/** While a page is read, something may come: what differs is looked at once more. */
const again = { times: 4, afterMs: 1500 }

/**
 * Compares what the pages say with what the rows behind them say, as the API gives these: counts, lists,
 * states and times.
 * @returns what is untrue, a line each
 */
export async function untruths({ base }: Stage, { call }: Seeded, cookie: string): Promise<string[]> {
  const pageOf = async (path: string) =>
    (await (await fetch(base + path, { headers: { cookie } })).text()).replaceAll(/\s+/g, " ")
  const list = async <One>(path: string) => await everyOne<One>(call, path)
  let wrong: string[] = []
  for (let tries = 0; tries < again.times; tries++) {
    if (tries > 0) await sleep(again.afterMs)
    wrong = (await checksOf(pageOf, list))
      .filter(({ said, so }) => JSON.stringify(said) !== JSON.stringify(so))
      .map(({ what, said, so }) => `${what}: ${JSON.stringify(said)}, and it is ${JSON.stringify(so)}`)
    if (wrong.length === 0) break
  }
  return wrong
}

type PageOf = (path: string) => Promise<string>
type List = <One>(path: string) => Promise<One[]>

/** Every item of a list of the API. */
async function everyOne<One>(call: Seeded["call"], path: string): Promise<One[]> {
  const all: One[] = []
  for (let after: string | undefined; ;) {
    const more = after === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}after=${after}`
    const answer = await call("GET", more)
    if (!answer.ok) return all
    all.push(...((await answer.json()) as One[]))
    after = answer.headers.get("x-next-after") ?? undefined
    if (after === undefined) return all
  }
}

async function checksOf(pageOf: PageOf, list: List): Promise<Check[]> {
  const numbers = await list<{ customer_ref: string }>("/instances")
  const checks: Check[] = []
  const sums = { came: 0, undelivered: 0, waiting: 0 }
  for (const { customer_ref: ref } of numbers) {
    const found = await checksOfNumber(ref, pageOf, list)
    checks.push(...found.checks)
    for (const name of ["came", "undelivered", "waiting"] as const) sums[name] += found[name]
  }
  const home = figuresOf(await pageOf("/"))
  checks.push(
    { what: "Home: messages today", said: Number(home["Messages received today"]), so: sums.came },
    { what: "Home: undelivered", said: Number(home["Events undelivered, of 30 days"]), so: sums.undelivered },
    { what: "Home: not delivered yet", said: Number(home["Events not delivered yet"]), so: sums.waiting },
  )
  const days = await list<{ messages_in: number; undelivered: number }>("/usage")
  const usage = await pageOf("/usage")
  const total = (name: "messages_in" | "undelivered") => days.reduce((all, day) => all + day[name], 0)
  checks.push(
    { what: "Usage: in", said: figureOf(usage, "Messages in"), so: total("messages_in") },
    { what: "Usage: undelivered", said: figureOf(usage, "Undelivered"), so: total("undelivered") },
  )
  const calls = await list<{ request_id: string }>("/requests?limit=100")
  const requests = await pageOf("/requests")
  const shown = [...requests.matchAll(/<li class="line" id="[^]*?<\/li> ?(?=<li class="line"|<\/ul>)/g)]
  const times = shown.map(([one]) => Number(/(\d+) times since/.exec(one)?.[1] ?? 1))
  checks.push({ what: "Requests", said: times.reduce((all, one) => all + one, 0), so: calls.length })
  const keys = await list("/keys")
  checks.push({
    what: "Keys",
    said: (await pageOf("/keys")).match(/mbk_\w+_…/g)?.length ?? 0,
    so: keys.length,
  })
  for (const path of ["/", "/numbers", "/requests", "/account/audit-log"])
    checks.push(...timesOf(path, await pageOf(path)))
  return checks
}

async function checksOfNumber(ref: string, pageOf: PageOf, list: List) {
  const at = `/instances/${ref}`
  const checks: Check[] = []
  const events = await list<Stored & { created_at: number }>(`${at}/events?limit=100`)
  const midnight = Math.floor(Date.now() / 86_400_000) * 86_400
  const messages = events.filter(({ event }) => event.event === "message")
  const came = messages.filter(
    ({ event, created_at: created }) => event.from_me === false && created >= midnight,
  ).length
  const webhooks = await list<{ id: string; url: string }>(`${at}/webhooks`)
  let [undelivered, waiting] = [0, 0]
  for (const { id, url } of webhooks.filter((one) => one.url !== "")) {
    const inState = async (state: string) =>
      (await list<Stored>(`${at}/events?limit=100&state=${state}&webhook=${id}`)).length
    const [lost, pending] = [await inState("undelivered"), await inState("pending")]
    const head = await pageOf(`/numbers/${ref}/deliveries${id === "first" ? "" : `?webhook=${id}`}`)
    const [, said = "0"] = /Undelivered: (\d+)/.exec(head) ?? []
    checks.push({ what: `${ref}: undelivered at ${url}`, said: Number(said), so: lost })
    undelivered += lost
    waiting += pending
  }
  const overview = await pageOf(`/numbers/${ref}`)
  const figures = figuresOf(overview)
  checks.push(
    { what: `${ref}: messages today`, said: Number(figures["Messages received"]), so: came },
    { what: `${ref}: undelivered`, said: Number(figures["Undelivered, of 30 days"]), so: undelivered },
    ...timesOf(`/numbers/${ref}`, overview),
  )
  if (webhooks.length === 1 && webhooks[0]!.url !== "")
    checks.push({
      what: `${ref}: not delivered yet`,
      said: Number(figures["Not delivered yet"]),
      so: waiting,
    })
  checks.push(...(await checksOfMessages(ref, messages, pageOf, list)))
  return { checks, came, undelivered, waiting }
}

/** Each message that came, and each that was sent, is in its chat once. */
async function checksOfMessages(
  ref: string,
  messages: Stored[],
  pageOf: PageOf,
  list: List,
): Promise<Check[]> {
  const sent = await list<Message>(`/instances/${ref}/proxy/sent?limit=100`)
  // What changes another message, or reacts to it, has no line of its own.
  const all = [...messages.map(({ event }) => event), ...sent].filter(
    ({ type, target_id: target, body }) => type !== "reaction" && target === undefined && body !== "",
  )
  const seen = new Map<string, number>()
  for (const chat of new Set(all.map(({ chat_id }) => chat_id)))
    for (let path: string | undefined = `/numbers/${ref}/chats/${chat}`; path !== undefined;) {
      const page = await pageOf(path)
      for (const [, id = ""] of page.matchAll(/<li id="m-([^"]+)"/g)) seen.set(id, (seen.get(id) ?? 0) + 1)
      path = /href="([^"]+before=[^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
    }
  const wrong = all.filter(({ message_id: id }) => seen.get(id) !== 1).map(({ message_id: id }) => id)
  return [{ what: `${ref}: messages that are not in their chat once`, said: wrong, so: [] }]
}

/** The names and values of a page's lists of facts. */
function figuresOf(page: string): Record<string, string> {
  const pairs = page.matchAll(/<dt>([^<]+)<\/dt> <dd[^>]*> ?(?:<a[^>]*>)?([^<]*?) ?</g)
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]))
}

function figureOf(page: string, name: string): number {
  const [, value = "NaN"] = new RegExp(`>${name}</span> <b>([^<]+)<`).exec(page) ?? []
  return Number(value)
}

/** Each time on a page is written as it is, in UTC: without script. */
function timesOf(path: string, page: string): Check[] {
  const times = page.matchAll(/<time datetime="([^"]+)" data-at="(?:second|day)">([^<]+)</g)
  const wrong = [...times].filter(
    ([, at = "", text = ""]) => !at.slice(0, 19).replace("T", " ").startsWith(text),
  )
  return [{ what: `${path}: times`, said: wrong.map(([, at, text]) => `${at}: ${text}`), so: [] }]
}
