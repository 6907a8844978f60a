import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { stopListening, listen } from "#one-machine/listen.ts"
import { until } from "#test/support/until.ts"
import { startCallFlood } from "./api-call-flood.ts"
import { type Answers, BullyQuestions } from "./bully-questions.ts"
import type { Options } from "./options.ts"
import type { Street } from "./street.ts"

/** Twice a second: as often as one API key may ask (Contract, "Rate limits"). */
const eachMs = 500

/** Begins a flood that is prepared; it goes on until what this gives is called. */
type Begin = () => () => Promise<Answers>

/** Makes ready what the bully of this street floods with. */
export async function prepareFlood(street: Street, options: Options): Promise<Begin> {
  const { service, bully } = street
  const again = (ask: (asking: BullyQuestions) => void): Begin => {
    return () => {
      const asking = new BullyQuestions(service, bully)
      const timer = setInterval(() => ask(asking), eachMs)
      return async () => {
        clearInterval(timer)
        return await asking.end()
      }
    }
  }
  switch (options.what) {
    case "contacts": {
      await street.addressBook(street.eve, options.contacts)
      await whenListed(street, options.contacts)
      return again((asking) => asking.ask("GET", "contacts"))
    }
    case "chats": {
      await keepChats(street, options.chats)
      return again((asking) => asking.ask("GET", "chats"))
    }
    case "groups": {
      const chat = await street.group(street.eve, 300)
      return again((asking) => asking.ask("POST", "send/text", { chat, body: "hello all" }))
    }
    case "media": {
      const file = await aLargeFile()
      const begin = again((asking) => asking.ask("POST", "send/media", { chat: street.chat, url: file.url }))
      return () => {
        const end = begin()
        return async () => {
          const answers = await end()
          await file.close()
          return answers
        }
      }
    }
    case "calls":
    case "full":
    case "link":
    case "unreadable":
    case "crowd":
      return () => startCallFlood(service, bully, { floodPerSecond: options.calls })
  }
}

/**
 * The bully's bridge keeps chats with so many people: its phone tells of them when it is linked once more.
 */
async function keepChats({ service, bully, eve }: Street, count: number): Promise<void> {
  await bully.call("PATCH", "/instances/bully", { keep: 90, history: true })
  const { numbers } = await service.network.crowd({ count })
  await service.network.chats(eve, { people: numbers })
  await bully.call("DELETE", "/instances/bully/proxy/logout")
  await bully.linkTo("bully", eve)
  const areListed = async () => {
    await sleep(5000)
    let listed = 0
    for (let after: string | null = ""; after !== null;) {
      const query = new URLSearchParams({ limit: "100", ...(after && { after }) })
      const page = await bully.call("GET", `/instances/bully/proxy/chats?${query.toString()}`)
      if (!page.ok) return false
      listed += z.array(z.unknown()).parse(await page.json()).length
      after = page.headers.get("x-next-after")
    }
    return listed >= count
  }
  await until(areListed, { what: `${count} chats of the bully`, withinMs: 600_000 })
}

/** Resolves when the session has read its address book: until then its list is shorter. */
async function whenListed({ bully }: Street, count: number): Promise<void> {
  const isListed = async () => {
    const answer = await bully.call("GET", "/instances/bully/proxy/contacts")
    const listed = answer.ok ? z.array(z.unknown()).parse(await answer.json()) : []
    if (listed.length >= count) return true
    await sleep(5000)
    return false
  }
  await until(isListed, { what: `${count} contacts of the bully`, withinMs: 600_000 })
}

/** A video of fifteen megabytes, which is encrypted and uploaded anew for each message. */
async function aLargeFile() {
  const bytes = randomBytes(15_000_000)
  // A file is looked at before it is sent.
  bytes.write("ftyp", 4)
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes.length }).end(bytes),
  )
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/video.mp4`, close: () => stopListening(server) }
}
