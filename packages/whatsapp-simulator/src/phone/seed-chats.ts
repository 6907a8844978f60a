import { now } from "../clock.ts"
import type { User } from "../network/directory.ts"
import { described } from "./content/describe.ts"
import type { Handset } from "./handset.ts"
import { newId } from "./outgoing-messages.ts"

/**
 * Fills the phone's chats with these people: this many earlier messages with each, theirs and its own in
 * turn.
 */
export function seedChats(handset: Handset, people: User[], messages: number): void {
  const own = { from: handset.own.user, from_device: handset.own.id, from_me: true }
  // A minute between two messages, the last one a minute ago.
  const since = now() - people.length * messages * 60
  handset.network.store.atomically(() => {
    for (const [i, { pn, name }] of people.entries())
      for (let n = 0; n < messages; n++) {
        const author = n % 2 === 0 ? { from: pn, from_device: 0, from_me: false } : own
        const content = described({ conversation: `message ${n + 1} with ${name}` })
        const timestamp = since + (i * messages + n) * 60
        handset.inbox.add({ id: newId(), chat: pn, timestamp, offline: false, ...author, ...content })
      }
  })
  handset.inbox.announce()
}
