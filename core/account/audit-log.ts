export * as AuditLog from "./audit-log.ts"

import { randomBytes } from "node:crypto"
import { z } from "zod"
import { RateLimit } from "../limits/rate-limit.ts"
import { iso, now, nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { type Key, type Put, putRow, query, removeRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Mail } from "./mail.ts"
import { Member } from "./member.ts"

/** The acts that are recorded. Each continues a sentence that begins with the name of who did it. */
const acts = {
  signed_in: "signed in",
  browser_signed_out: "signed out another browser:",
  passkey_added: "added a passkey",
  passkey_removed: "removed a passkey",
  account_renamed: "named the account",
  passkeys_demanded: "changed who may sign in:",
  address_changed: "changed their address to",
  data_exported: "downloaded the account's data",
  link_page_reported: "reported the link page of",
  member_invited: "invited",
  invitation_withdrawn: "withdrew the invitation of",
  invitation_declined: "declined the invitation",
  member_joined: "joined, as",
  member_removed: "removed",
  member_left: "left the account",
  role_changed: "changed a role:",
  key_created: "created the API key",
  key_replaced: "replaced the API key",
  key_revoked: "revoked the API key",
  secret_shown: "looked at the webhook secret of",
  secret_replaced: "replaced the webhook secret of",
  webhook_added: "added a webhook to",
  webhook_changed: "changed the webhook of",
  webhook_removed: "removed a webhook of",
  number_added: "added the number",
  number_named: "changed the name of",
  events_changed: "changed which events are sent of",
  sending_changed: "changed the pacing or the daily presence of",
  keeping_changed: "changed which messages are kept of",
  store_changed: "changed where files are put of",
  chat_cleared: "cleared or deleted a chat of",
  plans_changed: "cancelled, paused or let go on what was planned by",
  troubles_changed: "changed the alerts",
  link_made: "made a link page for",
  link_ended: "ended the link page of",
  link_pages_changed: "changed how link pages look",
  number_paused: "paused the number",
  number_woken: "woke the number",
  number_unlinked: "unlinked the phone of",
  number_deleted: "deleted the number",
  payment_begun: "went to Stripe to subscribe",
  invoice_opened: "went to Stripe to pay an invoice",
  portal_opened: "went to Stripe to change card, invoices or subscription",
  cancellation_opened: "went to Stripe to cancel the subscription",
  stripe_left: "came back from Stripe, where the subscription is",
  subscription_changed: "says of the subscription:",
} as const
export type Act = keyof typeof acts
export const Act = z.enum(Object.keys(acts) as [Act, ...Act[]]) // the keys of a literal

/** An intruder may do these in a person's name, for instance with their mailbox: the person is mailed. */
const toThePerson = new Set<Act>(["signed_in", "passkey_added", "address_changed"])
/** These give access to the account, or lead events or files elsewhere: the owners are mailed. */
const toOwners = new Set<Act>([
  "member_joined",
  "role_changed",
  "passkeys_demanded",
  "data_exported",
  "link_page_reported",
  "key_created",
  "key_replaced",
  "secret_shown",
  "secret_replaced",
  "webhook_added",
  "webhook_changed",
  "store_changed",
  "troubles_changed",
])

/** How long an entry is kept, in seconds. */
const keptFor = 400 * 86_400

const Entry = z.object({
  /** Unix milliseconds. */
  at_ms: z.number(),
  /** For a person, their address; for a program, only that it is one. */
  by: z.string(),
  /** The API key with which a program did it. */
  key_id: z.string().optional(),
  act: Act,
  /** Who or what it was done to; `""` where the act says it all. */
  about: z.string(),
  /** The network address and the browser from which it was done. */
  address: z.string(),
  agent: z.string(),
})
export type Entry = z.infer<typeof Entry>

/** A sentence that says who did what, without a full stop. */
export function sentenceOf({ by, act, about }: Pick<Entry, "by" | "act" | "about">): string {
  return `${by} ${acts[act]}${about === "" ? "" : ` ${about}`}`
}

/** How an act is mailed. */
interface Mailed {
  /** The act is recorded, but no mail is sent: for instance a sign-in in a browser that is known. */
  isQuiet?: boolean
  /** Where the dashboard is, if that is known. */
  origin?: string | undefined
}

/**
 * Records an act in an account, and mails it to those who should know. The act is done already: if it cannot
 * be recorded or mailed, nothing fails, and the operator's log says so.
 */
export async function recordAndMail(
  accountId: string,
  entry: Omit<Entry, "at_ms">,
  { isQuiet = false, origin }: Mailed,
): Promise<void> {
  await putRow(recording(accountId, entry).Put).catch((error: unknown) =>
    log.error({ error, accountId, act: entry.act, by: entry.key_id }, "an act was not recorded"),
  )
  if (isQuiet) return
  const mailing = mail(accountId, entry, origin).catch((error: unknown) =>
    log.warn({ error, accountId, act: entry.act }, "nobody was mailed of an act"),
  )
  // A function may be frozen once it has answered.
  if (config.AWS_LAMBDA_FUNCTION_NAME !== undefined) await mailing
}

/** The write of an entry, for the transaction that does what the entry tells of. No mail is sent. */
export function recording(accountId: string, entry: Omit<Entry, "at_ms">): { Put: Put } {
  const at_ms = nowMs()
  const agent = entry.agent.slice(0, 200)
  const Item = { ...key(accountId, at_ms), ...entry, agent, at_ms, expires_at: now() + keptFor }
  return { Put: { TableName: tables.accounts, Item } }
}

async function mail(accountId: string, entry: Omit<Entry, "at_ms">, origin?: string): Promise<void> {
  const to = toThePerson.has(entry.act)
    ? [entry.by]
    : toOwners.has(entry.act)
      ? await ownersOf(accountId)
      : []
  if (to.length === 0) return
  const { isExceeded, remaining, endsMs } = await RateLimit.count("mailsOfActs", accountId)
  if (isExceeded) return
  const isLast = remaining === 0
  if (isLast) to.push(...(await ownersOf(accountId)).filter((email) => !to.includes(email)))
  const said = sentenceOf(entry)
  const where = origin === undefined ? "" : ` at ${origin}/account`
  const text = [
    `${said}.`,
    `From ${entry.address}, ${entry.agent.slice(0, 200) || "without a browser"}.`,
    "",
    entry.act === "link_page_reported"
      ? "Look at that number and its account on the operator's pages, and suspend it if it deceives people."
      : `If none of you did this, sign out that browser or remove that person${where}, and revoke the keys that you do not know.`,
    ...(isLast
      ? [
          "",
          `This is the last such mail until ${iso(endsMs).slice(11, 16)} UTC, since there were many. What is done until then is in the audit log alone, for owners${origin === undefined ? "" : `: ${origin}/account/audit-log`}.`,
        ]
      : []),
  ].join("\n")
  await Promise.all(to.map(async (one) => await Mail.send({ to: one, subject: said, text })))
}

async function ownersOf(accountId: string): Promise<string[]> {
  return (await Member.list(accountId)).filter(({ role }) => role === "owner").map(({ email }) => email)
}

/** How many entries are read for one page, since a filter may match few of them. */
const mostRead = 2000

/**
 * A page of an account's entries that fit, newest first; `before`: only those older than that, in Unix
 * milliseconds; `next`: the `before` of the next page, if there are more. No page ends between two acts of
 * one millisecond.
 */
export async function find(
  accountId: string,
  { before, fits = () => true }: { before?: number | undefined; fits?: (entry: Entry) => boolean } = {},
): Promise<{ entries: Entry[]; next?: number }> {
  const entries: Entry[] = []
  let looked = 0
  let lastMs: number | undefined
  for await (const row of rows(accountId, before)) {
    const entry = Entry.parse(row)
    const isFull = entries.length >= pageSize || looked >= mostRead
    if (isFull && lastMs !== undefined && entry.at_ms !== lastMs) return { entries, next: lastMs }
    lastMs = entry.at_ms
    looked++
    if (fits(entry)) entries.push(entry)
  }
  return { entries }
}

/** How many entries a page has. */
const pageSize = 100

/** Forgets what was done in an account that is gone. */
export async function forget(accountId: string): Promise<void> {
  for await (const row of rows(accountId))
    await removeRow({ TableName: tables.accounts, Key: RowKey.parse(row) })
}

const RowKey = z.object({ pk: z.string(), sk: z.string() })

function rows(accountId: string, before = nowMs() + 1) {
  return query({
    TableName: tables.accounts,
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: "pk = :account AND sk BETWEEN :first AND :last",
    ExpressionAttributeValues: {
      ":account": `ACCOUNT#${accountId}`,
      ":first": "AUDIT#",
      ":last": `AUDIT#${before - 1}$`,
    },
  })
}

/** Two acts of one millisecond are two rows. `#` sorts before `$`, which ends a range. */
function key(accountId: string, atMs: number): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: `AUDIT#${atMs}#${randomBytes(4).toString("hex")}` }
}
