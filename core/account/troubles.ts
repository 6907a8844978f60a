export * as Troubles from "./troubles.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { Bridge } from "../bridge/bridge.ts"
import { WebhookSecret } from "../bridge/webhook-secret.ts"
import { Delivery } from "../event/delivery.ts"
import { signedHeaders } from "../event/signed-headers.ts"
import { postJson } from "../fetch/post-json.ts"
import { Lease } from "../lease/lease.ts"
import { iso, now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { RateLimit } from "../rate-limit.ts"
import { get as getRow, remove, update } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Account } from "./account.ts"
import { Mail } from "./mail.ts"
import { Member } from "./member.ts"

/** Who is mailed of a number's troubles. */
export const To = z.enum(["owners", "members", "nobody"])
export type To = z.infer<typeof To>

const troubles = {
  unlinked: "its phone was unlinked",
  locked: "the network has locked the account, and unlinked it",
  banned: "the network has banned it",
  replaced: "another program has taken its place",
  silent: "it has had no connection for 15 minutes",
  failing: "its webhook has failed for 15 minutes",
} as const
type Trouble = keyof typeof troubles
const Trouble = z.enum(Object.keys(troubles) as [Trouble, ...Trouble[]]) // the keys of a literal

const Info = z.object({
  to: To.default("owners"),
  /** Where it is posted as well; `""`: nowhere. */
  url: z.string().default(""),
  /** The troubles that were reported and are not over, by the ids of their bridges. */
  known: z.record(z.string(), z.array(Trouble)).default({}),
})
export type Info = z.infer<typeof Info>

/** After so long a trouble that may pass by itself is reported, in seconds. */
const patience = 15 * 60

let isWatched = false

/** Says whether somebody calls `look` again and again: only then is there anything to choose. */
export function watched(isSo: boolean): void {
  isWatched = isSo
}

export function isOn(): boolean {
  return isWatched
}

/** The account's choice of whom to report to, and the troubles that were reported. */
export async function get(accountId: string): Promise<Info> {
  return Info.parse((await getRow(tables.accounts, key(accountId))) ?? {})
}

/** @throws ApiError `invalid_webhook_url` */
export async function choose(accountId: string, to: To, url: unknown): Promise<void> {
  await set(accountId, "SET #to = :to, #url = :url", { to, url: Bridge.webhookUrl(url, "url") })
}

/** For an account that is gone. */
export async function forget(accountId: string): Promise<void> {
  await remove({ TableName: tables.accounts, Key: key(accountId) })
}

/** Looks at every account's bridges, and reports to its people what has begun and what is over since the last report. */
export async function look(): Promise<void> {
  for (const account of await Account.list())
    try {
      await reportOf(account)
    } catch (error) {
      // The next look reports it.
      log.warn({ error, accountId: account.id }, "an account's troubles were not looked at, or not reported")
    }
}

interface News {
  bridge: Bridge.Info
  trouble: Trouble
  isOver: boolean
}

async function reportOf(account: Account.Info): Promise<void> {
  const bridges = (await Bridge.list(account.id)).filter(({ isSandbox }) => !isSandbox)
  const before = await get(account.id)
  if (bridges.length === 0 && Object.keys(before.known).length === 0) return
  const ids = bridges.map(({ id }) => id)
  const [leases, deliveries] = await Promise.all([Lease.byIds(ids), Delivery.byIds(ids)])
  const news: News[] = []
  const reported: Info["known"] = {}
  for (const bridge of bridges) {
    const known = before.known[bridge.id] ?? []
    const present = troublesOf(leases.get(bridge.id), deliveries.get(bridge.id) ?? []) ?? known
    if (present.length > 0) reported[bridge.id] = present
    const begun = present.filter((one) => !known.includes(one))
    // One that is banned after it was unlinked is not well again.
    const isStillDown = present.some(isDown)
    const ended = known.filter((one) => !present.includes(one) && !(isDown(one) && isStillDown))
    news.push(...begun.map((trouble) => ({ bridge, trouble, isOver: false })))
    news.push(...ended.map((trouble) => ({ bridge, trouble, isOver: true })))
  }
  if (news.length === 0) return
  if ((await RateLimit.count("mailsOfActs", account.id)).isExceeded) return
  await Promise.all([mail(account.id, before.to, news), post(account.id, before.url, news)])
  await set(account.id, "SET #known = :known", { known: reported })
}

function isDown(trouble: Trouble): boolean {
  return trouble !== "failing"
}

/** @returns undefined while it must not run: that it is down then is no surprise, and what was before is not over */
function troublesOf(lease: Lease.Info | undefined, deliveries: Delivery.Info[]): Trouble[] | undefined {
  if (!lease || lease.host === Lease.NONE || lease.host === Lease.GONE) return undefined
  const isFailing = deliveries.some(
    ({ failingSince }) => failingSince !== undefined && now() - failingSince >= patience,
  )
  const down = downOf(lease)
  return [...(down ? [down] : []), ...(isFailing ? (["failing"] as const) : [])]
}

function downOf(lease: Lease.Info): Trouble | undefined {
  const { reported } = lease
  // No phone was linked yet.
  if (reported?.phone === undefined) return undefined
  const { status, objection, since } = reported
  if (status === "unpaired") return objection === "locked" || objection === "banned" ? objection : "unlinked"
  if (status === "replaced") return status
  const isAway = status !== "connected" && now() - since >= patience
  const isGone = !Lease.isHeld(lease) && now() - Math.max(lease.failedAt, lease.startedMs / 1000) >= patience
  // A planned move leaves no time of its own: its next host takes it within seconds.
  return isAway || (isGone && lease.failedAt > 0) ? "silent" : undefined
}

async function mail(accountId: string, to: To, news: News[]): Promise<void> {
  const people = (await Member.list(accountId)).filter(
    ({ role }) => to !== "nobody" && (role === "owner" || (to === "members" && role === "member")),
  )
  const [first] = news
  const subject = news.length === 1 && first ? sentenceOf(first) : `${news.length} changes of your numbers`
  const at = config.PUBLIC_URL
  const text = [
    ...news.map((one) => `${sentenceOf(one)}. ${at}/numbers/${one.bridge.customerRef}`),
    "",
    `Who gets such alerts is chosen at ${at}/account.`,
  ].join("\n")
  await Promise.all(people.map(async ({ email }) => await Mail.send({ to: email, subject, text })))
}

function sentenceOf({ bridge, trouble, isOver }: News): string {
  return isOver
    ? `${bridge.customerRef} is well again: it is over that ${troubles[trouble]}`
    : `${bridge.customerRef}: ${troubles[trouble]}`
}

/** A receiver that is away holds up no mail. */
async function post(accountId: string, url: string, news: News[]): Promise<void> {
  if (url === "") return
  for (const one of news)
    await postOne(accountId, url, one).catch((error: unknown) =>
      log.warn({ error, accountId }, "an account's receiver of troubles failed"),
    )
}

/** Signed as an event of that number is, with the secret of its webhook. */
async function postOne(accountId: string, url: string, { bridge, trouble, isOver }: News): Promise<void> {
  const secrets = await WebhookSecret.of(bridge)
  const body = {
    customer_ref: bridge.customerRef,
    trouble,
    state: isOver ? "over" : "begun",
    at: iso(now() * 1000),
  }
  await postJson(url, accountId, body, (bytes) =>
    signedHeaders({ secrets, id: randomUUID(), attempt: 1, body: bytes, timestamp: now() }),
  )
}

async function set(accountId: string, expression: string, values: Record<string, unknown>): Promise<void> {
  const names = Object.keys(values)
  await update({
    TableName: tables.accounts,
    Key: key(accountId),
    UpdateExpression: expression,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, values[name]])),
  })
}

function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "TROUBLES" }
}
