import { BufferJSON } from "@whiskeysockets/baileys"
import { type Rows, withoutSession } from "#session-host/memory/without-session.ts"
import type { FoundKey } from "./found-login.ts"
import { credsFromText, keyFromText } from "./signal/keys-as-text.ts"

/*
 * The rows of a bridge that has stopped become what Baileys' own key store keeps.
 */

/** A key, as Baileys writes it as JSON. */
interface LeavingKey {
  type: FoundKey["type"]
  id: string
  json: string
}

/** How many keys are read at a time. */
const atOnce = 50

const kinds = [
  "session",
  "sender-key",
  "sender-key-memory",
  "app-state-sync-key",
  "app-state-sync-version",
  "lid-mapping",
  "device-list",
  "tctoken",
  "identity-key",
] as const satisfies FoundKey["type"][]

/** The credentials and the keys of the login that a bridge has; undefined if no phone is linked. */
export async function leavingLogin(
  rows: Rows,
): Promise<{ creds: string; keys: AsyncGenerator<LeavingKey> } | undefined> {
  const { store, vault: found } = withoutSession(rows)
  const vault = await found()
  if (vault.creds === undefined || !vault.login) return undefined
  const { additionalData: _ours, accountSyncCounter, ...rest } = credsFromText(vault.creds)
  // Baileys holds back what comes until a history has come, if none has come before.
  const creds = { ...rest, accountSyncCounter: Math.max(1, accountSyncCounter) }
  return { creds: JSON.stringify(creds, BufferJSON.replacer), keys: keys() }

  async function* keys(): AsyncGenerator<LeavingKey> {
    for (const type of kinds) {
      const prefix = vault.prefixOf(type)
      const ids = (await store.names(prefix)).map((sk) => sk.slice(prefix.length))
      for (let at = 0; at < ids.length; at += atOnce) yield* some(type, ids.slice(at, at + atOnce))
    }
    // Ten prekeys share a row.
    const prefix = vault.prefixOf("pre-keys")
    const groups = (await store.names(prefix)).map((sk) => Number(sk.slice(prefix.length)))
    for (const group of groups)
      yield* some(
        "pre-key",
        Array.from({ length: 10 }, (_, n) => String(10 * group + n)),
      )
  }

  async function* some(type: LeavingKey["type"], ids: string[]): AsyncGenerator<LeavingKey> {
    for (const [id, text] of await vault.keys(type, ids))
      yield { type, id, json: JSON.stringify(keyFromText(type, text), BufferJSON.replacer) }
  }
}
