import { LRUCache } from "lru-cache"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { type Answer, Connections, safeFetch } from "#core/fetch/safe-fetch.ts"
import { log } from "#core/platform/log.ts"
import { within } from "../concurrency/call-deadline.ts"
import { contentTypeOf } from "./kind-and-content-type.ts"
import { makePreview } from "./picture.ts"

/** What is shown of a link: as its page says, or the caller. */
export interface Preview {
  url: string
  title: string
  description?: string | undefined
  /** A small JPEG. */
  thumbnail?: Uint8Array | undefined
}

/** How long a page may take, and then its picture, in ms (Contract, "Link previews"). */
const withinMs = { page: 4000, picture: 3000 }
/** In bytes. What a page says of itself stands at its beginning. */
const most = { page: 262_144, picture: 2_097_152 }
const redirects = 3

/** What was found lately: a text to many fetches its page once. Without `found` there was nothing. */
const known = new LRUCache<string, { found: Preview | undefined }>({ max: 200, ttl: 5 * 60_000 })

/** The first link of a text, as it stands there. */
function linkIn(text: string): string | undefined {
  const [link] = /https?:\/\/[^\s<>"]{3,2000}/i.exec(text) ?? []
  const bare = link?.replace(/[.,;:!?'*_~)\]}]+$/, "")
  return bare !== undefined && URL.canParse(bare) ? bare : undefined
}

/**
 * What the page of a text's first link says of itself; undefined where there is no link, or nothing can be
 * had in time: a text is sent without it then.
 */
export async function previewOf(text: string, bridgeId: string): Promise<Preview | undefined> {
  const link = linkIn(text)
  if (link === undefined) return undefined
  const key = `${bridgeId} ${link}`
  const before = known.get(key)
  if (before) return before.found
  const connections = new Connections()
  try {
    const page = await pageAt(link, { connections, share: bridgeId })
    const picture = page?.picture
    const thumbnail =
      picture === undefined ? undefined : await pictureAt(picture, { connections, share: bridgeId })
    const found = page && { url: link, title: page.title, description: page.description, thumbnail }
    known.set(key, { found })
    return found
  } finally {
    await connections.destroy()
  }
}

interface Page {
  title: string
  description: string
  /** The address of its picture. */
  picture?: string | undefined
}

type Asking = Pick<Parameters<typeof safeFetch>[0], "connections" | "share">

async function pageAt(url: string, asking: Asking): Promise<Page | undefined> {
  return await unlessFailed(async () => {
    const page = { url, ...asking, method: "GET", redirects, withinMs: withinMs.page } as const
    // The bytes that are read are counted here: a page that goes on is no error.
    const answer = await safeFetch({ ...page, maxBytes: Infinity })
    const isPage = /^(?:text\/html|application\/xhtml\+xml)$/.test(
      contentTypeOf(answer.headers["content-type"]),
    )
    const html = isPage && answer.status === 200 ? await beginningOf(answer) : ""
    return pageIn(html, answer.url)
  })
}

async function beginningOf({ body, headers }: Answer): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes >= most.page || Buffer.from(part).includes("</head>")) break
  }
  const [, named = "utf-8"] = /charset="?([\w-]+)/i.exec(String(headers["content-type"])) ?? []
  const page = Buffer.concat(parts)
  try {
    return new TextDecoder(named).decode(page)
  } catch {
    // A charset that nobody knows.
    return page.toString()
  }
}

/** What the head of a page says, by Open Graph first (ogp.me). Undefined without a title. */
function pageIn(html: string, url: string): Page | undefined {
  const said = new Map<string, string>()
  // A tag is bounded, so that no page takes long to read.
  for (const [tag] of html.matchAll(/<meta\s[^<>]{1,4096}>/gi)) {
    const attributes = attributesIn(tag)
    const name = (attributes.get("property") ?? attributes.get("name") ?? "").toLowerCase()
    const content = plain(attributes.get("content") ?? "")
    if (content !== "" && !said.has(name)) said.set(name, content)
  }
  const [, written = ""] = /<title[^<>]{0,200}>([^<]{1,2000})/i.exec(html) ?? []
  const title = said.get("og:title") ?? plain(written)
  if (title === "") return undefined
  const picture = said.get("og:image") ?? said.get("twitter:image")
  return {
    title: title.slice(0, 300),
    description: (said.get("og:description") ?? said.get("description") ?? "").slice(0, 1000),
    picture: picture !== undefined && URL.canParse(picture, url) ? new URL(picture, url).href : undefined,
  }
}

function attributesIn(tag: string): Map<string, string> {
  const found = tag.matchAll(/([\w:-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)
  return new Map([...found].map(([, name = "", a, b, c]) => [name.toLowerCase(), a ?? b ?? c ?? ""]))
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

/** A text of HTML without its escapes, on one line. */
function plain(text: string): string {
  const read = text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
    (all, digits, hex, name) => {
      if (name) return entities[String(name).toLowerCase()] ?? all
      const code = digits ? Number(digits) : Number.parseInt(String(hex), 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ""
    },
  )
  return read
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
}

/** A small JPEG of the picture at an address. */
async function pictureAt(url: string, { connections, share }: Asking): Promise<Buffer | undefined> {
  const owner = await Bridge.accountOf(share)
  const made = unlessFailed(async () => {
    const wanted = { url, connections, share, method: "GET", redirects } as const
    const answer = await safeFetch({ ...wanted, withinMs: withinMs.picture, maxBytes: most.picture })
    const parts = await Array.fromAsync(answer.body)
    return answer.status === 200 ? await makePreview(Buffer.concat(parts), owner) : undefined
  })
  // Other pictures may wait for their turn before this one.
  return await within(withinMs.picture, made, () => undefined)
}

/** What was found; undefined for what strangers and their pages may do wrong. */
async function unlessFailed<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof FetchError || error instanceof ApiError)) throw error
    log.debug({ error }, "a text is sent without a preview of its link")
    return undefined
  }
}
