import { hash } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  extractDeviceJids,
  type PossiblyExtendedCacheStore,
  type USyncQueryResultList,
  type WASocket,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isPnUser,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  jidEncode,
  type JidWithDevice,
} from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { statusChat, userOf, withoutDevice } from "#core/message/jid.ts"
import { newTurns } from "#core/platform/locks.ts"
import { askForGroupCard } from "../../groups/group-card.ts"
import { pairIn, askUsync } from "../../network/ask-about-people.ts"
import { NobodyReached, NotInGroup } from "../../network/errors.ts"
import { type Stanza, child, childrenOf, el } from "../../network/stanza.ts"
import { askNetwork, answerInTime } from "../questions/ask.ts"
import { storePairs } from "../questions/members.ts"
import type { ILogger } from "../quiet-log.ts"
import type { Keys } from "../signal/keys.ts"
import { SessionRecord } from "../signal/libsignal.ts"
import { type GroupCache, metadataOf } from "./group-cache.ts"
import { inTransmission, type Transmission, transmissionNow } from "./transmission.ts"

interface Input {
  devices: DeviceLists
  groups: GroupCache
  keys: Keys
  me: () => { id: string; lid?: string } | undefined
  sock: () => Pick<WASocket, "query" | "signalRepository">
  log: ILogger
}

interface RecipientDevices {
  /** The caches that Baileys asks for groups and devices. */
  forBaileys: {
    cachedGroupMetadata: (jid: string) => Promise<ReturnType<typeof metadataOf> | undefined>
    userDevicesCache: PossiblyExtendedCacheStore
  }
  /** The known devices that a transmission goes to, without the one that it comes from. */
  knownDevices: (transmission: Transmission) => Device[]
  /**
   * Asks for these devices again. Returns those that have a session then.
   * @throws NetworkRejected, NoAnswer
   */
  refreshDevices: (transmission: Transmission) => Promise<Device[]>
}

/**
 * The recipients of a message: the members of a group, their devices, and a session with each. Baileys would
 * ask for a group at each send, wait a minute for an answer about devices, fetch a prekey of every person it
 * has asked about, open all sessions in one stretch, and refuse a message if one device of many has no keys.
 * So everything is there when Baileys looks.
 */
export function newRecipientDevices(input: Input): RecipientDevices {
  const { devices } = input
  /**
   * One preparation after another: each finds what the last one has brought, even if its message was given
   * up.
   */
  const inTurn = newTurns()

  const knownDevices = ({ users }: Transmission) => users.flatMap((user) => devices.get(user) ?? [])

  async function cachedGroupMetadata(jid: string) {
    const transmission = transmissionNow()
    const group = await inTransmission(undefined, () => findGroup(input, jid))
    // Baileys would ask once more, and its error would say less.
    if (!group && input.groups.isForeign(jid)) throw new NotInGroup("the session is not in this group")
    if (transmission && group) transmission.members = group.members
    return group && metadataOf(group)
  }

  return {
    knownDevices,
    async refreshDevices(transmission) {
      const { users } = transmission
      for (const user of users) devices.forget(user)
      await inTurn(() => prepare(input, users, transmission))
      return knownDevices(transmission).filter((device) => isReachable(transmission, device))
    },
    forBaileys: {
      cachedGroupMetadata,
      userDevicesCache: {
        ...devices.asCache(),
        async mget<T>(users: string[]) {
          const transmission = transmissionNow()
          if (transmission) transmission.users = users
          // The answers serve later messages, too. So the questions go on when this message is given up,
          // though none of its frames may leave.
          if (transmission)
            await inTurn(() => inTransmission(undefined, () => prepare(input, users, transmission)))
          const found = users.flatMap((user) => {
            const list = devices.get(user)
            return list ? [[user, list.filter((device) => isReachable(transmission, device))] as const] : []
          })
          // Baileys says itself which type it wants: these are devices.
          if (transmission) mustReachSomebody(devices, transmission, new Map(found))
          return Object.fromEntries(found) as Record<string, T>
        },
      },
    },
  }
}

/** The group as remembered, or asked for; undefined if we are not in it. @throws NetworkRejected, NoAnswer */
export async function findGroup({ groups, sock }: Pick<Input, "groups" | "sock">, jid: string) {
  if (groups.get(jid) || groups.isForeign(jid)) return groups.get(jid)
  const { changes } = groups
  // The answer is remembered as it arrives.
  const card = await askForGroupCard({ ask: (question) => askNetwork(sock(), question) }, jid)
  await storePairs(sock(), card)
  if (!card) groups.notIn(jid, changes)
  return groups.get(jid)
}

function isReachable(transmission: Transmission | undefined, device: Device): boolean {
  return transmission?.reached?.get(jidOf(device)) !== false
}

/**
 * A message to a person needs a device of theirs. Baileys would send it to our own devices alone, and the
 * network would accept it. Their list is asked for again by the next message, and so are the keys.
 * @throws NobodyReached
 */
function mustReachSomebody(
  devices: DeviceLists,
  { chat, members }: Transmission,
  reached: Map<string, Device[]>,
) {
  const user = userOf(chat)
  if (members || reached.get(user)?.length !== 0) return
  devices.forget(user)
  throw new NobodyReached("no device of this person can be reached")
}

async function prepare(input: Input, users: string[], transmission: Transmission): Promise<void> {
  transmission.mustGoOn()
  const { devices } = input
  const jids = users.flatMap((user) => (devices.has(user) ? [] : addressOf(input, user, transmission)))
  if (jids.length > 0) await askForDevices(input, jids)
  const wanted = users.flatMap((user) => devices.get(user) ?? [])
  transmission.reached = await openSessions(input, await withoutKey(input, wanted, transmission))
  transmission.openAgain = async (jid) =>
    await openSessions(
      input,
      wanted.filter((device) => jidOf(device) === jid),
    )
}

/** The address of a user: Baileys asks by the user part alone. */
function addressOf({ me }: Input, user: string, { chat, members }: Transmission): string[] {
  const { id = "", lid = "" } = me() ?? {}
  const named = members?.get(user) ?? [chat, lid, id].find((jid) => userOf(jid) === user)
  return named ? [withoutDevice(named)] : []
}

/** @throws NetworkRejected, NoAnswer */
async function askForDevices({ sock, devices, keys, me }: Input, jids: string[]): Promise<void> {
  const about = [el("devices", { version: "2" }), el("lid")]
  const users = jids.map((jid) => el("user", { jid }))
  const asking = { ask: (question: Parameters<typeof askNetwork>[1]) => askNetwork(sock(), question) }
  const found = await askUsync(asking, { about, users, context: "message" })
  const pairs = found.flatMap(pairIn)
  await sock().signalRepository.lidMapping.storeLIDPNMappings(pairs)

  const { id = "", lid } = me() ?? {}
  const own = new Set([id, lid])
  const lists = new Map<string, Device[]>(jids.map((jid) => [userOf(jid), []]))
  for (const device of extractDeviceJids(found.map(listOf), id, lid ?? "", false) as Device[])
    if (!own.has(jidOf(device))) lists.get(device.user)?.push(device)
  for (const [user, list] of lists) devices.set(user, list)
  await noteDevices(keys, new Map(pairs.map(({ pn }) => [userOf(pn), lists.get(userOf(pn)) ?? []])))
}

function listOf(user: Stanza): USyncQueryResultList {
  const list = childrenOf(child(child(user, "devices"), "device-list"), "device")
  const deviceList = list.map(({ attrs }) => ({
    id: Number(attrs.id),
    keyIndex: Number(attrs["key-index"] ?? 0),
    isHosted: attrs.is_hosted === "true",
  }))
  return { id: user.attrs.jid ?? "", devices: { deviceList } }
}

/**
 * Notes devices. When a person is addressed by LID from now on, Baileys looks here for the sessions to move.
 */
async function noteDevices(keys: Keys, lists: Map<string, Device[]>): Promise<void> {
  const known = await keys.get("device-list", [...lists.keys()])
  const changed = [...lists].flatMap(([user, list]) => {
    const ids = list.map(({ device }) => String(device ?? 0))
    return known[user]?.join() === ids.join() ? [] : [[user, ids] as const]
  })
  if (changed.length > 0) await keys.set({ "device-list": Object.fromEntries(changed) })
}

/** The devices that do not have our sender key. A message to a person is encrypted for each device. */
async function withoutKey(
  { keys }: Input,
  devices: Device[],
  { chat, members }: Transmission,
): Promise<Device[]> {
  // Baileys gives the key to all who are shown a status, each time.
  if (!members || chat === statusChat) return devices
  const { [chat]: holders = {} } = await keys.get("sender-key-memory", [chat])
  return devices.filter((device) => !holders[jidOf(device)])
}

/** How many prekeys are asked for at once. */
const atOnce = 100

interface Opening {
  devices: Pick<DeviceLists, "noteNoKeys">
  keys: Keys
  sock: () => Pick<WASocket, "query" | "signalRepository">
  log: ILogger
}

/**
 * Opens the sessions that are missing, before Baileys looks for them.
 * @returns whether there is a session with each device now. The network has no keys for some. Such a device
 * has a session all the same once it has written to us.
 * @throws NetworkRejected, NoAnswer
 */
async function openSessions(input: Opening, devices: Device[]): Promise<Map<string, boolean>> {
  const { sock, log } = input
  const jids = devices.map(jidOf)
  const refused = new Set(devices.filter((device) => device.hasNoKeys).map(jidOf))
  const reached = new Map(jids.map((jid) => [jid, true]))
  const missing = await withoutSession(input, jids)
  const asked = missing.filter(({ jid }) => !refused.has(jid))
  const keyless = new Set<string>()
  for (let at = 0; at < asked.length; at += atOnce) {
    const some = asked.slice(at, at + atOnce)
    const bundles = await bundlesOf(
      sock(),
      some.map(({ wire }) => wire),
    )
    for (const { jid, wire } of some) {
      const bundle = bundles.get(wire)
      if (hasNoKeys(bundle)) keyless.add(jid)
      reached.set(jid, await open(sock(), bundle, log))
    }
  }
  input.devices.noteNoKeys(devices.filter((device) => keyless.has(jidOf(device))))
  for (const { jid } of missing) if (refused.has(jid)) reached.set(jid, false)
  const without = asked.filter(({ jid }) => !reached.get(jid)).length
  if (without > 0) log.warn({ devices: without }, "devices without keys are left out")
  return reached
}

async function bundlesOf(sock: Pick<WASocket, "query">, jids: string[]): Promise<Map<string, BinaryNode>> {
  const users = jids.map((jid) => ({ tag: "user", attrs: { jid } }))
  const attrs = { xmlns: "encrypt", type: "get", to: S_WHATSAPP_NET }
  const question = { tag: "iq", attrs, content: [{ tag: "key", attrs: {}, content: users }] }
  const answer = await answerInTime<BinaryNode>(sock.query(question))
  const bundles = getBinaryNodeChildren(getBinaryNodeChild(answer, "list"), "user")
  return new Map(bundles.map((bundle) => [bundle.attrs.jid ?? "", bundle]))
}

/** The devices as Baileys names them, and as the network is asked about them: by LID if that is known. */
async function withoutSession({ sock, keys }: Opening, jids: string[]) {
  const { signalRepository: repository } = sock()
  const lids = (await repository.lidMapping.getLIDsForPNs(jids.filter((jid) => isPnUser(jid)))) ?? []
  const wires = new Map(lids.map(({ pn, lid }) => [pn, lid]))
  const all = jids.map((jid) => {
    const wire = wires.get(jid) ?? jid
    return { jid, wire, address: repository.jidToSignalProtocolAddress(wire) }
  })
  const records = await keys.get(
    "session",
    all.map(({ address }) => address),
  )
  return all.filter(({ address }) => {
    const record = records[address]
    return !record || !SessionRecord.deserialize(record).getOpenSession()
  })
}

/** Whether the network says for good that it has no keys of this device. Any other refusal may pass. */
function hasNoKeys(bundle: BinaryNode | undefined): boolean {
  const { code = "" } = getBinaryNodeChild(bundle, "error")?.attrs ?? {}
  return ["404", "406"].includes(code)
}

/**
 * Opens one session, and lets other work have a turn: a session takes a millisecond, and there may be
 * thousands.
 */
async function open(
  { signalRepository }: Pick<WASocket, "signalRepository">,
  bundle: BinaryNode | undefined,
  log: ILogger,
): Promise<boolean> {
  if (!bundle) return false
  const list = { tag: "list", attrs: {}, content: [bundle] }
  try {
    await parseAndInjectE2ESessions({ tag: "iq", attrs: {}, content: [list] }, signalRepository)
    return true
  } catch (error) {
    log.debug({ error }, "no session with a device")
    return false
  } finally {
    await nextTurn()
  }
}

/** A device as Baileys keeps it; it names the server, too, which its type does not say. */
export type Device = JidWithDevice & {
  server: string
  /**
   * The network has refused its keys, and is not asked for them again until its owner's list changes, or is
   * half a day old.
   */
  hasNoKeys?: true
}

export function jidOf({ user, server, device }: Device): string {
  return jidEncode(user, server as Parameters<typeof jidEncode>[1], device)
}

/** How much is remembered per session, in bytes: some ten thousand people. */
const mostBytes = 1_500_000

/** The size of a person's entry beside name and devices, about. */
const overhead = 200

const ttlMs = 12 * 3600 * 1000

export type DeviceLists = ReturnType<typeof newDeviceLists>

/**
 * The devices of a session's contacts, by the user part of an address. The network reports changes, also
 * those that were made while we were away.
 */
export function newDeviceLists() {
  /** Users by their hash. It has three bytes, so now and then two people share one. */
  const hashed = new Map<string, Set<string>>()
  const entries = new LRUCache<string, string>({
    maxSize: mostBytes,
    sizeCalculation: (value, user) => user.length + value.length + overhead,
    ttl: ttlMs,
    onInsert(_value, user) {
      const key = contactHash(user)
      hashed.set(key, (hashed.get(key) ?? new Set()).add(user))
    },
    disposeAfter(_value, user) {
      if (entries.has(user)) return
      const key = contactHash(user)
      const users = hashed.get(key)
      users?.delete(user)
      if (users?.size === 0) hashed.delete(key)
    },
  })
  const set = (user: string, devices: Device[]) => void entries.set(user, devices.map(written).join(" "))
  const get = (user: string) => {
    const entry = entries.get(user)
    return entry === undefined ? undefined : read(user, entry)
  }
  return {
    has: (user: string) => entries.has(user),
    get,
    set,
    /** The network has refused the keys of these devices. */
    noteNoKeys(refused: Device[]): void {
      for (const user of new Set(refused.map((device) => device.user))) {
        const without = new Set(refused.filter((device) => device.user === user).map(deviceAddress))
        const list = get(user)?.map((each) =>
          without.has(deviceAddress(each)) ? { ...each, hasNoKeys: true as const } : each,
        )
        // This does not make the list any newer.
        if (list) entries.set(user, list.map(written).join(" "), { noUpdateTTL: true })
      }
    },
    /** The users with known lists whose user part has this hash: the network names contacts by it. */
    withHash: (ofUser: string): string[] => [...(hashed.get(ofUser) ?? [])],
    /** A user's list of devices is out of date. */
    forget: (user: string) => void entries.delete(user),
    /** The cache that Baileys wants. Baileys itself knows the type of what it has put in. */
    asCache: (): PossiblyExtendedCacheStore => ({
      get: (user) => get(user) as never,
      set: (user, devices) => set(user, devices as Device[]),
      del: (user) => void entries.delete(user),
      flushAll: () => entries.clear(),
    }),
  }
}

/**
 * The first three bytes of an MD5 of a number or private id, in Base64 (`WAWebApiContact`; whatsapp-rust,
 * `crypto.rs`).
 */
function contactHash(user: string): string {
  return hash("md5", `${user}WA_ADD_NOTIF`, "buffer").subarray(0, 3).toString("base64")
}

const deviceAddress = ({ device, server }: Device) => `${device ?? 0}@${server}`
const written = (device: Device) => `${deviceAddress(device)}${device.hasNoKeys ? noKeys : ""}`
/** After the address of a device whose keys were refused. */
const noKeys = "!"

function read(user: string, entry: string): Device[] {
  return entry.split(" ").flatMap((text) => {
    const hasNoKeys = text.endsWith(noKeys)
    const [device, server] = (hasNoKeys ? text.slice(0, -noKeys.length) : text).split("@")
    if (!server) return []
    return [{ user, device: Number(device), server, ...(hasNoKeys && { hasNoKeys }) }]
  })
}
