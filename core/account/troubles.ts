export * as Troubles from "./troubles.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { Bridge } from "../bridge/bridge.ts"
import { WebhookSecret } from "../bridge/webhook-secret.ts"
import { parseWebhookUrl } from "../bridge/webhook-url.ts"
import { DeliveryReport } from "../event/delivery-report.ts"
import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { failingSince } from "../event/waiting-deliveries.ts"
import { postJson } from "../fetch/post-json.ts"
import { Host } from "../lease/host.ts"
import { Lease } from "../lease/lease.ts"
import { RateLimit } from "../limits/rate-limit.ts"
import { iso, now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { getRow, putRow, query, removeRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Mail } from "./mail.ts"
import { Member } from "./member.ts"

/** Who is told of a number's troubles. */
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
export const Trouble = z.enum(Object.keys(troubles) as [Trouble, ...Trouble[]]) // the keys of a literal

const Info = z.object({
  to: To.default("owners"),
  /** The URL that troubles are posted to as well; `""`: none. */
  url: z.string().default(""),
})
export type Info = z.infer<typeof Info>

/**
 * The partition of what was reported and is not over: a row for each bridge that has troubles, and for each
 * webhook of an account.
 */
const reportedOnes = "TROUBLES"
const Reported = z.object({ sk: z.string(), troubles: z.array(Trouble), account_id: z.string().optional() })

/** How long a trouble that may pass by itself has lasted when it is reported, in seconds. */
const patience = 15 * 60

/** Accounts that are told at once: a receiver may take ten seconds. */
const atOnce = 10

let on = false

/** Set by a process that calls `report` again and again. Where none does, nothing is reported or chosen. */
export function setReporting(isOn: boolean): void {
  on = isOn
}

export function isReporting(): boolean {
  return on
}

/** The account's choice of whom to report to. */
export async function get(accountId: string): Promise<Info> {
  return Info.parse((await getRow(tables.accounts, key(accountId))) ?? {})
}

/** @throws ApiError `invalid_webhook_url` */
export async function setRecipients(accountId: string, to: To, url: unknown): Promise<void> {
  await putRow({
    TableName: tables.accounts,
    Item: { ...key(accountId), to, url: parseWebhookUrl(url, "url") },
  })
}

/** Removes the choice of an account that is gone. */
export async function forget(accountId: string): Promise<void> {
  await removeRow({ TableName: tables.accounts, Key: key(accountId) })
}

/**
 * Reports to the people of accounts which troubles of their bridges have begun, and which are over, since the
 * last report. It reads nothing of bridges that are well: a look at each of 10,000 would take 25,000 read
 * units a minute. The sweep does not do this, since it may neither read accounts nor wait for receivers. A
 * report is recorded after its mails were sent: a crash in between sends them again, and loses none.
 */
export async function report(): Promise<void> {
  const known = await reported()
  const [down, failing] = await Promise.all([Lease.listDown(), failingSince(now() - patience)])
  const { own = [], ofAccount = [] } = Object.groupBy(failing, (one) =>
    Receiver.isOfAccount(one) ? "ofAccount" : "own",
  )
  const changes = [
    ...(await changesOfBridges(known, [...down, ...own.map(({ bridgeId }) => bridgeId)])),
    ...(await changesOfWebhooks(known, ofAccount)),
  ]
  const byAccount = [...Map.groupBy(changes, ({ subject }) => subject.accountId)]
  for (let from = 0; from < byAccount.length; from += atOnce)
    await Promise.all(byAccount.slice(from, from + atOnce).map(reportTo))
}

type Known = Map<string, z.infer<typeof Reported>>

async function reported(): Promise<Known> {
  const rows = query({
    TableName: tables.accounts,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": reportedOnes },
    ConsistentRead: true,
  })
  const all = await Array.fromAsync(rows, (row) => Reported.parse(row))
  return new Map(all.map((one) => [one.sk, one]))
}

async function changesOfBridges(known: Known, suspected: string[]): Promise<Change[]> {
  const before = [...known.values()].flatMap(({ sk, account_id }) => (account_id === undefined ? [sk] : []))
  const ids = [...new Set([...before, ...suspected])].filter((id) => !id.startsWith(Bridge.sandboxIdPrefix))
  const [leases, deliveries, isOutage] = await Promise.all([
    Lease.byIds(ids),
    Delivery.byIds(ids),
    areMostAway(),
  ])
  const changes = await Promise.all(
    ids.map(async (id): Promise<Change[]> => {
      const before = known.get(id)?.troubles ?? []
      const found = troublesOf(leases.get(id), deliveries.get(id) ?? [])
      const isHeldBack = isOutage && !before.includes("silent")
      const present = isHeldBack ? found?.filter((one) => one !== "silent") : found
      if (!present || present.join() === before.join()) return []
      const bridge = await Bridge.byId(id)
      if (!bridge) await forgetReported(id)
      const recovered = lastRecovery(deliveries.get(id) ?? [])
      return bridge ? [{ subject: ofBridge(bridge), before, present, recovered }] : []
    }),
  )
  return changes.flat()
}

/** With fewer sessions than this, most of them may be away by chance. */
const fewSessions = 20

/**
 * Whether more than half of all sessions have no connection: the network or this service is away, and no
 * customer can do anything. They are not told that each of their numbers is silent; the operator's alarm
 * rings (`SessionsDown`).
 */
async function areMostAway(): Promise<boolean> {
  const hosts = (await Host.list()).filter(({ state }) => state !== "dead")
  const sum = (of: "sessions" | "up") => hosts.reduce((all, host) => all + host[of], 0)
  return sum("sessions") >= fewSessions && sum("up") < sum("sessions") / 2
}

/** How many bridges are looked at, to know whether the account's webhook fails at one. */
const lookedAt = 20

/** A dead webhook of an account fails at each of its bridges: that is one trouble, not ten thousand. */
async function changesOfWebhooks(known: Known, failing: Receiver.Id[]): Promise<Change[]> {
  const suspected = Map.groupBy(failing, ({ webhookId }) => webhookId)
  for (const { sk, account_id } of known.values())
    if (account_id !== undefined && !suspected.has(sk)) suspected.set(sk, [])
  const changes = [...suspected].map(async ([webhookId, at]): Promise<Change[]> => {
    const seen = (await Delivery.list(at.slice(0, lookedAt))).filter(isFailing)
    const before = known.get(webhookId)?.troubles ?? []
    const present: Trouble[] = seen.length > 0 ? ["failing"] : []
    const accountId = seen[0]?.receiver.accountId ?? known.get(webhookId)?.account_id
    if (accountId === undefined || present.join() === before.join()) return []
    const webhook = await Delivery.get(Receiver.atAccount({ accountId, webhookId }))
    if (!webhook) await forgetReported(webhookId)
    return webhook ? [{ subject: ofWebhook(webhook), before, present }] : []
  })
  return (await Promise.all(changes)).flat()
}

/** Who has troubles: a bridge, or a webhook of an account. */
interface Subject {
  accountId: string
  /** The key of the row that says what was reported. */
  id: string
  /** What it is called in mails, and where it is on the dashboard. */
  name: string
  path: string
  /** What it is called in a POST. */
  told: { customer_ref: string } | { webhook_id: string }
  /** What signs that. */
  secrets: () => Promise<[string, ...string[]]>
}

function ofBridge({ id, accountId, customerRef }: Bridge.Info): Subject {
  return {
    accountId,
    id,
    name: customerRef,
    path: `/numbers/${customerRef}`,
    told: { customer_ref: customerRef },
    secrets: async () => (await WebhookSecret.ofBridge(id)).secrets,
  }
}

function ofWebhook({ webhookId, receiver }: Delivery.Info): Subject {
  return {
    accountId: receiver.accountId,
    id: webhookId,
    name: "All numbers",
    path: "/webhooks",
    told: { webhook_id: webhookId },
    secrets: async () => (await Receiver.keysOf(receiver)).secrets,
  }
}

interface Change {
  subject: Subject
  before: Trouble[]
  present: Trouble[]
  /** How many events a webhook that has just recovered got again by itself. */
  recovered?: Delivery.Recovered | undefined
}

interface News {
  subject: Subject
  trouble: Trouble
  isOver: boolean
  recovered?: Delivery.Recovered | undefined
}

/** The latest of what the webhooks of a bridge have just sent again by themselves. */
function lastRecovery(deliveries: Delivery.Info[]): Delivery.Recovered | undefined {
  return deliveries
    .flatMap((one) => (Receiver.isOfAccount(one) ? [] : (one.recovered ?? [])))
    .filter(({ at }) => now() - at < patience)
    .toSorted((a, b) => b.at - a.at)[0]
}

/**
 * Tells an account's people of these changes. The next look repeats this if the store fails or the account
 * has had too many mails, but not if a mail or a POST fails.
 */
async function reportTo([accountId, changes]: [string, Change[]]): Promise<void> {
  try {
    if ((await RateLimit.count("mailsOfActs", accountId)).isExceeded) return
    const { to, url } = await get(accountId)
    const news = changes.flatMap(newsOf)
    await Promise.all([mail(accountId, to, news), post(accountId, url, news)])
    for (const { subject, present } of changes) await remember(subject, present)
  } catch (error) {
    log.warn({ error, accountId }, "an account's troubles were not reported")
  }
}

async function remember({ id, accountId, told }: Subject, present: Trouble[]): Promise<void> {
  if (present.length === 0) return await forgetReported(id)
  const ofAccount = "webhook_id" in told && { account_id: accountId }
  const Item = { pk: reportedOnes, sk: id, troubles: present, ...ofAccount }
  await putRow({ TableName: tables.accounts, Item })
}

async function forgetReported(id: string): Promise<void> {
  await removeRow({ TableName: tables.accounts, Key: { pk: reportedOnes, sk: id } })
}

function newsOf({ subject, before, present, recovered }: Change): News[] {
  const begun = present.filter((one) => !before.includes(one))
  // A number that is banned after it was unlinked is not well again.
  const isStillDown = present.some(isDown)
  const ended = before.filter((one) => !present.includes(one) && !(isDown(one) && isStillDown))
  return [
    ...begun.map((trouble) => ({ subject, trouble, isOver: false })),
    ...ended.map((trouble) => ({
      subject,
      trouble,
      isOver: true,
      ...(trouble === "failing" && { recovered }),
    })),
  ]
}

function isDown(trouble: Trouble): boolean {
  return trouble !== "failing"
}

/**
 * The troubles of a bridge; none if it is deleted.
 * @returns undefined while the bridge must not run: it is no surprise then that it is down, and earlier
 * troubles are not over
 */
function troublesOf(lease: Lease.Info | undefined, deliveries: Delivery.Info[]): Trouble[] | undefined {
  if (!lease || lease.host === Lease.GONE) return []
  if (lease.host === Lease.STOPPED) return undefined
  const fails = deliveries.some((one) => isFailing(one) && !Receiver.isOfAccount(one))
  const down = downOf(lease)
  return [...(down ? [down] : []), ...(fails ? (["failing"] as const) : [])]
}

function isFailing({ failingSince }: Delivery.Info): boolean {
  return failingSince !== undefined && now() - failingSince >= patience
}

function downOf(lease: Lease.Info): Trouble | undefined {
  const { reported } = lease
  // No phone was linked yet.
  if (reported?.phone === undefined) return undefined
  const { status, objection, since } = reported
  if (status === "unpaired") return objection === "locked" || objection === "banned" ? objection : "unlinked"
  if (status === "replaced") return status
  const isAway = status !== "connected" && now() - since >= patience
  // A session that ended as planned is taken by its next host within seconds.
  const isGone = !Lease.isHeld(lease) && Lease.lastSessionFailed(lease) && now() - lease.failedAt >= patience
  return isAway || isGone ? "silent" : undefined
}

async function mail(accountId: string, to: To, news: News[]): Promise<void> {
  const [first] = news
  const subject = news.length === 1 && first ? sentenceOf(first) : `${news.length} changes of your numbers`
  const at = config.DASHBOARD_URL.replace(/\/+$/, "")
  const text = [
    ...news.flatMap((one) => [
      `${sentenceOf(one)}. ${recoveryOf(one)}${at}${one.subject.path}`,
      ...whatHappened(one, at),
    ]),
    "",
    `Who gets such alerts is chosen at ${at}/account.`,
  ].join("\n")
  const people = await addressesToMail(accountId, to)
  await Promise.all(people.map(async (one) => await Mail.send({ to: one, subject, text })))
}

/** Where the dashboard shows what happened at a number before it was reported. */
function whatHappened({ subject, isOver }: News, at: string): string[] {
  if (isOver || "webhook_id" in subject.told) return []
  const span = `from=${now() - 2 * patience}&to=${now() + 60}`
  return [`What happened: ${at}${subject.path}/what-happened?${span}`]
}

/** The addresses of the people whom an account's choice means. */
export async function addressesToMail(accountId: string, to: To): Promise<string[]> {
  const people = to === "nobody" ? [] : await Member.list(accountId)
  const isMeant = ({ role }: Member.Info) => role === "owner" || (to === "members" && role === "member")
  return people.filter(isMeant).map(({ email }) => email)
}

function sentenceOf({ subject: { name, told }, trouble, isOver }: News): string {
  const says =
    "webhook_id" in told ? "the webhook of the account has failed for 15 minutes" : troubles[trouble]
  if (!isOver) return `${name}: ${says}`
  return `${name} ${"webhook_id" in told ? "are" : "is"} well again: it is over that ${says}`
}

/** "Back at 14:31 UTC: 212 events sent again in 9 s. " */
function recoveryOf({ recovered }: News): string {
  if (!recovered) return ""
  const { at, events, left, tookMs } = recovered
  const rest = left === 0 ? "" : `, ${left} failed again and stayed undelivered`
  const clock = iso(at * 1000).slice(11, 16)
  return `Back at ${clock} UTC: ${events} events sent again in ${Math.max(1, Math.round(tookMs / 1000))} s${rest}. `
}

/** A receiver that is away holds up no mail. */
async function post(accountId: string, url: string, news: News[]): Promise<void> {
  if (url === "") return
  const posting = news.map((one) =>
    postOne(accountId, url, one).catch((error: unknown) =>
      log.warn({ error, accountId }, "an account's receiver of troubles failed"),
    ),
  )
  await Promise.all(posting)
}

/** Contract, "Alerts". Signed as an event of that number is, with the secret of its webhook. */
async function postOne(accountId: string, url: string, news: News): Promise<void> {
  const { subject, trouble, isOver, recovered } = news
  const secrets = await subject.secrets()
  const body = {
    ...subject.told,
    trouble,
    state: isOver ? "over" : "begun",
    at: iso(now() * 1000),
    ...(recovered && { recovered: DeliveryReport.wireRecovered(recovered) }),
  }
  await postJson(url, accountId, body, (bytes) =>
    Receiver.signedHeaders({ secrets, id: randomUUID(), attempt: 1, body: bytes, timestamp: now() }),
  )
}

function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "TROUBLES" }
}
