import { createPrivateKey, createPublicKey } from "node:crypto"
import { z } from "zod"
import { nowMs } from "#core/platform/clock.ts"
import type { FoundCreds, FoundKey, FoundPerson } from "#session-host/whatsapp/found-login.ts"
import type { Database, Row } from "./database.ts"
import { senderKeysOf, sessionOf } from "./whatsmeow-session.ts"

/*
 * The store of whatsmeow (`sqlstore`), which keeps the logins of any number of devices.
 */

/** The versions of its schema that are read. Whatever came after the first was only added. */
const versions = { first: 8, last: 15 }
/** What may be in a store of its own (GOWA's `DB_KEYS_URI`). */
const tablesOfKeys = ["identity_keys", "pre_keys", "sessions", "sender_keys"]
const tablesRead = [...tablesOfKeys, "app_state_sync_keys", "contacts", "privacy_tokens", "lid_map"]

const Bytes = z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes))
const Key = Bytes.refine(({ length }) => length === 32)
const Text = z.string().nullish()
const Int = z.coerce.number().int()

const Device = z.object({
  jid: z.string().regex(/^\d+(?::\d+)?@s\.whatsapp\.net$/),
  lid: Text,
  registration_id: Int,
  noise_key: Key,
  identity_key: Key,
  signed_pre_key: Key,
  signed_pre_key_id: Int,
  signed_pre_key_sig: Bytes,
  adv_key: Bytes,
  adv_details: Bytes,
  adv_account_sig: Bytes,
  adv_account_sig_key: Bytes,
  adv_device_sig: Bytes,
  platform: Text,
  business_name: Text,
  push_name: Text,
})
export type Device = z.infer<typeof Device>

/** Where the login of a device is. */
export interface Login {
  device: Device
  /** The store with all but its Signal keys. */
  store: Database
  /** The store with those. */
  keyStore: Database
}

/** Whether this database is a store of whatsmeow, as far as its tables say. */
export function isOne({ tables }: Database): boolean {
  return tables.has("whatsmeow_device")
}

/** Why a store cannot be read, in one sentence; undefined: it can. */
export async function whyUnreadable(store: Database): Promise<string | undefined> {
  const missing = tablesRead.find((name) => !store.tables.has(`whatsmeow_${name}`))
  const found = store.tables.has("whatsmeow_version")
    ? await first(store.rows("SELECT * FROM whatsmeow_version"))
    : {}
  const { version, compat } = z.object({ version: Int.optional(), compat: Int.nullish() }).parse(found)
  if (version === undefined)
    return `${store.place} does not say its version: it is no whole store of whatsmeow`
  if (version < versions.first)
    return `${store.place} is of version ${version} of whatsmeow's store, which is too old: start its gateway once in a newer release, which brings it up to date, and stop it again`
  if ((compat || version) > versions.last)
    return `${store.place} is of version ${version} of whatsmeow's store, which this release cannot read: the newest that it knows is ${versions.last}`
  if (missing) return `${store.place} is half a store of whatsmeow: it has no table whatsmeow_${missing}`
  return undefined
}

/** The devices in a store, and the JIDs of what is none, as of an account of Messenger. */
export async function devicesIn(store: Database): Promise<{ devices: Device[]; others: string[] }> {
  const devices: Device[] = []
  const others: string[] = []
  for await (const row of store.rows("SELECT * FROM whatsmeow_device ORDER BY jid")) {
    const { success, data } = Device.safeParse(row)
    if (success) devices.push(data)
    else others.push(String(row.jid))
  }
  return { devices, others }
}

/**
 * The login of a device that is in several stores: GOWA may have its Signal keys in one and the rest in
 * another. Undefined: nobody can say which of them is in use.
 */
export async function inTwoStores(logins: Login[]): Promise<Login | undefined> {
  const [one, other, ...more] = logins
  if (!one || !other) return one
  const hasMore = async ({ store, device }: Login) =>
    (await first(rowsOf(store, "app_state_sync_keys", device, "jid"))) !== undefined ||
    (await first(rowsOf(store, "contacts", device))) !== undefined
  const [hasOne, hasOther] = [await hasMore(one), await hasMore(other)]
  if (hasOne === hasOther || more.length > 0) return undefined
  const [main, keys] = hasOne ? [one, other] : [other, one]
  return { ...main, keyStore: keys.store }
}

/** The credentials of a device. */
export async function credsOf({ device, store, keyStore }: Login): Promise<FoundCreds> {
  const numbers = await first(
    keyStore.rows(
      `SELECT max(key_id) AS last, min(CASE WHEN uploaded THEN NULL ELSE key_id END) AS unuploaded
        FROM whatsmeow_pre_keys WHERE jid = $1`,
      device.jid,
    ),
  )
  const { last, unuploaded } = z.object({ last: Int.nullable(), unuploaded: Int.nullable() }).parse(numbers)
  const nextPreKeyId = (last ?? 0) + 1
  const syncKey = await first(
    store.rows(
      "SELECT key_id FROM whatsmeow_app_state_sync_keys WHERE jid = $1 ORDER BY timestamp DESC LIMIT 1",
      device.jid,
    ),
  )
  const lid = device.lid || undefined
  const name = device.push_name || device.business_name || undefined
  return {
    noiseKey: pairOf(device.noise_key),
    signedIdentityKey: pairOf(device.identity_key),
    signedPreKey: {
      keyPair: pairOf(device.signed_pre_key),
      signature: device.signed_pre_key_sig,
      keyId: device.signed_pre_key_id,
    },
    registrationId: device.registration_id,
    advSecretKey: device.adv_key.toString("base64"),
    account: {
      details: device.adv_details,
      accountSignature: device.adv_account_sig,
      accountSignatureKey: device.adv_account_sig_key,
      deviceSignature: device.adv_device_sig,
    },
    me: { id: device.jid, ...(lid && { lid }), ...(name && { name }) },
    ...(device.platform && { platform: device.platform }),
    ...(syncKey && { myAppStateKeyId: Bytes.parse(syncKey.key_id).toString("base64") }),
    nextPreKeyId,
    firstUnuploadedPreKeyId: unuploaded ?? nextPreKeyId,
    // Baileys would wait for a history, which has come.
    accountSyncCounter: 1,
  }
}

/**
 * The keys of a device. How far its settings were read is left out, so that they are read again, and with
 * them the address book and what is set for chats.
 * @param onCut is told the name of a record that cannot be read
 */
export async function* keysOf(login: Login, onCut: (name: string) => void): AsyncGenerator<FoundKey> {
  const { device, store, keyStore } = login
  const people = await peopleMet(login)
  for (const [pn, lid] of people.lids) {
    yield { type: "lid-mapping", id: pn, value: lid }
    yield { type: "lid-mapping", id: `${lid}_reverse`, value: pn }
  }
  for await (const { key_id: id, key } of rowsOf(keyStore, "pre_keys", device, "jid"))
    yield { type: "pre-key", id: String(id), value: pairOf(Key.parse(key)) }
  for await (const { their_id: theirs, identity } of rowsOf(keyStore, "identity_keys", device)) {
    const address = whereNow(String(theirs), people, people.withIdentity)
    if (address) yield { type: "identity-key", id: address, value: withType(Key.parse(identity)) }
  }
  for await (const { their_id: theirs, session } of rowsOf(keyStore, "sessions", device)) {
    const address = whereNow(String(theirs), people, people.withSession)
    const value = address && orCut(() => sessionOf(textOf(session), nowMs()))
    if (value) yield { type: "session", id: address, value }
    else if (address) onCut(`session ${address}`)
  }
  for await (const row of rowsOf(keyStore, "sender_keys", device))
    yield* senderKeysIn(row, device, people, onCut)
  for await (const { key_id: id, ...key } of rowsOf(store, "app_state_sync_keys", device, "jid"))
    yield {
      type: "app-state-sync-key",
      id: Bytes.parse(id).toString("base64"),
      value: { keyData: Bytes.parse(key.key_data), timestamp: Int.parse(key.timestamp) },
    }
  yield* tokensOf(login, people)
}

/** Whom a device knows by a name. */
export async function* peopleOf(login: Login): AsyncGenerator<FoundPerson> {
  const { lids, numbers } = await peopleMet(login)
  for await (const row of rowsOf(login.store, "contacts", login.device)) {
    const [user = "", server = ""] = String(row.their_jid).split("@")
    if (!["s.whatsapp.net", "lid"].includes(server)) continue
    const [pn, lid] = server === "lid" ? [numbers.get(user), user] : [user, lids.get(user)]
    yield {
      jid: pn && `${pn}@s.whatsapp.net`,
      lid: lid && `${lid}@lid`,
      fullName: nameIn(row.full_name),
      firstName: nameIn(row.first_name),
      pushName: nameIn(row.push_name),
      verifiedName: nameIn(row.business_name),
    }
  }
}

function nameIn(value: unknown): string | undefined {
  return Text.parse(value) || undefined
}

async function* rowsOf(from: Database, table: string, device: Device, owner = "our_jid") {
  yield* from.rows(`SELECT * FROM whatsmeow_${table} WHERE ${owner} = $1`, device.jid)
}

/** The people whom a device has met, if both their addresses are known, and where it keeps keys. */
interface People {
  /** LIDs by numbers, and numbers by LIDs. */
  lids: Map<string, string>
  numbers: Map<string, string>
  withSession: Set<string>
  withIdentity: Set<string>
  /** With the group before the address. */
  withSenderKeys: Set<string>
}

/** A store has the pairs of all its devices: only those of people whom this one has met are its own. */
async function peopleMet({ device, store, keyStore }: Login): Promise<People> {
  const ids = async (from: Database, column: string, table: string) => {
    const found = new Set<string>()
    const query = `SELECT ${column} AS id FROM whatsmeow_${table} WHERE our_jid = $1`
    for await (const { id } of from.rows(query, device.jid)) found.add(String(id))
    return found
  }
  const withSession = await ids(keyStore, "their_id", "sessions")
  const withIdentity = await ids(keyStore, "their_id", "identity_keys")
  const withSenderKeys = await ids(keyStore, "chat_id || ' ' || sender_id", "sender_keys")
  const contacts = await ids(store, "their_jid", "contacts")
  const tokens = await ids(store, "their_jid", "privacy_tokens")
  const all = [withSession, withIdentity, withSenderKeys, contacts, tokens].flatMap((some) => [...some])
  const met = new Set(all.map(userIn))
  const lids = new Map<string, string>()
  for await (const { lid, pn } of store.rows("SELECT lid, pn FROM whatsmeow_lid_map"))
    if (met.has(String(lid)) || met.has(String(pn))) lids.set(String(pn), String(lid))
  if (device.lid) lids.set(userIn(device.jid), userIn(device.lid))
  const numbers = new Map([...lids].map(([pn, lid]) => [lid, pn]))
  return { lids, numbers, withSession, withIdentity, withSenderKeys }
}

/** The user of a JID, or of a Signal address, behind a group or not: `4915…:3`, and `1234…_1:0` of a LID. */
export function userIn(address: string): string {
  return address.slice(address.indexOf(" ") + 1).split(/[_:@]/, 1)[0]! // there is always a first part
}

/** The users under whom a device may be found, as Signal addresses name them, and its number. */
function namesIn(theirs: string, { lids, numbers }: People) {
  const [user = "", device = "0"] = theirs.split(":")
  const isLid = user.endsWith("_1")
  const pn = isLid ? numbers.get(userIn(user)) : user
  const lid = isLid ? userIn(user) : lids.get(user)
  return { device, isLid, pn, lid: lid && `${lid}_1` }
}

/**
 * Where Baileys looks for what whatsmeow has under this Signal address: under the person's LID, if that is
 * known. What is under the number counts, as it does for whatsmeow when the person writes next.
 * @param all the addresses in the table
 * @returns undefined: something else counts
 */
function whereNow(theirs: string, people: People, all: Set<string>): string | undefined {
  const { device, isLid, pn, lid } = namesIn(theirs, people)
  return isLid && all.has(`${pn}:${device}`) ? undefined : `${lid ?? pn}.${device}`
}

/**
 * Somebody's sender keys. whatsmeow has them under the LID, also where a group names people by their numbers:
 * there Baileys looks under the number. Our own are left out, since they only encrypt.
 */
function* senderKeysIn(
  row: Row,
  own: Device,
  people: People,
  onCut: (name: string) => void,
): Generator<FoundKey> {
  const [group, sender] = [String(row.chat_id), String(row.sender_id)]
  if ([own.jid, own.lid ?? ""].some((jid) => userIn(jid) === userIn(sender))) return
  const { device, isLid, pn, lid } = namesIn(sender, people)
  if (isLid && people.withSenderKeys.has(`${group} ${pn}:${device}`)) return
  const value = orCut(() => senderKeysOf(textOf(row.sender_key)))
  if (!value) return onCut(`sender-key ${group} ${sender}`)
  for (const user of [pn, lid])
    if (user) yield { type: "sender-key", id: `${group}::${user}::${device}`, value }
}

/** The tokens of people, each under the address by which Baileys looks for it. The newest counts. */
async function* tokensOf({ store, device }: Login, { lids }: People): AsyncGenerator<FoundKey> {
  const newest = new Map<string, Extract<FoundKey, { type: "tctoken" }>["value"]>()
  const tokens = "SELECT * FROM whatsmeow_privacy_tokens WHERE our_jid = $1 ORDER BY timestamp"
  for await (const row of store.rows(tokens, device.jid)) {
    const jid = String(row.their_jid)
    const lid = lids.get(userIn(jid))
    const at = lid ? `${lid}@lid` : jid
    const sent = Int.nullish().parse(row.sender_timestamp)
    newest.set(at, {
      token: Bytes.parse(row.token),
      timestamp: String(row.timestamp),
      ...(sent && { senderTimestamp: sent }),
    })
  }
  for (const [id, value] of newest) yield { type: "tctoken", id, value }
  // Baileys finds by it which tokens there are.
  const index = { token: Buffer.from(JSON.stringify([...newest.keys()])) }
  if (newest.size > 0) yield { type: "tctoken", id: "__index", value: index }
}

async function first(rows: AsyncIterable<Row>) {
  for await (const row of rows) return row
  return undefined
}

/** What a record becomes; undefined if it is no record. */
function orCut<T>(convert: () => T): T | undefined {
  try {
    return convert()
  } catch {
    // It was cut: it is left out, and made anew.
    return undefined
  }
}

function textOf(value: unknown): string {
  return Bytes.parse(value).toString()
}

/** What stands before a private key of the curve X25519, in PKCS #8. */
const pkcs8 = Buffer.from("302e020100300506032b656e04220420", "hex")

/** The pair of a private key. */
function pairOf(privateKey: Buffer): { private: Buffer; public: Buffer } {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, privateKey]), format: "der", type: "pkcs8" })
  const spki = createPublicKey(key).export({ format: "der", type: "spki" })
  return { private: privateKey, public: spki.subarray(-32) }
}

/** A public key as Signal writes it. */
function withType(key: Buffer): Buffer {
  return Buffer.concat([Buffer.of(5), key])
}
