import { z } from "zod"

/** The check of its lease that a session's commit carries, on the wire. */
const LeaseCheck = z.object({
  ConditionCheck: z.object({
    Key: z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.literal("LEASE") }) }),
    ExpressionAttributeValues: z.object({
      ":me": z.object({ S: z.string() }),
      ":mine": z.object({ N: z.coerce.number() }),
    }),
  }),
})
const Transaction = z.object({ TransactItems: z.array(z.unknown()) })

/** The lease itself, on the wire. */
const LeaseRow = z.object({
  Item: z.object({ host: z.object({ S: z.string() }), epoch: z.object({ N: z.coerce.number() }) }).optional(),
})

/** The lease that a transaction of a session was checked against; undefined for every other transaction. */
export function leaseOf(request: object) {
  const [first] = Transaction.parse(request).TransactItems
  const check = LeaseCheck.safeParse(first).data?.ConditionCheck
  if (!check) return undefined
  const { ":me": me, ":mine": mine } = check.ExpressionAttributeValues
  return { key: check.Key, host: me.S, epoch: mine.N }
}

/**
 * Collects what breaks "one owner at a time": commits that were accepted although the lease, read just
 * before, was another host's. A repeated transaction counts only the first time.
 */
export function newOwners() {
  const violations: string[] = []
  const tokens = new Set<string>()

  return {
    violations,
    /** @param before the answer to a GetItem of the lease, asked before the commit. */
    accepted(request: object, before: object): void {
      const token = String(Reflect.get(request, "ClientRequestToken"))
      const claimed = leaseOf(request)
      if (!claimed || tokens.has(token)) return
      tokens.add(token)
      const { Item: lease } = LeaseRow.parse(before)
      if (lease?.epoch.N === claimed.epoch && lease.host.S === claimed.host) return
      violations.push(
        `${claimed.key.pk.S}: a commit of epoch ${claimed.epoch} was accepted in epoch ${lease?.epoch.N}`,
      )
    },
  }
}
