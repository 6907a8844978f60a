export * as KeptOverview from "./kept-overview.ts"

import { z } from "zod"
import { now } from "../platform/clock.ts"
import { getRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/**
 * An overview of an account's numbers: how many there are of each kind, and which to look at first, in that
 * order.
 */
export const Info = z.object({
  counts: z.record(z.string(), z.number().int()),
  /** References, with the kinds that each is of. */
  first: z.array(z.object({ ref: z.string(), kinds: z.array(z.string()) })),
})
export type Info = z.infer<typeof Info>

/**
 * How many references are kept. If all are as long as they can be, they take a quarter of what a row may
 * hold.
 */
const mostKept = 1000
/** For how long an overview may be shown before the numbers are counted again, in seconds: a day. */
const keptFor = 86_400

/**
 * The last overview of an account with very many numbers; undefined if there is none, or it is too old. A
 * count reads two rows of each number, so its result is kept for the next page.
 */
export async function get(accountId: string): Promise<Info | undefined> {
  const row = Row.safeParse(await getRow(tables.accounts, key(accountId))).data
  return row && row.expires_at > now() ? Info.parse(JSON.parse(row.overview)) : undefined
}

const Row = z.object({ overview: z.string(), expires_at: z.number().int() })

/** Keeps an overview for `get`. */
export async function store(accountId: string, { counts, first }: Info): Promise<void> {
  await updateRow({
    TableName: tables.accounts,
    Key: key(accountId),
    UpdateExpression: "SET overview = :overview, expires_at = :expires",
    ExpressionAttributeValues: {
      ":overview": JSON.stringify({ counts, first: first.slice(0, mostKept) }),
      ":expires": now() + keptFor,
    },
  })
}

function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "OVERVIEW" }
}
