import { createHash } from "node:crypto"
import { z } from "zod"
import { now } from "#core/platform/clock.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"

/** In seconds: as long as parked messages are kept. */
const keptFor = 30 * 86_400

/**
 * The row of the id of a scheduled message's key: it has the key, or names the message that waits for the
 * key.
 */
const Row = z.union([
  z.object({ key: z.base64() }),
  /** The prefix of the keys of the message's rows. */
  z.object({ parked: z.string() }),
])

/** The keys of scheduled messages (WhatsApp Web: "reveal keys"): a key or its message may come first. */
export class RevealKeys {
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  /** @throws SessionEnded */
  async find(keyId: string): Promise<{ key?: Uint8Array; parked?: string }> {
    const found = await this.#store.get(skOf(keyId))
    const row = found && Row.parse(JSON.parse(found.secret.toString()))
    if (!row) return {}
    return "key" in row ? { key: Buffer.from(row.key, "base64") } : row
  }

  keyRow(keyId: string, key: Uint8Array): SessionWrite {
    return this.#row(keyId, { key: Buffer.from(key).toString("base64") })
  }

  parkedRow(keyId: string, parked: string): SessionWrite {
    return this.#row(keyId, { parked })
  }

  removal(keyId: string): SessionWrite {
    return this.#store.remove(skOf(keyId))
  }

  #row(keyId: string, row: z.infer<typeof Row>): SessionWrite {
    return this.#store.put(skOf(keyId), JSON.stringify(row), { expires_at: now() + keptFor })
  }
}

/** The id is hashed, since a sender chooses it: it may have any length and any characters. */
function skOf(keyId: string): string {
  return `REVEAL#${createHash("sha256").update(keyId).digest("base64url")}`
}
