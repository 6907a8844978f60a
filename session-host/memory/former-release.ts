import { now } from "#core/platform/clock.ts"
import type { Inbound } from "./inbound.ts"
import { parked, parkedKeys } from "./messages/parked.ts"
import type { SessionStore } from "./store.ts"

/**
 * The rows that a release before 0.2 left of a session: decrypted messages that had not become events (`JOURNAL#`), and
 * a mark for each ciphertext seen (`SEEN#`). This file can go once nobody updates from such a release.
 */

/** The network keeps an unreceipted message for 14 days: until then, the marks of a session updated now count. */
export function marksCountUntil(): number {
  return now() + 14 * 86_400
}

/** Whether such a release has seen this ciphertext. @throws SessionEnded */
export async function wasSeenFormerly(store: SessionStore, hash: string, until: number): Promise<boolean> {
  return until > now() && (await store.get(`SEEN#${hash}`)) !== undefined
}

/** Turns the messages it left into events, before anything else arrives. @throws SessionEnded */
export async function drainFormer(store: SessionStore, inbound: Inbound): Promise<void> {
  for (const { received, removal } of await parked(store, await parkedKeys(store, "JOURNAL#")))
    await inbound.takeFormer(received, removal)
}
