import { stage } from "../stage/stage.ts"

const keys = { pk: "string", sk: "string" } as const

/** Accounts, API keys, bridges. */
export const accounts = table("Accounts")

/** Hosts, leases, wrapped data keys. */
export const leases = table("Leases", {
  fields: { ...keys, host: "string", down: "number" },
  globalIndexes: {
    byHost: { hashKey: "host", rangeKey: "pk" },
    byDown: { hashKey: "down", rangeKey: "pk", projection: "keys-only" },
  },
})

/**
 * Credentials and ratchets. After a restore, `npm run admin -- bridge make-anew` comes before any session
 * (docs/operations.md).
 */
export const sessions = table("Sessions")

/** Events and how far their delivery has come. */
export const events = table("Events", {
  fields: { ...keys, shard: "number", since: "number", failing_since: "number" },
  globalIndexes: {
    bySince: { hashKey: "shard", rangeKey: "since", projection: "keys-only" },
    byFailing: { hashKey: "shard", rangeKey: "failing_since", projection: "keys-only" },
  },
})

/** Rate windows and idempotency records. */
export const requests = table("Requests")

function table(name: string, more: Partial<sst.aws.DynamoArgs> = {}) {
  return new sst.aws.Dynamo(name, {
    fields: keys,
    primaryIndex: { hashKey: "pk", rangeKey: "sk" },
    ttl: "expires_at",
    deletionProtection: stage.kept,
    ...more,
  })
}
