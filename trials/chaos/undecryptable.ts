import type { Entry } from "#one-machine/network/client.ts"
import { spoiltSize } from "#simulator/stanzas/message.ts"

/** What a device could not read, or refused, as the network's log has it. */
export interface Undecryptable {
  /** Takes the entries of the log, in order. */
  saw: (entry: Entry) => void
  entries: Entry[]
  /** How many copies of messages bridges have asked for since the network had spoilt the copy before. */
  asked: () => number
}

/**
 * A bridge may ask once more for each copy that the network had spoilt, and then refuse that copy; anything
 * else is listed.
 */
export function newUndecryptable(): Undecryptable {
  const entries: Entry[] = []
  /** By device, message and answer: spoilt copies without that answer. */
  const spoilt = new Map<string, number>()
  let asked = 0
  return {
    entries,
    asked: () => asked,
    saw(entry) {
      const name = (answer?: string) => `${entry.who} ${entry.stanza?.attrs.id} ${answer}`
      const left = (answer?: string) => spoilt.get(name(answer)) ?? 0
      if (isSpoilt(entry)) for (const answer of ["receipt", "ack"]) spoilt.set(name(answer), left(answer) + 1)
      if (!isUndecryptable(entry)) return
      const answer = entry.stanza?.tag
      if (left(answer) === 0) return void entries.push(entry)
      spoilt.set(name(answer), left(answer) - 1)
      if (answer === "receipt") asked++
    },
  }
}

/** Whether a device has used a key a second time. */
export function isReuse({ event }: Entry): boolean {
  return event === "key used twice" || event === "prekey changed"
}

function isSpoilt({ kind, stanza }: Entry): boolean {
  if (kind !== "out" || stanza?.tag !== "message" || !Array.isArray(stanza.content)) return false
  return stanza.content.some(({ tag, content }) => tag === "enc" && content === spoiltSize)
}

/** Phones say so in a note, bridges in a refusal or a retry receipt. */
function isUndecryptable({ event, stanza, kind, who }: Entry): boolean {
  if (event === "not decrypted" || event?.startsWith("phone failed")) return true
  if (kind !== "in" || who.endsWith(":0") || !stanza) return false
  const { tag, attrs } = stanza
  return (tag === "ack" && attrs.error !== undefined) || (tag === "receipt" && attrs.type === "retry")
}
