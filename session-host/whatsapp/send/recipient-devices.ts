import {
  extractDeviceJids,
  type PossiblyExtendedCacheStore,
  type USyncQueryResultList,
  type WASocket,
} from "@whiskeysockets/baileys"
import { statusChat, userOf, withoutDevice } from "#core/message/jid.ts"
import { newTurns } from "#core/platform/locks.ts"
import { askForGroupCard } from "../../groups/group-card.ts"
import { pairIn, askUsync } from "../../network/ask-about-people.ts"
import { NobodyReached, NotInGroup } from "../../network/errors.ts"
import { type Stanza, child, childrenOf, el } from "../../network/stanza.ts"
import { inTransmission, transmissionNow } from "../async-context.ts"
import { askNetwork } from "../questions/ask.ts"
import type { ILogger } from "../quiet-log.ts"
import type { Keys } from "../signal/keys.ts"
import { type Device, type DeviceLists, jidOf } from "./device-lists.ts"
import { type GroupCache, metadataOf } from "./group-cache.ts"
import { openSessions } from "./open-sessions.ts"
import type { Transmission } from "./transmission.ts"

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
   * Asks for these devices again. Returns those that have a session then. @throws NetworkRejected, NoAnswer
   */
  refreshDevices: (transmission: Transmission) => Promise<Device[]>
}

/**
 * The recipients of a message: the members of a group, their devices, and a session with each. Baileys would
 * ask for a group at each send, wait a minute for an answer about devices, fetch a prekey of everybody it has
 * asked about, open all sessions in one stretch, and refuse a message if one device of many has no keys. So
 * everything is there when it looks.
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
  // The answer is taken in as it arrives.
  const card = await askForGroupCard({ ask: (question) => askNetwork(sock(), question) }, jid)
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
 * Notes devices. When somebody is addressed by LID from now on, Baileys looks here for the sessions to move.
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
