import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Beginning,
  type BridgeClient,
  type EventType,
  type StoredEvent,
} from "../../../sdk-typescript/src/index.ts"
import { type Asked, bridge, type Command, url } from "../command.ts"
import { forward, told } from "../forward.ts"
import { folder, login, removeSettingsFile } from "../login-file.ts"
import { Misused, Refused } from "../refused.ts"

export const listen: Command = {
  takes: "",
  says: "shows events as they happen; with --forward, posts each to your program, signed, the next one after a 2xx, and goes on where it ended unless --now is given",
  options: ["bridge", "forward", "type", "after", "now"],
  run: async (asked) => {
    const { options, print, stop } = asked
    if (options.now && options.after !== undefined) throw new Misused("give --now or --after, not both")
    const shop = bridge(asked)
    const target = options.forward === undefined ? undefined : url(options.forward)
    const secret = target === undefined ? undefined : await secretOf(shop)
    const whereTo = target === undefined ? "" : `, forwarding to ${target}`
    const events = shop.events({
      ...beginningOf(shop, target, options),
      // The service judges them.
      ...(options.type !== undefined && { types: options.type.split(",") as EventType[] }),
      signal: stop,
      onOpen: () => console.error(`listening to ${shop.ref}${whereTo}; Ctrl-C ends it`),
      onInterruption: ({ message }, waitMs) => console.error(`${message}; again in ${seconds(waitMs)}`),
      onMissed: (missed) => console.error(`up to ${missed} events that came meanwhile are no longer kept`),
    })
    for await (const stored of events) {
      if (target === undefined || secret === undefined) print(lineOf(stored), stored)
      else if (!(await deliver(stored, { target, secret, asked }))) return notTaken(stored, options)
    }
    return 0
  },
}

/** What is shown begins now. What is posted begins behind the last event that the program took. */
function beginningOf(shop: BridgeClient, target: string | undefined, options: Asked["options"]): Beginning {
  const { after, now } = options
  const given = after === undefined ? undefined : { after }
  if (target === undefined) return given ?? { from: "now" }
  // One program may be behind another: each has its own cursor.
  const whose = JSON.stringify([login().url, shop.ref, target])
  const resume = `listen-${createHash("sha256").update(whose).digest("hex").slice(0, 16)}`
  if (now || given) removeSettingsFile(`${resume}.json`)
  return { resume, store: folder(), ...given }
}

/** Nothing else needs it, and it is not shown. @throws Refused for a key that may only read */
async function secretOf(shop: BridgeClient): Promise<string> {
  const own = process.env.WEBHOOK_SECRET
  if (own) return own
  const { webhook_secret } = await shop.getBridge()
  if (webhook_secret) return webhook_secret
  throw new Refused(
    "this key may only read, or only in some chats, so it does not get the secret that signs: use one with the scope `all`, for all chats",
  )
}

interface Way {
  target: string
  secret: string
  asked: Asked
}

/**
 * Posts an event until the program takes it. An attempt that has begun is waited for. @returns false if the
 * person ends it before
 */
async function deliver(
  stored: StoredEvent,
  { target, secret, asked: { print, stop } }: Way,
): Promise<boolean> {
  const { event_id: eventId, event } = stored
  for (let attempt = 1; ; attempt++) {
    const outcome = await forward(target, secret, { eventId, body: JSON.stringify(event), attempt })
    const { ok, status, says, ms } = outcome
    const row = { event_id: eventId, type: event.event, attempt, ok, status, ms }
    const waitMs = Math.min(1000 * 2 ** (attempt - 1), 30_000)
    const what = `${lineOf(stored)}  ${says}  ${ms} ms`
    print(ok ? what : `${what}  ${verdict(status)}again in ${seconds(waitMs)}`, row)
    if (ok) return true
    if (stop.aborted || !(await awake(waitMs, stop))) return false
  }
}

/** Says if the service would give the event up at once after such an answer, instead of trying again. */
function verdict(status: number): string {
  const isFinal = status >= 300 && status < 500 && status !== 429
  return isFinal ? "the service would give it up now; " : ""
}

async function awake(ms: number, stop: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal: stop }).catch(() => false)
}

function notTaken({ event_id }: StoredEvent, options: Asked["options"]): number {
  console.error(`${options.forward} has not taken ${event_id}: it comes first when you listen again`)
  return 1
}

function lineOf({ event_id, event, created_at }: StoredEvent): string {
  const at = new Date(created_at * 1000).toLocaleTimeString("en-GB")
  return `${at}  ${event.event}  ${event_id}  ${told(event)}`
}

function seconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`
}
