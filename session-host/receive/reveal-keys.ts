import { createHash } from "node:crypto"
import { z } from "zod"
import { now } from "#core/platform/clock.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"
import { keptFor } from "./parked.ts"

/** How many messages may wait for one key: the first ones, since a stranger may use the same id. */
const mostWaiting = 100

const Row = z.object({
  key: z.base64().optional(),
  /** The prefixes of the keys of the rows of messages that came before the key. */
  parked: z.array(z.string()),
})

/** What is known of the id of a key. */
export interface Revealed {
  key?: Uint8Array | undefined
  /** The messages that wait for it, by the prefixes of their rows. */
  parked: string[]
}

/**
 * The keys of scheduled messages (WhatsApp Web: "reveal keys"): one key may open several messages, and may
 * come before or after each of them.
 */
export class RevealKeys {
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  /** @throws SessionEnded */
  async find(keyId: string): Promise<Revealed> {
    const found = await this.#store.get(skOf(keyId))
    if (!found) return { parked: [] }
    const { key, parked } = Row.parse(JSON.parse(found.secret.toString()))
    return { key: key === undefined ? undefined : Buffer.from(key, "base64"), parked }
  }

  /** @param expiry when the row is forgotten, in Unix seconds */
  row(keyId: string, { key, parked }: Revealed, expiry = now() + keptFor): SessionWrite {
    const row: z.infer<typeof Row> = {
      ...(key && { key: Buffer.from(key).toString("base64") }),
      parked: parked.slice(0, mostWaiting),
    }
    return this.#store.put(skOf(keyId), JSON.stringify(row), { expires_at: expiry })
  }
}

/** The id is hashed, since a sender chooses it: it may have any length and any characters. */
function skOf(keyId: string): string {
  return `REVEAL#${createHash("sha256").update(keyId).digest("base64url")}`
}
