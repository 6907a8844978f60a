import { devicesOf } from "../../network/notify.ts"
import type { Handset } from "../handset.ts"
import { newId, send, startSession } from "../outgoing-messages.ts"
import { jidOfTarget, type Target } from "../target.ts"

/** A hostile stranger's use of counters. */
export interface Jump {
  /** How many messages seem to be missing before each one that is sent. */
  skipped: number
  /** Sends each message under a session, or a sender key, of its own. */
  fresh: boolean
}

/**
 * Sends a text before which this many messages seem to be missing: its reader keeps a key for each of them.
 * In a group, the first message brings our sender key, and nothing can be missing before that.
 * @returns the ids, in order
 */
export async function jump(handset: Handset, target: Target, how: Jump): Promise<string[]> {
  if ("user" in target) {
    for (const device of devicesOf(handset.network, target.user.pn)) await leaveOut(handset, device, how)
    return [await say(handset, target, how)]
  }
  const chat = jidOfTarget(target)
  if (how.fresh) {
    handset.groupSignal.forget(chat, handset.own)
    handset.keys.put("sender-key-given", chat, [])
  }
  const isKnown = (handset.keys.get("sender-key-given", chat) ?? []).length > 0
  const first = isKnown ? [] : [await say(handset, target, { ...how, skipped: 0 })]
  await handset.groupSignal.leaveOut(chat, handset.own, how.skipped)
  return [...first, await say(handset, target, how)]
}

async function leaveOut(
  handset: Handset,
  device: Parameters<typeof startSession>[1],
  { skipped, fresh }: Jump,
) {
  if (fresh || !handset.signal.has(device)) await startSession(handset, device)
  handset.signal.leaveOut(device, skipped)
}

async function say(handset: Handset, target: Target, { skipped }: Jump): Promise<string> {
  const id = newId()
  await send(handset, { target, content: { conversation: `${skipped} were left out` }, id })
  return id
}
