import { LRUCache } from "lru-cache"
import { Account } from "#core/account/account.ts"
import { KeptOverview } from "#core/account/kept-overview.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { roughStateOf } from "#core/bridge/known-state.ts"
import { Came } from "#core/event/came.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Usage } from "#core/event/usage.ts"
import { Lease } from "#core/lease/lease.ts"
import { undeliveredOf } from "../webhooks/webhook-health.ts"
import { inWords } from "./state-words.ts"

/** How a number stands by what is written down, so that very many can be ordered and counted. */
export interface Ranked {
  bridge: Bridge.Listed
  group: Group
  /** One of its webhooks fails, or has given up events that are kept. */
  isFailing: boolean
  /** How many events wait for its webhooks, and how many these have given up: at most 100 of each webhook. */
  waiting: number
  undelivered: number
  /** The messages that came today (UTC), by hour. */
  came: number[]
  /** The network has put a limit on its account. */
  isRestricted: boolean
  /** A phone is linked, or was. */
  hadPhone: boolean
  /** Today's count (UTC); undefined before the first. */
  today: Usage.Day | undefined
}

/** The groups, in the order in which to look at them. */
const groups = ["down", "unsettled", "connected", "unlinked"] as const
type Group = (typeof groups)[number]
export const kinds = ["failing", ...groups] as const
export type Kind = (typeof kinds)[number]

export const kindWords: Record<Kind, string> = {
  down: "Down",
  failing: "Events do not get through",
  unsettled: "Unsettled",
  connected: "Connected",
  unlinked: "Not linked",
}

const groupOf = { bad: "down", warn: "unsettled", good: "connected", idle: "unlinked" } as const

/** Accounts with more numbers than this are read as a whole now and then, and no page waits for it. */
export const manyNumbers = 500
const known = new LRUCache<string, Promise<Ranked[]>>({ max: 100, ttl: 60_000 })

/**
 * How these numbers of an account stand: first those that are down, then those whose events do not get
 * through.
 */
export async function rankingOf(accountId: string, bridges: Bridge.Listed[]): Promise<Ranked[]> {
  if (bridges.length <= manyNumbers) return await read(accountId, bridges)
  const before = known.get(accountId)
  if (before) return await before
  const reading = readAndKeep(accountId, bridges)
  known.set(accountId, reading)
  reading.catch(() => known.delete(accountId))
  return await reading
}

async function readAndKeep(accountId: string, bridges: Bridge.Listed[]): Promise<Ranked[]> {
  const ranking = await read(accountId, bridges)
  const { counts, first } = overviewOf(ranking)
  await KeptOverview.store(accountId, { counts, first: first.filter(({ kinds: its }) => !its.some(isQuiet)) })
  return ranking
}

function isQuiet(kind: string): boolean {
  return kind === "connected" || kind === "unlinked"
}

/** How many of these numbers stand in which way, and in which order to look at them. */
export function overviewOf(ranking: Ranked[]): KeptOverview.Info {
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0]))
  const first = ranking.map(({ bridge, group, isFailing }) => {
    const its: Kind[] = isFailing ? ["failing", group] : [group]
    for (const kind of its) counts[kind] = (counts[kind] ?? 0) + 1
    return { ref: bridge.customerRef, kinds: its }
  })
  return { counts, first }
}

/**
 * How many numbers a part has. All parts are read at once; within one, the store is asked for a hundred after
 * the other.
 */
const together = 500

async function read(accountId: string, bridges: Bridge.Listed[]): Promise<Ranked[]> {
  let account: Promise<Account.Info | undefined> | undefined
  const accountOf = async () => await (account ??= Account.get(accountId))
  const parts = Array.from({ length: Math.ceil(bridges.length / together) }, (_, i) =>
    bridges.slice(i * together, (i + 1) * together),
  )
  const all = await Promise.all(
    parts.map(async (part) => {
      const ids = part.map(({ id }) => id)
      const [leases, deliveries] = await Promise.all([Lease.byIds(ids), Delivery.byIds(ids)])
      const came = await Came.today([...deliveries.values()].flatMap(([first]) => first ?? []))
      return await Promise.all(
        part.map(async (bridge) => {
          const events = { deliveries: deliveries.get(bridge.id) ?? [], came: came.get(bridge.id) }
          return await ranked(bridge, leases.get(bridge.id), events, accountOf)
        }),
      )
    }),
  )
  return all.flat().toSorted((a, b) => rankOf(a) - rankOf(b))
}

async function ranked(
  bridge: Bridge.Listed,
  lease: Lease.Info | undefined,
  { deliveries, came = { newest: 0, hours: [] } }: { deliveries: Delivery.Info[]; came?: Came.Today },
  account: () => Promise<Account.Info | undefined>,
): Promise<Ranked> {
  const [first] = deliveries
  const today = first?.today?.day === Usage.today() ? first.today : undefined
  const webhooks = deliveries.filter(({ receiver }) => receiver.url !== "")
  // A webhook that never posted anything has given up nothing.
  const mayHave = webhooks.filter(({ attempts, givenUp }) => attempts + givenUp > 0)
  const undelivered = [...(await undeliveredOf(mayHave)).values()].reduce((all, count) => all + count, 0)
  const waiting = webhooks.reduce((all, one) => all + Delivery.waiting(one, came.newest), 0)
  const isFailing =
    undelivered > 0 ||
    webhooks.some(({ failingSince, pausedAt }) => failingSince !== undefined && pausedAt === undefined)
  const knownState = await roughStateOf(lease, account)
  const { hadPhone = false } = knownState
  const isRestricted =
    knownState.kind === "said" && knownState.status === "connected" && knownState.restriction !== undefined
  const group = groupOf[inWords(knownState).tone]
  const events = { isFailing, waiting, undelivered, came: came.hours, today }
  return { bridge, group, isRestricted, hadPhone, ...events }
}

function rankOf({ bridge, group, isFailing }: Ranked): number {
  const rank = group === "down" ? 0 : isFailing ? 1 : 1 + groups.indexOf(group)
  return rank > 1 && bridge.isSandbox ? groups.length + 1 : rank
}
