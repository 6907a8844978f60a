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

/**
 * Whether a bridge ever had two owners: epochs of accepted commits never fall, and each belongs to one host.
 * A repeated transaction is accepted again, without effect: it counts once.
 */
export function newOwners() {
  const violations: string[] = []
  const last = new Map<string, { epoch: number; host: string }>()
  const tokens = new Set<string>()

  return {
    violations,
    accepted(request: object): void {
      const token = String(Reflect.get(request, "ClientRequestToken"))
      if (tokens.has(token)) return
      tokens.add(token)
      const [first] = Transaction.parse(request).TransactItems
      const check = LeaseCheck.safeParse(first).data?.ConditionCheck
      if (!check) return
      const bridge = check.Key.pk.S
      const host = check.ExpressionAttributeValues[":me"].S
      const epoch = check.ExpressionAttributeValues[":mine"].N
      const before = last.get(bridge)
      if (before && epoch < before.epoch)
        violations.push(`${bridge}: a commit of epoch ${epoch} was accepted after one of ${before.epoch}`)
      if (before && epoch === before.epoch && host !== before.host)
        violations.push(`${bridge}: two hosts committed in epoch ${epoch}`)
      if (!before || epoch >= before.epoch) last.set(bridge, { epoch, host })
    },
  }
}
