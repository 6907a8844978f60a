import { randomBytes, randomInt } from "node:crypto"
import type { PhoneKeyStore } from "../../storage/phone-keys.ts"
import { pack, unpack } from "../../storage/store.ts"
import * as Curve from "../../wire/curve.ts"
import type { PasskeyPair } from "../passkey.ts"
import type { TargetRow } from "../target.ts"

/** A phone's identity. */
export interface Identity {
  registrationId: number
  identity: Curve.KeyPair
  signedPreKey: { id: number; pair: Curve.KeyPair; signature: Buffer }
  /** The id of the account's device list, as its companions' signatures name it. */
  rawId: number
  nextPreKey: number
}

/** A Signal session record, as libsignal writes it down. */
interface SessionRow {
  _sessions: Record<string, unknown>
  version: string
}

/** The key with which app state is encrypted, shared among an account's devices. */
export interface AppStateKey {
  id: Buffer
  data: Buffer
  timestamp: number
}

/** A message that the phone sent, kept for recipients that could not read it. */
interface SentRow {
  target: TargetRow
  content: Uint8Array
  raw?: boolean
  /** Whether it was for one companion of the account alone. */
  peer?: boolean
}

/** The keys that a phone keeps, by kind; most kinds have an entry per id. */
interface Kept {
  identity: Identity
  prekey: Curve.KeyPair
  session: SessionRow
  /** The current key under the empty id, and each key under its own id. */
  "app-state-key": AppStateKey
  /** Companions that had their first messages. */
  greeted: boolean
  passkey: PasskeyPair
  sent: SentRow
  /** Sender keys, as Baileys writes them down. */
  "sender-key": Buffer
  /** The devices that have been given our sender key of a group. */
  "sender-key-given": string[]
}

/** One phone's keys and ratchets. Changes are staged, and kept when `commit` says so: one write. */
export type Keys = ReturnType<typeof keysOf>

export function keysOf({ store, select, insert, remove, removeAll }: PhoneKeyStore, pn: string) {
  const staged = new Map<string, { kind: string; id: string; value: unknown }>()

  const get = <K extends keyof Kept>(kind: K, id: string): Kept[K] | undefined => {
    const waiting = staged.get(`${kind} ${id}`)
    // `put` took it as this kind.
    if (waiting) return waiting.value as Kept[K] | undefined
    const row = select.get(pn, kind, id)
    return row && (unpack(row.value) as Kept[K])
  }
  const put = <K extends keyof Kept>(kind: K, id: string, value: Kept[K] | undefined) => {
    staged.set(`${kind} ${id}`, { kind, id, value })
  }
  return {
    get,
    /** Undefined removes. */
    put,
    /** Made when first asked for. */
    identity(): Identity {
      const found = get("identity", "")
      if (found) return found
      const made = newIdentity()
      put("identity", "", made)
      return made
    },
    /** Keeps what was staged. */
    commit() {
      store.atomically(() => {
        for (const { kind, id, value } of staged.values())
          if (value === undefined) remove.run(pn, kind, id)
          else insert.run(pn, kind, id, pack(value))
      })
      staged.clear()
    },
    /** Forgets what was staged. */
    rollback: () => staged.clear(),
    /** Loses every session and sender key, at once: as a phone that was put back to an old backup. */
    loseSessions: () =>
      store.atomically(() => {
        for (const kind of ["session", "sender-key", "sender-key-given"] satisfies (keyof Kept)[])
          removeAll.run(pn, kind)
      }),
  }
}

function newIdentity(): Identity {
  const identity = Curve.generate()
  const pair = Curve.generate()
  const signature = Curve.sign(identity.private, Buffer.concat([Buffer.from([5]), pair.public]))
  return {
    identity,
    signedPreKey: { id: 1, pair, signature },
    registrationId: randomInt(1, 16_380),
    rawId: randomBytes(4).readUInt32BE(),
    nextPreKey: 1,
  }
}
