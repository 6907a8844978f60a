import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import type { z } from "zod"
import { SessionStatus } from "#contract/session.ts"
import type { Objection } from "#contract/status-and-objection.ts"
import { Account } from "../account/account.ts"
import { Billing } from "../account/billing.ts"
import { ApiError } from "../error.ts"
import { callHolderIfAny } from "../lease/call-holder.ts"
import { Host } from "../lease/host.ts"
import { Lease } from "../lease/lease.ts"
import { LinkedPhone } from "../lease/linked-phone.ts"
import { now, nowMs } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { Bridge } from "./bridge.ts"

/** The last word of a session before its host fell silent. */
export interface LastWord {
  status: string
  /** When the session was heard, or else its host; undefined where that is not known. */
  atMs?: number | undefined
}

/**
 * A session without a word for so long is lost rather than uncertain, in ms. A page that looks every few
 * seconds says so by 45 s.
 */
const lostAfterMs = 40_000

/** Pages doubt a session's word that is older than this, as their script does, in ms. */
const doubtedAfterMs = 15_000

/** A bridge's state, whose word that is, and the number of the phone that is linked, or was last. */
export type KnownState = Word & { hadPhone?: boolean; lastPhone?: string }

type Word =
  /** The session said so at `atMs`; undefined: it was not asked now, but wrote this down before. */
  | {
      kind: "said"
      atMs: number | undefined
      status: string
      /** Since when it is so, Unix ms; undefined where that was not written down. */
      sinceMs?: number | undefined
      phone: string
      name: string
      /** Connected, and still getting what came before the login. */
      isCatchingUp?: boolean | undefined
      objection?: Objection | undefined
      /** When the session tries again, Unix seconds, where the network has named a time. */
      objection_until?: number | undefined
      /** Who unlinked the phone that was linked; undefined where that was not written down. */
      unlinked?: Lease.Reported["unlinked"]
      restriction?: string | undefined
      restricted_until?: number | undefined
      /** How many chats its pacing still lets it begin today. */
      new_chats_left?: number | undefined
      /** The network's request for the passkey of the account whose phone took a code. */
      passkey?: z.infer<typeof SessionStatus>["passkey"]
    }
  /** A host holds it and does not answer. */
  | { kind: "silent"; last?: LastWord; isLost?: boolean }
  /** No host holds it: it is new, or moves, or its host has died (`hasFailed`). */
  | { kind: "unheld"; last?: LastWord; hasFailed?: boolean; isLost?: boolean }
  /** It was not used for a while; any call wakes it. */
  | { kind: "idle" }
  | { kind: "paused"; why: WhyPaused }
  | { kind: "suspended" }
  /** Another service has it. */
  | { kind: "moved" }
  | { kind: "gone" }

/**
 * Why a bridge is paused. `none`, `unpaid`, `canceled`: its account's subscription is that. `paid`: it was
 * paid a moment ago. `billing`: for a payment that the operator asks for, where none is made here. `secret`:
 * this reader need not know.
 */
export type WhyPaused =
  | "operator"
  | "customer"
  | "billing"
  | "none"
  | "unpaid"
  | "canceled"
  | "paid"
  | "secret"

/** How long a page waits for a session's word. A session that lives answers within milliseconds. */
const patienceMs = 700

/**
 * When sessions were heard last, Unix ms, by their bridges: pages say for how long one has been silent. Kept
 * for as long as a page looks.
 */
const heard = new LRUCache<string, number>({ max: 10_000, ttl: lostAfterMs, updateAgeOnGet: true })

/** How a bridge stands now, by its session host's own word; without one, by what was last written down. */
export async function knownStateOf(bridge: Bridge.Info, known?: Lease.Info): Promise<KnownState> {
  const lease = known ?? (await Lease.get(bridge.id))
  return await withPhone(bridge, lease, await wordOf(accountOf(bridge), lease, askedOf))
}

/**
 * How a bridge stands now, by its session's own word if that comes in time, else by what was last written
 * down.
 */
export async function knownStateWithin(
  bridge: Bridge.Info,
  lease: Lease.Info | undefined,
  withinMs: number,
): Promise<KnownState> {
  const heldWord = async (held: Lease.Info) =>
    await Promise.race([askedOf(held), sleep(withinMs).then(async () => await meanwhileOf(held))])
  return await withPhone(bridge, lease, await wordOf(accountOf(bridge), lease, heldWord))
}

/**
 * How a bridge stands by what was written down, at once, whatever its host does. Of its phone it says only
 * whether there was one.
 */
export async function roughStateOf(
  lease: Lease.Info | undefined,
  account: () => Promise<Account.Info | undefined>,
): Promise<KnownState> {
  const word = await wordOf(account, lease, reportedOf)
  return lease?.reported?.phone === undefined ? word : { ...word, hadPhone: true }
}

/** Reads the account of a bridge only when it is asked for. */
function accountOf({ accountId }: Bridge.Info) {
  return async () => await Account.get(accountId)
}

async function withPhone(
  bridge: Bridge.Info,
  lease: Lease.Info | undefined,
  word: Word,
): Promise<KnownState> {
  if (lease?.reported?.phone === undefined) return word
  return {
    ...word,
    hadPhone: true,
    lastPhone: LinkedPhone.numberOf(lease, await Bridge.deliveryKeyOf(bridge)),
  }
}

/** @param heldWord how a bridge stands that a host holds */
async function wordOf(
  account: () => Promise<Account.Info | undefined>,
  lease: Lease.Info | undefined,
  heldWord: (lease: Lease.Info) => Promise<Word>,
): Promise<Word> {
  if (!lease || lease.host === Lease.GONE) return { kind: "gone" }
  const state = Lease.stateOf(lease)
  if (state === "suspended" || state === "moved") return { kind: state }
  const why = Lease.whyStopped(lease)
  if (why === "idle") return { kind: "idle" }
  if (state === "paused") return { kind: "paused", why: await whyPaused(account, why) }
  return Lease.isHeld(lease) ? await heldWord(lease) : unheld(lease)
}

async function askedOf(lease: Lease.Info): Promise<Word> {
  const said = await askSession(lease.bridgeId)
  if (!said) return await silent(lease)
  const atMs = nowMs()
  heard.set(lease.bridgeId, atMs)
  const reported = lease.reported?.status === said.status ? lease.reported : undefined
  const sinceMs = reported && reported.since * 1000
  return { kind: "said", ...said, atMs, sinceMs, unlinked: reported?.unlinked }
}

async function reportedOf({ reported }: Lease.Info): Promise<Word> {
  if (!reported) return { kind: "unheld" }
  const { status, objection, objection_until, unlinked, since } = reported
  const restriction = restrictionIn(reported)
  return {
    kind: "said",
    status,
    objection,
    objection_until,
    unlinked,
    ...(restriction && { restriction: restriction.kind, restricted_until: restriction.until }),
    atMs: undefined,
    sinceMs: since * 1000,
    phone: "",
    name: "",
  }
}

/** The limit that the network has put on the account, as it was written down, until its end. */
function restrictionIn({ restriction }: Lease.Reported): Lease.Reported["restriction"] {
  return restriction && (restriction.until === 0 || restriction.until > now()) ? restriction : undefined
}

/**
 * The state of a session that has not answered yet: the one it reported last, or doubt if it has been silent
 * for long.
 */
async function meanwhileOf(lease: Lease.Info): Promise<Word> {
  const atMs = heard.get(lease.bridgeId)
  const isDoubted = atMs !== undefined && nowMs() - atMs >= doubtedAfterMs
  return isDoubted ? await silent(lease) : await reportedOf(lease)
}

async function whyPaused(
  accountOf: () => Promise<Account.Info | undefined>,
  reason: Lease.Reason | undefined,
) {
  if (reason === "customer") return "customer"
  if (reason !== "billing") return "operator"
  const account = Billing.isOn() ? await accountOf() : undefined
  if (!account || account.isByHand) return "billing"
  const { subscription } = account
  return subscription === "none" || subscription === "unpaid" || subscription === "canceled"
    ? subscription
    : "paid"
}

async function silent(lease: Lease.Info): Promise<KnownState> {
  const atMs = heard.get(lease.bridgeId) ?? (await beatOf(lease))
  return { kind: "silent", ...lastOf(lease, atMs) }
}

/**
 * When a silent session was heard: at its host's last beat, if no page has asked the session for a while.
 * Later beats of the host say nothing of the session.
 */
async function beatOf({ bridgeId, host }: Lease.Info): Promise<number | undefined> {
  const beatAt = (await Host.get(host))?.beatAt ?? 0
  if (beatAt === 0) return undefined
  heard.set(bridgeId, beatAt * 1000)
  return beatAt * 1000
}

function unheld(lease: Lease.Info): KnownState {
  // An earlier session than the last may have reported the status.
  const hasFailed = lease.reported !== undefined && Lease.lastSessionFailed(lease)
  if (!hasFailed) return { kind: "unheld", ...lastOf(lease, undefined) }
  return { kind: "unheld", hasFailed, ...lastOf(lease, heard.get(lease.bridgeId) ?? lease.failedAt * 1000) }
}

/** The last word of a session, and whether that is long ago. */
function lastOf({ reported }: Lease.Info, atMs: number | undefined) {
  const isLost = atMs !== undefined && nowMs() - atMs >= lostAfterMs
  return {
    isLost,
    ...(reported && { last: { status: lastStatusOf(reported), atMs } }),
  }
}

/** The reported status. That the network restricts a number matters only while the number is connected. */
function lastStatusOf(reported: Lease.Reported): string {
  return reported.status === "connected" && restrictionIn(reported) ? "restricted" : reported.status
}

async function askSession(bridgeId: string): Promise<z.infer<typeof SessionStatus> | undefined> {
  try {
    const call = { method: "GET", path: "/status", bridgeId, requestId: randomUUID() } as const
    const answer = await callHolderIfAny(call, patienceMs)
    if (answer?.status !== 200) return undefined
    return SessionStatus.parse(JSON.parse(Buffer.from(answer.body).toString()))
  } catch (error) {
    if (!(error instanceof ApiError)) log.warn({ error, bridgeId }, "a session's status was not read")
    return undefined
  }
}

/** Whether a phone is linked, by the session's own word. */
export function isLinked(knownState: KnownState): knownState is Extract<KnownState, { kind: "said" }> {
  return knownState.kind === "said" && !["unpaired", "passkey_required"].includes(knownState.status)
}

/** Whether the bridge must not run here. */
export function isStopped({ kind }: KnownState): boolean {
  return kind === "paused" || kind === "suspended" || kind === "moved"
}

/** The part of a state that a visitor may know who only links a phone. */
export function forStrangers(knownState: KnownState): KnownState {
  if (isStopped(knownState)) return { kind: "paused", why: "secret" }
  const { hadPhone: _, lastPhone: __, ...known } = knownState
  return known
}
