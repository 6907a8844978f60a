export * as FreeTrials from "./free-trials.ts"

import { hashOf } from "#core/account/token.ts"
import { now } from "#core/platform/clock.ts"
import { getRow, putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { stripeMode } from "./stripe.ts"

/** How long a free trial is remembered, in seconds. */
const keptFor = 2 * 365 * 86_400

/**
 * A mark by which a customer who has had a free trial in another account is recognised: an e-mail address
 * without what may be added to it, Stripe's fingerprint of a card, or a phone that was linked. Only its hash
 * is kept.
 */
export function markOf(kind: "address" | "card" | "phone", value: string): string {
  return hashOf(`${stripeMode()} ${kind} ${kind === "address" ? plain(value) : value}`)
}

/** `x+2@` is the same person as `x@`; Google leaves out dots as well. */
function plain(email: string): string {
  const at = email.lastIndexOf("@")
  const [name = ""] = email.slice(0, at).toLowerCase().split("+")
  const domain = email.slice(at + 1).toLowerCase()
  return /^(?:gmail|googlemail)\.com$/.test(domain)
    ? `${name.replaceAll(".", "")}@gmail.com`
    : `${name}@${domain}`
}

/** Whether another account has had its free trial under one of these marks. */
export async function isOfAnother(accountId: string, marks: string[]): Promise<boolean> {
  const rows = await Promise.all(marks.map(async (mark) => await getRow(tables.accounts, key(mark))))
  return rows.some((row) => row !== undefined && row.account_id !== accountId)
}

/**
 * Remembers that an account has its free trial.
 * @returns whether another one has had it under one of these marks
 */
export async function remember(accountId: string, marks: string[]): Promise<boolean> {
  const former = await Promise.all(
    marks.map(
      async (mark) =>
        await putRow({
          TableName: tables.accounts,
          Item: { ...key(mark), account_id: accountId, expires_at: now() + keptFor },
          ConditionExpression: "attribute_not_exists(pk)",
        }),
    ),
  )
  return former.some((row) => row !== undefined && row.pk !== undefined && row.account_id !== accountId)
}

function key(mark: string) {
  return { pk: `TRIAL#${mark}`, sk: "TRIAL" }
}
