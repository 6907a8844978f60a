import { BufferJSON, initAuthCreds, jidDecode } from "@whiskeysockets/baileys"
import { z } from "zod"
import { log } from "#core/platform/log.ts"
import type { Row } from "#core/store/store.ts"
import { movedInRow } from "#session-host/memory/login-standing.ts"
import { type Rows, withoutSession } from "#session-host/memory/without-session.ts"
import type { KeyChange } from "#session-host/network/connection.ts"
import { Contacts } from "#session-host/people/contacts.ts"
import type { FoundCreds, FoundKey, FoundPerson } from "./found-login.ts"
import { isSignedBy } from "./patches/signature.ts"
import { areOwnSenderKeys, worthlessKinds } from "./signal/anew.ts"
import { credsToText, valueToText } from "./signal/keys-as-text.ts"
import { SessionRecord } from "./signal/libsignal.ts"

/*
 * A login that another program had becomes the rows of a bridge, as a session would have written them.
 */

/** How many keys become rows at a time. */
const atOnce = 40

/** A value that a program with Baileys has written as JSON. @throws SyntaxError */
export function readJson(text: string): unknown {
  return JSON.parse(text, BufferJSON.reviver)
}

const Bytes = z.instanceof(Uint8Array).refine(({ length }) => length > 0)
/** A protobuf message that was written as JSON has its bytes in base64. */
const BytesOrText = z.union([
  Bytes,
  z
    .string()
    .min(1)
    .transform((text) => Buffer.from(text, "base64")),
])
const Pair = z.object({ public: Bytes, private: Bytes })
const KeyId = z.number().int().positive()

/** What a login cannot do without. */
const Whole = z.object({
  noiseKey: Pair,
  signedIdentityKey: Pair,
  signedPreKey: z.object({ keyPair: Pair, signature: Bytes, keyId: KeyId }),
  registrationId: z.number().int(),
  advSecretKey: z.string(),
  nextPreKeyId: KeyId,
  firstUnuploadedPreKeyId: KeyId,
})
const Linked = z.object({
  me: z.object({ id: z.string().regex(/^\d+(?::\d+)?@s\.whatsapp\.net$/), lid: z.string().optional() }),
  account: z.object({ details: BytesOrText, accountSignatureKey: BytesOrText, deviceSignature: BytesOrText }),
})

/** What a device signs of its account, as the network wants it: for a usual account, or a hosted one. */
const signedPrefixes = [Buffer.from([6, 1]), Buffer.from([6, 6])]

/** Why these are not the credentials of a login, in the rest of a sentence; undefined: they are. */
export function whyNoCreds(creds: unknown): string | undefined {
  const whole = Whole.safeParse(creds)
  if (!whole.success) return "its credentials are not whole"
  const linked = Linked.safeParse(creds)
  if (!linked.success) return "no phone is linked to it: it was logged out, or never linked"
  const { signedIdentityKey, signedPreKey } = whole.data
  const { details, accountSignatureKey, deviceSignature } = linked.data.account
  const isDevices = signedPrefixes.some((prefix) => {
    const signed = Buffer.concat([prefix, details, signedIdentityKey.public, accountSignatureKey])
    return isSignedBy(signedIdentityKey.public, signed, deviceSignature)
  })
  const isItsPreKey = isSignedBy(
    signedIdentityKey.public,
    Buffer.concat([Buffer.from([5]), signedPreKey.keyPair.public]),
    signedPreKey.signature,
  )
  return isDevices && isItsPreKey ? undefined : "its credentials are those of two logins, mixed"
}

/**
 * Why these keys are not those of that login, in the rest of a sentence; undefined: they may be.
 * @param cut the names of keys that could not be read, as the keys are read
 */
export async function whyNoKeys(
  creds: FoundCreds,
  keys: AsyncIterable<FoundKey>,
  cut: string[],
): Promise<string | undefined> {
  let preKeys = 0
  const syncKeys = new Set<string>()
  const own = [creds.me?.id, creds.me?.lid].map((jid) => jid && jidDecode(jid)?.user)
  for await (const key of keys) {
    if (key.type === "pre-key") preKeys++
    if (key.type === "app-state-sync-key") syncKeys.add(key.id)
    if (key.type !== "sender-key") continue
    const [, user = ""] = key.id.split("::")
    // The user of a LID has the number of its domain behind it.
    const isOurs = own.includes(user.split("_")[0])
    const text = textOf(key)
    if (text !== undefined && !isOurs && areOwnSenderKeys(text)) return "its keys are those of another number"
  }
  const { myAppStateKeyId: mine } = creds
  if (mine && syncKeys.size > 0 && !syncKeys.has(mine) && cut.length === 0)
    return "its keys are those of another login"
  if (preKeys === 0 && creds.firstUnuploadedPreKeyId > 1) return "it is not whole: its prekeys are missing"
  return undefined
}

/** The login, and whom it knows. */
interface Taken {
  creds: FoundCreds
  keys: AsyncIterable<FoundKey>
  people: AsyncIterable<FoundPerson> | undefined
}

/**
 * The rows of a login, for a bridge that has none. Its next session must make anew what encrypts
 * (`Lease.makeAnew`): the other program may have used more than it has written.
 */
export async function* rowsOfLogin({ creds, keys, people }: Taken, rows: Rows): AsyncGenerator<Row> {
  const { store, make, newVault, taken } = withoutSession(rows)
  const vault = newVault()
  const preKeys: KeyChange[] = []
  const some: KeyChange[] = []
  for await (const key of keys) {
    if (worthlessKinds.includes(key.type)) continue
    const value = textOf(key)
    if (value === undefined) continue
    ;(key.type === "pre-key" ? preKeys : some).push({ type: key.type, id: key.id, value })
    if (some.length < atOnce) continue
    await vault.change({ keys: some.splice(0) })
    yield* taken()
  }
  // Ten prekeys share a row, which must be made once.
  await vault.change({ keys: [...some, ...preKeys] })
  yield* taken()
  if (people) {
    const contacts = new Contacts({ store, commits: { note: make }, recipients: { heardOf() {} }, log }, 1)
    for await (const person of people) {
      await contacts.learn([person], async () => new Map())
      yield* taken()
    }
  }
  await vault.change({ creds: credsToText({ ...initAuthCreds(), ...creds, additionalData: undefined }) })
  make([store.put(movedInRow, "")])
  yield* taken()
}

/** What a value of each kind has, apart from sessions and sender keys, whose own library reads them. */
const forms = {
  "pre-key": Pair,
  "app-state-sync-key": z.object({ keyData: BytesOrText }),
  "app-state-sync-version": z.object({
    version: z.number(),
    hash: Bytes,
    indexValueMap: z.record(z.string(), z.object({ valueMac: Bytes })),
  }),
  "lid-mapping": z.string().min(1),
  tctoken: z.object({ token: z.instanceof(Uint8Array) }),
  "identity-key": Bytes,
}

/** On the network three bytes are the number of a prekey. */
const lastPreKeyId = 0xffffff

/** A key as the vault keeps it; undefined if it is not what its kind is. */
function textOf({ type, id, value }: FoundKey): string | undefined {
  try {
    if (type === "pre-key" && !(Number(id) > 0 && Number(id) <= lastPreKeyId)) return undefined
    if (type === "session") return valueToText(SessionRecord.deserialize(value).serialize(), type)
    if (type === "sender-key") return valueToText(senderKeys(value), type)
    if (type in forms) forms[type as keyof typeof forms].parse(value)
    return valueToText(value, type)
  } catch {
    // It was cut, or is of a form that nobody has told us of.
    return undefined
  }
}

/** Older versions of Baileys keep them as a list, newer ones as the bytes of that list in JSON. */
function senderKeys(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value, BufferJSON.replacer))
}
