import { LRUCache } from "lru-cache"
import { Account } from "#core/account/account.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Usage } from "#core/event/usage.ts"
import { Lease } from "#core/lease/lease.ts"
import { roughlyOf } from "./evidence.ts"
import { inWords } from "./state.ts"

/** How a number stands by what is written down, so that very many can be ordered and counted. */
export interface Standing {
  bridge: Bridge.Info
  group: Group
  /** Its receiver fails, or events were given up today. */
  isFailing: boolean
  /** A phone is linked, or was. */
  hadPhone: boolean
  /** Today's count (UTC); undefined before the first. */
  today: Usage.Day | undefined
}

/** Those to look at first are before the others. */
export const groups = ["down", "unsettled", "connected", "unlinked"] as const
export type Group = (typeof groups)[number]

const groupOf = { bad: "down", warn: "unsettled", good: "connected", idle: "unlinked" } as const

/** Accounts with more numbers than this are read anew after some seconds only. */
const many = 500
const known = new LRUCache<string, Promise<Standing[]>>({ max: 100, ttl: 15_000 })

/** How these numbers of an account stand: first those that are down, then those whose events do not get through. */
export async function standingsOf(accountId: string, bridges: Bridge.Info[]): Promise<Standing[]> {
  if (bridges.length <= many) return await read(accountId, bridges)
  const before = known.get(accountId)
  if (before) return await before
  const reading = read(accountId, bridges)
  known.set(accountId, reading)
  reading.catch(() => known.delete(accountId))
  return await reading
}

/** How many are read at once: each part asks the store for a hundred after the other. */
const together = 500

async function read(accountId: string, bridges: Bridge.Info[]): Promise<Standing[]> {
  let account: Promise<Account.Info | undefined> | undefined
  const accountOf = async () => await (account ??= Account.get(accountId))
  const parts = Array.from({ length: Math.ceil(bridges.length / together) }, (_, i) =>
    bridges.slice(i * together, (i + 1) * together),
  )
  const all = await Promise.all(
    parts.map(async (part) => {
      const ids = part.map(({ id }) => id)
      const [leases, deliveries] = await Promise.all([Lease.byIds(ids), Delivery.byIds(ids)])
      return await Promise.all(
        part.map(async (bridge) =>
          standing(bridge, leases.get(bridge.id), deliveries.get(bridge.id), accountOf),
        ),
      )
    }),
  )
  return all.flat().toSorted((a, b) => rankOf(a) - rankOf(b))
}

async function standing(
  bridge: Bridge.Info,
  lease: Lease.Info | undefined,
  delivery: Delivery.Info | undefined,
  account: () => Promise<Account.Info | undefined>,
): Promise<Standing> {
  const today = delivery?.today?.day === Usage.today() ? delivery.today : undefined
  const isFailing = delivery?.failingSince !== undefined || (today?.undelivered ?? 0) > 0
  const evidence = await roughlyOf(lease, account)
  const { hadPhone = false } = evidence
  return { bridge, group: groupOf[inWords(evidence).tone], isFailing, hadPhone, today }
}

function rankOf({ bridge, group, isFailing }: Standing): number {
  const rank = group === "down" ? 0 : isFailing ? 1 : 1 + groups.indexOf(group)
  return rank > 1 && bridge.isSandbox ? groups.length + 1 : rank
}
