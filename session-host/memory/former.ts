import { now } from "#core/clock.ts"
import type { Inbound } from "./inbound.ts"
import { parked, parkedKeys } from "./parked.ts"
import type { SessionStore } from "./store.ts"

/**
 * What a release before 0.2 left of a session: messages that were decrypted and had not become events (`JOURNAL#`), and
 * a mark for each ciphertext that it had seen (`SEEN#`). This file can go when nobody updates from such a release any
 * more.
 */

/** The network keeps what is not receipted for 14 days: until then the marks of a session that is updated now count. */
export function marksCountUntil(): number {
  return now() + 14 * 86_400
}

/** Whether such a release has seen this ciphertext. @throws SessionEnded */
export async function wasSeenFormerly(store: SessionStore, hash: string, until: number): Promise<boolean> {
  return until > now() && (await store.get(`SEEN#${hash}`)) !== undefined
}

/** Makes events of the messages that were left: before anything else arrives. @throws SessionEnded */
export async function drainFormer(store: SessionStore, inbound: Inbound): Promise<void> {
  for (const { received, removal } of await parked(store, await parkedKeys(store, "JOURNAL#")))
    await inbound.takeAgain(received, removal)
}
