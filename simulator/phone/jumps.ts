import { devicesOf } from "../network/notify.ts"
import type { Desk } from "./desk.ts"
import { newId, send, startSession } from "./outgoing.ts"
import { jidOfTarget, type Target } from "./target.ts"

/** What a hostile stranger says of its counters. */
export interface Jump {
  /** How many messages there seem to be before each of those that are sent. */
  skipped: number
  /** Each under a session, or a sender key, of its own. */
  fresh: boolean
}

/**
 * A text that says that so many before it are still to come: whoever reads it keeps a key for each of them. The first to a
 * group brings our sender key, which nothing can be left out of. The ids, in order.
 */
export async function jump(desk: Desk, target: Target, how: Jump): Promise<string[]> {
  if ("user" in target) {
    for (const device of devicesOf(desk.network, target.user.pn)) await leaveOut(desk, device, how)
    return [await say(desk, target, how)]
  }
  const chat = jidOfTarget(target)
  if (how.fresh) {
    desk.groupSignal.forget(chat, desk.own)
    desk.keys.put("sender-key-given", chat, [])
  }
  const isKnown = (desk.keys.get("sender-key-given", chat) ?? []).length > 0
  const first = isKnown ? [] : [await say(desk, target, { ...how, skipped: 0 })]
  await desk.groupSignal.leaveOut(chat, desk.own, how.skipped)
  return [...first, await say(desk, target, how)]
}

async function leaveOut(desk: Desk, device: Parameters<typeof startSession>[1], { skipped, fresh }: Jump) {
  if (fresh || !desk.signal.has(device)) await startSession(desk, device)
  desk.signal.leaveOut(device, skipped)
}

async function say(desk: Desk, target: Target, { skipped }: Jump): Promise<string> {
  const id = newId()
  await send(desk, { target, content: { conversation: `${skipped} were left out` }, id })
  return id
}
