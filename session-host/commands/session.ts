import { LRUCache } from "lru-cache"
import * as contract from "#contract/session.ts"
import { Slots } from "#core/platform/slots.ts"
import { command } from "./command.ts"
import { forPages } from "./for-pages.ts"
import { AskedNames, namesOf } from "./names.ts"

/**
 * Contract, "Linking a phone". The quiet zone is four modules, as the standard requires. Each module has the
 * same number of pixels: with a fixed width of the picture the modules differ, and a common reader failed on
 * one code in some hundreds.
 */
const image = { type: "png", scale: 6, margin: 4 } as const
/**
 * Most lines of pixels equal the line above them. This filter says so, which takes half the time of trying
 * every filter, and fewer bytes.
 */
const packed = { filterType: 2, deflateLevel: 6, deflateStrategy: 0 } as const

/**
 * Pictures that were made: a page asks for the same code every other second, and a picture takes this process
 * longer than a message.
 */
const pictures = new LRUCache<string, Promise<Uint8Array<ArrayBuffer>>>({ max: 100, ttl: 60_000 })

/** The picture of a code that a phone scans, as PNG. One at a time is drawn. */
export async function pictureOf(code: string): Promise<Uint8Array<ArrayBuffer>> {
  const picture = pictures.get(code) ?? draw(code)
  pictures.set(code, picture)
  return await picture
}

/** Many bridges may ask for their first code at once: messages have their turn between two pictures. */
const oneByOne = new Slots({ most: 1 })

async function draw(code: string): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded here, since most hosts link no phone.
  const { toBuffer } = await import("qrcode")
  const drawn = await oneByOne.use(() => toBuffer(code, { ...image, rendererOpts: { ...packed } }))
  return new Uint8Array(drawn)
}

export const session = {
  status: command(contract.status, ({ session }) => session.status()),

  qr: command(contract.qr, async ({ session }) => {
    const code = await (await session.linking()).code()
    return new Response(await pictureOf(code.text), {
      headers: {
        "content-type": "image/png",
        "cache-control": "no-store",
        "x-qr-expires": String(code.expiresAt),
        "x-qr-value": code.text,
      },
    })
  }),

  pair: command(contract.pair, async ({ session, body }) => {
    const code = await (await session.linking()).linkCode(body.phone.replace(/^\+/, ""))
    // Phones show the code to the person who types it in this form.
    const shown = { code: `${code.slice(0, 4)}-${code.slice(4)}` }
    return Response.json(shown, { headers: { "cache-control": "no-store" } })
  }),

  passkey: command(contract.passkey, async ({ session, body }) => {
    await (await session.linking()).answerPasskey(body)
    return { ok: true }
  }),

  logout: command(contract.logout, async ({ session }) => {
    await (await session.linking()).logout()
    return { ok: true }
  }),
}

/** Calls that the API itself makes, and that are in no contract. */
export const internalCommands = [
  /** The webhook has changed (Contract, "Changing the webhook"). */
  command({ method: "post", path: "/restart" }, async ({ session }) => {
    await session.restart()
    return new Response(null, { status: 204 })
  }),

  /**
   * The bridge was paused, suspended or deleted, and its session must stop at once; or its choice of events
   * has changed.
   */
  command({ method: "post", path: "/look-at-lease" }, async ({ session }) => {
    await session.lookAtLease()
    return new Response(null, { status: 204 })
  }),

  /** A page shows people and groups by their names. */
  command({ method: "get", path: "/names", request: { query: AskedNames } }, async ({ session, query }) =>
    Response.json(await namesOf(session, query.jids)),
  ),

  ...forPages,
]
