export * as Due from "./due-for-a-look.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { now, timeLeft } from "#core/platform/clock.ts"
import { query, removeRow, transact, updateRow, type Write } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

/**
 * Says that what this account pays has to be looked at. The mark is written together with what makes the look
 * necessary, so no end of a process loses it, and it stays until a look that began after it has succeeded.
 */
const Mark = z.object({
  accountId: z.string(),
  /** Not before, Unix seconds. */
  at: z.number().int(),
  /** Since when a look is due, Unix seconds. */
  since: z.number().int(),
  /** A new one each time the mark is written. */
  token: z.string(),
  /** How many looks in a row have failed. */
  failures: z.number().int(),
})
export type Mark = z.infer<typeof Mark>

const all = "BILLING-DUE"

/** Thirty seconds after the first failure, then twice as long each time, at most an hour. */
const wait = { first: 30, longest: 3600 }

/** In seconds. */
function waitAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(wait.longest, wait.first * 2 ** (failures - 1))
}

/** The write that makes an account due, as a member of a transaction. */
export function marking(accountId: string): Write {
  return {
    Update: {
      TableName: tables.accounts,
      Key: { pk: all, sk: accountId },
      UpdateExpression: "SET #at = :now, since = if_not_exists(since, :now), #token = :new, failures = :none",
      ExpressionAttributeNames: { "#at": "at", "#token": "token" },
      ExpressionAttributeValues: { ":now": now(), ":new": randomUUID(), ":none": 0 },
    },
  }
}

/** Makes an account due. */
export async function mark(accountId: string): Promise<void> {
  await transact([marking(accountId)])
}

/** Every mark whose time has come, the oldest first. */
export async function list(): Promise<Mark[]> {
  const found: Mark[] = []
  const rows = query({
    TableName: tables.accounts,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": all },
  })
  for await (const row of rows) found.push(Mark.parse({ ...row, accountId: row.sk }))
  return found
    .filter((mark) => timeLeft(mark.at, waitAfter(mark.failures)) === 0)
    .toSorted((a, b) => a.since - b.since)
}

/**
 * Removes the mark, since the look that it asked for has succeeded. A mark that was written meanwhile stays.
 */
export async function finish({ accountId, token }: Mark): Promise<void> {
  await removeRow({
    TableName: tables.accounts,
    Key: { pk: all, sk: accountId },
    ConditionExpression: "#token = :mine",
    ExpressionAttributeNames: { "#token": "token" },
    ExpressionAttributeValues: { ":mine": token },
  })
}

/** Makes the next look later, since this one has failed. */
export async function postpone({ accountId, token, failures }: Mark): Promise<void> {
  await updateRow({
    TableName: tables.accounts,
    Key: { pk: all, sk: accountId },
    UpdateExpression: "SET #at = :later, failures = :more",
    ConditionExpression: "#token = :mine",
    ExpressionAttributeNames: { "#at": "at", "#token": "token" },
    ExpressionAttributeValues: {
      ":later": now() + waitAfter(failures + 1),
      ":more": failures + 1,
      ":mine": token,
    },
  })
}
