import { z } from "zod"
import type { apiClient } from "#one-machine/api-client.ts"
import type { Entry, networkClient } from "#one-machine/network/client.ts"
import type { Evidence } from "../chaos/evidence.ts"
import type { Violation } from "../chaos/oracle.ts"
import { isReuse, newUndecryptable } from "../chaos/undecryptable.ts"
import { inWords } from "../cluster/follow-network-log.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"

// What can be seen of a service's bridges from outside: at the network, and at the API.

type Network = ReturnType<typeof networkClient>

export async function isConnected(network: Network, owner: string, device: string): Promise<boolean> {
  const { devices } = await network.phone(owner)
  return devices.some(({ id, connected }) => `${owner}:${id}` === device && connected)
}

export async function unlinked(lines: LinkedBridge[], network: Network): Promise<Violation[]> {
  const found: Violation[] = []
  for (const { bridge, owner, device } of lines)
    if (!(await isConnected(network, owner, device)))
      found.push({ kind: "relinked", what: `${bridge} is not connected as it was linked` })
  return found
}

export async function shownBy(network: Network, lines: LinkedBridge[]): Promise<Evidence["shown"]> {
  const shown: Evidence["shown"] = new Map()
  for (const { bridge, contact, owner } of lines)
    shown.set(
      bridge,
      (await network.readAll(contact)).filter(({ from }) => from === owner),
    )
  return shown
}

const Deliveries = z.object({ waiting: z.number(), resending: z.number() })

/** The work that is under way. */
export async function openOf(
  lines: LinkedBridge[],
  network: Network,
  apiOf: (bridge: string) => ReturnType<typeof apiClient>,
): Promise<string[]> {
  const open: string[] = []
  for (const { bridge, device } of lines) {
    if (!(await network.settled(device, 0))) open.push(`${bridge}: the network still has something for it`)
    const answer = await apiOf(bridge)("GET", `/instances/${bridge}/deliveries`)
    const { waiting, resending } = Deliveries.parse(await answer.json())
    if (waiting + resending > 0) open.push(`${bridge}: ${waiting} events wait`)
  }
  return open
}

/** What the network's log says of the bridges, and of the devices that could not read something. */
export function newSeen(lines: LinkedBridge[]) {
  const devices = new Set(lines.map(({ device }) => device))
  const handedMs = new Map<string, number>()
  const hadMs = new Map<string, number>()
  const askedAgain = new Map<string, number>()
  const reused: Entry[] = []
  const undecryptable = newUndecryptable()
  const entries: Entry[] = []
  return {
    entries,
    /** When a bridge was first handed a message, by id, Unix milliseconds. */
    handedMs,
    hadMs,
    askedAgain,
    reused,
    saw(entry: Entry): void {
      if (isReuse(entry)) reused.push(entry)
      undecryptable.saw(entry)
      if (entry.stanza?.tag === "message" || entry.stanza?.tag === "receipt" || entry.event)
        entries.push(entry)
      const { kind, who, stanza, at } = entry
      if (!stanza || !devices.has(who)) return
      const { id = "", type } = stanza.attrs
      if (kind === "out" && stanza.tag === "message" && !handedMs.has(id)) handedMs.set(id, at)
      if (kind !== "in" || stanza.tag !== "receipt") return
      if (type === "retry" && !askedAgain.has(id)) askedAgain.set(id, at)
      if (type === "retry" || type === "server-error") return
      for (const one of [id, ...listed(stanza.content)]) if (!hadMs.has(one)) hadMs.set(one, at)
    },
    /**
     * A bridge may ask for what was encrypted for newer keys, and refuse that copy. Whether it came then, the
     * oracle sees.
     */
    undecryptable: () =>
      undecryptable.entries.filter(
        ({ who, stanza }) => !devices.has(who) || !askedAgain.has(stanza?.attrs.id ?? ""),
      ),
  }
}

/** What phones could not read, not even when it came again. */
export async function unread(undecryptable: Entry[], network: Network): Promise<string[]> {
  const found: string[] = []
  for (const entry of undecryptable) {
    const [number = "", device] = entry.who.split(":")
    const read = device === "0" ? await network.readAll(number) : []
    if (!read.some(({ id }) => id === idOf(entry))) found.push(inWords(entry))
  }
  return found
}

function idOf({ detail }: Entry): unknown {
  return z.object({ id: z.unknown() }).safeParse(detail).data?.id
}

const Listed = z.array(z.object({ content: z.array(z.object({ attrs: z.object({ id: z.string() }) })) }))

/** The ids that a receipt names beside its own. */
function listed(content: unknown): string[] {
  const lists = Listed.safeParse(content).data ?? []
  return lists.flatMap((list) => list.content.map(({ attrs }) => attrs.id))
}
