import { html } from "hono/html"
import type { Attempt } from "#contract/delivery.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Receiver } from "#core/event/receiver.ts"
import { nowMs } from "#core/platform/clock.ts"
import { type Html } from "../elements.ts"
import { whyFailed } from "../events/attempt-words.ts"
import { age, ago, until } from "../times.ts"

/** How a bridge's events get to its webhooks. */
export interface Receiving {
  /**
   * The address of the webhook that is looked at closely: the first, unless another is asked for; `""`: the
   * hosted inbox.
   */
  url: string
  webhookId: string
  /** How many events wait for it, and how many more were asked to be sent again. */
  waiting: number
  resending: number
  /** The id of the event whose turn it is, and when it came. */
  headId?: string | undefined
  oldestMs?: number | undefined
  /** Since when each attempt has failed, and when the next is made. */
  failingSinceMs?: number | undefined
  retryAtMs?: number | undefined
  /** Why the latest attempt failed, if it did. */
  lastError?: string | undefined
  lastAtMs?: number | undefined
  /** Since when it is paused. */
  pausedSinceMs?: number | undefined
  /** How many further webhooks get the number's events, where the first is looked at. */
  others: number
  /**
   * How many events each webhook has given up and not sent since, at most `mostCounted`; webhooks without any
   * are left out.
   */
  undelivered: Map<string, number>
  /** The other webhooks that fail: their addresses, since when, and why. */
  failing: Map<string, { url: string; sinceMs: number; lastError: string | undefined }>
}

/** Up to how many events that a webhook has given up are counted. */
export const mostCounted = 100

/** How a bridge's events get to its webhooks now. `known`: its deliveries, where they were read already. */
export async function receivingOf(bridge: Bridge.Info, known?: Delivery.Info[]): Promise<Receiving> {
  const [first, ...further] = known ?? (await Delivery.ofBridge(bridge.id))
  const failed = further.filter(
    ({ failingSince, pausedAt }) => failingSince !== undefined && pausedAt === undefined,
  )
  const [receiving, undelivered, failing] = await Promise.all([
    first && receivingAt(first),
    undeliveredOf(further),
    Promise.all(failed.map(async (one) => [one.webhookId, await failureOf(one)] as const)),
  ])
  return {
    ...(receiving ?? nothingAt(bridge.webhookUrl)),
    others: further.length,
    undelivered: new Map([...(receiving?.undelivered ?? []), ...undelivered]),
    failing: new Map(failing),
  }
}

async function failureOf(webhook: Delivery.Info) {
  const [last] = await lastOf(webhook)
  const lastError = last && !last.success ? whyFailed(last) : undefined
  return { url: webhook.receiver.url, sinceMs: (webhook.failingSince ?? 0) * 1000, lastError }
}

function nothingAt(url: string): Receiving {
  const none = { waiting: 0, resending: 0, others: 0, undelivered: new Map(), failing: new Map() }
  return { url, webhookId: "first", ...none }
}

/** How events get to one webhook. `attempts`: the latest ones, if they are known already. */
export async function receivingAt(webhook: Delivery.Info, attempts?: Attempt[]): Promise<Receiving> {
  const { url } = webhook.receiver
  const { webhookId } = webhook
  if (url === "") return nothingAt(url)
  const [summary, [last], undelivered] = await Promise.all([
    DeliveryReport.summaryOf(webhook),
    attempts ?? lastOf(webhook),
    undeliveredOf([webhook]),
  ])
  // An event that was sent again and taken ends a failure, too, if nothing else is left to try.
  const isOver = (summary.waiting === 0 && last?.success === true) || webhook.pausedAt !== undefined
  return {
    url,
    pausedSinceMs: ms(webhook.pausedAt),
    others: 0,
    webhookId,
    undelivered,
    failing: new Map(),
    waiting: summary.waiting,
    resending: summary.resending,
    headId: summary.head,
    oldestMs: ms(summary.oldest_at),
    failingSinceMs: isOver ? undefined : ms(summary.failing_since),
    retryAtMs: ms(summary.next_attempt_at),
    lastError: last && !last.success ? whyFailed(last) : undefined,
    lastAtMs: last && Date.parse(last.timestamp),
  }
}

/** The latest attempt, if there was one: by one read, where its row is written already. */
async function lastOf(delivery: Delivery.Info): Promise<Attempt[]> {
  const { attempts } = delivery
  if (attempts === 0) return []
  const last = await AttemptLog.byCount(delivery, attempts)
  return last ? [last] : await AttemptLog.latest(delivery)
}

/** How many events each of these webhooks has given up; those without any are left out. */
export async function undeliveredOf(webhooks: Receiver.Id[]): Promise<Map<string, number>> {
  const counted = webhooks.map(async (id) => {
    const pointers = await EventLists.newestNumbersOnList(id, "undelivered", mostCounted)
    return [id.webhookId, pointers.length] as const
  })
  return new Map((await Promise.all(counted)).filter(([, count]) => count > 0))
}

/**
 * "3 undelivered", in red, and where they are: at the webhook that has the most. Nothing, if there are none.
 */
function undeliveredMark(ref: string, undelivered: Map<string, number>): Html | string {
  const [most] = [...undelivered].toSorted(([, a], [, b]) => b - a)
  if (!most) return ""
  const [webhookId] = most
  const count = [...undelivered.values()].reduce((all, one) => all + one, 0)
  const words = count >= mostCounted ? `${mostCounted} or more` : count
  return html`<a class="state bad" href="${pathOfDeliveries(ref, webhookId)}">${words} undelivered</a>`
}

/** The page of the deliveries to a webhook. */
export function pathOfDeliveries(ref: string, webhookId: string): string {
  return `/numbers/${ref}/deliveries${webhookQuery(webhookId)}`
}

/** Where a webhook is changed. */
export function pathOfWebhook(ref: string, webhookId: string): string {
  const page = Receiver.isOfAccount({ webhookId }) ? "/webhooks" : `/numbers/${ref}/webhooks`
  return `${page}#${webhookId}`
}

/** Whether one of the webhooks takes nothing. */
export function isFailing({ failingSinceMs, failing }: Receiving): boolean {
  return failingSinceMs !== undefined || failing.size > 0
}

/** The query that names this webhook in the address of a page. */
export function webhookQuery(webhookId: string): string {
  return Receiver.isFirst({ webhookId }) ? "" : `?webhook=${webhookId}`
}

/** For the head of a number's pages: whether a webhook fails, and how many events are undelivered. */
export async function webhookMarks(bridge: Bridge.Info): Promise<Html> {
  const { customerRef: ref, webhookUrl } = bridge
  const all = await Delivery.ofBridge(bridge.id)
  const [first, ...further] = all
  const webhooks = first && webhookUrl !== "" ? [first, ...further] : further
  const mayFail = all.some(({ failingSince }) => failingSince !== undefined)
  const [receiving, undelivered] = await Promise.all([
    mayFail ? receivingOf(bridge, all) : nothingAt(webhookUrl),
    undeliveredOf(webhooks),
  ])
  const at = failingWebhook(receiving)
  return html`${at === undefined ? "" : failing(ref, at, html``).mark} ${undeliveredMark(ref, undelivered)}`
}

/** The webhook that fails, or the first of several that do. */
export function failingWebhook({ failing, failingSinceMs, webhookId }: Receiving): string | undefined {
  return failingSinceMs === undefined ? failing.keys().next().value : webhookId
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** What does not get through: a mark, what is known about it, and where there is more. */
interface ReceiverTrouble {
  mark: Html
  /** The address of the webhook that is looked at closely. */
  url?: string
  about: Html | string
  href: string
  label: string
}

/** What does not get through to the webhooks of a number; nothing if all does. */
export function receiverTroubles(ref: string, it: Receiving): ReceiverTrouble[] {
  const found: ReceiverTrouble[] = []
  if (it.failingSinceMs !== undefined)
    found.push({
      ...failing(ref, it.webhookId, aboutFailing(ref, it, it.failingSinceMs)),
      url: it.url,
    })
  for (const [id, { url, sinceMs, lastError }] of it.failing)
    found.push(
      failing(
        ref,
        id,
        html`<bdi class="mono">${url}</bdi>, for ${age(sinceMs)}. ${lastError ? `${lastError}.` : ""}`,
      ),
    )
  const [most] = [...it.undelivered].toSorted(([, a], [, b]) => b - a)
  if (most) {
    const href = `${pathOfDeliveries(ref, most[0])}#given-up`
    const mark = html`${undeliveredMark(ref, it.undelivered)}`
    found.push({ mark, about: "", href, label: "See undelivered" })
  }
  return found
}

function failing(ref: string, webhookId: string, about: Html): ReceiverTrouble {
  const href = pathOfDeliveries(ref, webhookId)
  return {
    mark: html`<a class="state bad" href="${href}">Webhook failing</a>`,
    about,
    href,
    label: "See deliveries",
  }
}

/** For how long a webhook has failed, why, and what comes next. */
function aboutFailing(ref: string, it: Receiving, sinceMs: number): Html {
  return html`For ${age(sinceMs)}. ${it.lastError ? `${it.lastError}.` : ""} ${nextAttempt(it)}
  ${queue(ref, it)}`
}

/** For how long an event is tried, where a webhook fails (Contract, "Delivery"). */
export const aboutRetries = html`<p class="small">
  Each event is tried five times, within about five minutes, while later ones wait. Then it is undelivered,
  and the next one is tried. A redirect, or a status of 400 to 499 other than 429, ends it at once.
</p>`

/** "OK", "3 undelivered", "3 waiting, oldest 40 s", "Failing for 6 min: status 500. Next attempt in 18 s". */
export function receiverLine(ref: string, it: Receiving): Html {
  const troubles = receiverTroubles(ref, it)
  const marks = troubles.map(({ mark, about }) => line(mark, about))
  if (it.url === "") {
    const others =
      it.others === 1 ? "another webhook gets them, too" : `${it.others} other webhooks get them, too`
    const words =
      it.others === 0
        ? "No webhook: events stay here"
        : `No webhook of its own: events stay here, and ${others}`
    return html`<div class="lines"><span class="muted">${words}</span> ${marks}</div>`
  }
  if (it.pausedSinceMs !== undefined)
    return html`<div class="lines">
      ${line(html`<span class="state warn">Paused</span>`, html`for ${age(it.pausedSinceMs)}. ${queue(ref, it)}`)}
      ${marks}
    </div>`
  if (it.failingSinceMs !== undefined) return html`<div class="lines">${marks}</div>`
  if (it.waiting + it.resending > 0)
    return html`<div class="lines">
      ${line(html`<span class="state warn">Waiting</span>`, queue(ref, it))} ${marks}
    </div>`
  const last = it.lastAtMs === undefined ? "nothing sent yet" : html`last delivery ${ago(it.lastAtMs)}`
  const mark = it.lastAtMs === undefined ? ["idle", "Not tried yet"] : ["good", "OK"]
  if (marks.length === 0) return line(html`<span class="state ${mark[0]}">${mark[1]}</span>`, last)
  return html`<div class="lines">
    ${marks}
    <div class="small muted">${last}</div>
  </div>`
}

function line(mark: Html, about: Html | string): Html {
  return html`<div>${mark} ${about === "" ? "" : html`<div class="small muted">${about}</div>`}</div>`
}

function nextAttempt({ waiting, retryAtMs }: Receiving): Html | string {
  if (waiting === 0) return ""
  if (retryAtMs === undefined || retryAtMs <= nowMs()) return "The next attempt is due."
  return html`Next attempt in ${until(retryAtMs)}.`
}

function queue(ref: string, { waiting, resending, oldestMs, webhookId }: Receiving): Html {
  const oldest = oldestMs === undefined ? "" : html`, the oldest for ${age(oldestMs)}`
  const count = Receiver.isFirst({ webhookId })
    ? html`<a href="/numbers/${ref}/events?state=pending">${waiting} waiting</a>`
    : `${waiting} waiting`
  return html`${waiting === 0 ? "" : html`${count}${oldest}.`}
  ${resending === 0 ? "" : `${resending} to be sent again.`}`
}
