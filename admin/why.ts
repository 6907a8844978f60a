import { Account } from "#core/account/account.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateOf, roughStateOf } from "#core/bridge/known-state.ts"
import { sentenceOf } from "#core/bridge/state-words.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { AllHostsStop } from "#core/lease/all-hosts-stop.ts"
import { HostShortage } from "#core/lease/host-shortage.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { iso, now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { Refused, type Row } from "./verb.ts"

/** The facts about a bridge that can be seen from outside its session. */
export interface Facts {
  lease: Lease.Info
  host: Host.Info | undefined
  shortage: HostShortage.Info | undefined
  /** Whether the operator has stopped all hosts. */
  isStopped: boolean
  /** What its session says or last reported. Undefined if no host has it, and before the first report. */
  known: KnownState | undefined
  now: number
}

/** Everything that explains why a bridge is up or down: first a sentence, then the facts behind it. */
export async function why(bridgeId: string): Promise<Row[]> {
  const [bridge, lease] = [await Bridge.byId(bridgeId), await Lease.get(bridgeId)]
  if (!bridge || !lease)
    throw new Refused("there is no such bridge: `bridge list` and `bridge find` name them")
  const host = Lease.isHeld(lease) ? await Host.get(lease.host) : undefined
  const [shortage, isStopped] = [await HostShortage.get(lease.network), await AllHostsStop.isOn()]
  const account = await Account.get(bridge.accountId)
  const known = host && (await knownFrom(bridge, lease, account))
  const status = known && (known.kind === "said" ? known.status : Lease.statusOf(lease))
  return [
    { why: sentence({ lease, host, shortage, isStopped, known, now: now() }) },
    {
      bridge: bridgeId,
      customer_ref: bridge.customerRef,
      account: bridge.accountId,
      subscription: account?.subscription ?? "",
      created_at: iso(bridge.createdMs),
    },
    {
      state: Lease.stateOf(lease),
      reason: lease.stopped.join(", "),
      status: status ?? "",
      status_since:
        status !== undefined && lease.reported?.status === status ? time(lease.reported.since) : "",
      network: lease.network,
      epoch: lease.epoch,
      failures: lease.failures,
      deaths: lease.deaths,
      logins: lease.logins,
      fail_count: lease.failCount,
      failed_at: time(lease.failedAt),
      last_call: time(lease.used),
    },
    {
      host: lease.host,
      host_state: host?.state ?? "",
      host_sessions: host?.sessions ?? 0,
      host_task: host?.task ?? "",
      shortage: shortage ? `${shortage.kind} since ${time(shortage.since)}: ${shortage.why}` : "",
    },
    ...(await Promise.all((await Delivery.ofBridge(bridgeId)).map(webhookRow))),
    ...(await lastLines(bridgeId)).map((line) => ({ log: line })),
  ]
}

/** How the delivery to one of the bridge's webhooks stands. */
async function webhookRow(delivery: Delivery.Info): Promise<Row> {
  const { webhookId, head, receiver, failures, retryAtMs, pausedAt } = delivery
  const waiting = await EventLists.page(delivery, { state: "pending", after: head, limit: 1000 })
  const [attempt] = await AttemptLog.latest(delivery)
  return {
    webhook: receiver.url === "" ? "hosted inbox" : receiver.url,
    webhook_id: webhookId,
    paused_at: time(pausedAt ?? 0),
    events_waiting: waiting.length,
    oldest_waiting: time(waiting[0]?.createdAt ?? 0),
    failures_of_the_first: failures,
    next_attempt: time(Math.ceil(retryAtMs / 1000)),
    last_attempt: attempt ? `${attempt.timestamp} ${attempt.status_code} ${attempt.error}`.trim() : "",
  }
}

/** The first obstacle, and what to do about it. */
export function sentence({ lease, host, shortage, isStopped, known, now: at }: Facts): string {
  if (lease.host === Lease.GONE) return "it is deleted, and its remaining rows are being removed"
  if (lease.arriving !== undefined)
    return "an import of it was interrupted, or is under way: `import` its file again, or `undo-import` what has come"
  if (lease.host === Lease.STOPPED) return stoppedBecause[Lease.whyStopped(lease) ?? "operator"]
  if (lease.host === Lease.FREE && isStopped)
    return "it waits for a host, and `host stop` keeps all hosts from starting: `host start` undoes that"
  if (lease.host === Lease.FREE) return unheld(lease, shortage, at)
  if (!host)
    return "its host is gone and nobody has freed it yet: the sweep does so within a minute, if it runs"
  if (host.state === "dead") return "its host died: the sweep is giving it free"
  if (host.state === "draining") return "its host drains: another one takes it in a moment"
  if (!known || known.kind === "unheld") return "a living host holds it, and its session is starting"
  const status = known.kind === "said" ? known.status : ""
  if (Lease.loginAgainAt(lease, at) > at && (status === "connecting" || status === "disconnected"))
    return `its last ${lease.logins} logins did not last. The next is at ${time(Lease.loginAgainAt(lease, at))}, since numbers that keep logging in get banned. Its log says how the logins ended`
  return sentenceOf(known)
}

/** A sentence for each reason why a bridge must not run. */
export const stoppedBecause: Record<Lease.Reason, string> = {
  idle: "it is paused: nobody had linked a phone or called for three days. Any call wakes it",
  billing: "it is paused for billing: `bridge wake` lets it run",
  operator: "its operator has paused it: `bridge wake` lets it run",
  customer: "its own people have paused it in the dashboard: only they wake it, there",
  moved:
    "it has moved to another service. If it is certain that no other service has it, `take-back` lets it run here again",
  suspended: "it is suspended: `bridge resume` lets it run",
}

function unheld(lease: Lease.Info, shortage: HostShortage.Info | undefined, at: number): string {
  const isSuspect = Lease.isSuspect(lease)
  if (isSuspect && Lease.triedAgainAt(lease, at) > at)
    return `its last ${Math.max(lease.failures, lease.deaths)} sessions failed or took their host along. It is tried again at ${time(Lease.triedAgainAt(lease, at))}, alone on a host. Its log and the host's say how they ended`
  if (shortage)
    return `it waits for a host, and none can be started (${shortage.kind}): ${shortage.why}. Tried again at ${time(shortage.retryAt)}`
  if (isSuspect)
    return "it waits for a host of its own, since it may be what ended its last sessions or hosts. Five such bridges are tried at a time, each for a minute. Its log and the host's say how they ended"
  return "it waits for a host: one takes it within seconds, if there is room and the sweep runs"
}

/**
 * What the session says now. An operator's machine cannot reach a deployed host: there, what the session last
 * reported is read from the lease.
 */
async function knownFrom(
  bridge: Bridge.Info,
  lease: Lease.Info,
  account: Account.Info | undefined,
): Promise<KnownState> {
  if (config.HOST_TOKEN_SECRET === undefined) return await roughStateOf(lease, async () => account)
  return await knownStateOf(bridge, lease)
}

/** The latest lines of the log that the customer sees. */
async function lastLines(bridgeId: string): Promise<string[]> {
  if (!BridgeLog.isKept()) return []
  for await (const lines of BridgeLog.follow(bridgeId, 20)) return lines
  return []
}

function time(seconds: number): string {
  return seconds === 0 ? "" : iso(seconds * 1000)
}
