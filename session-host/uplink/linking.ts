import type { z } from "@hono/zod-openapi"
import type { PasskeyAssertion } from "#contract/passkey.ts"
import type { SessionStatus } from "#contract/session.ts"
import { networkUnreachable, sessionUnavailable } from "#core/error.ts"
import type { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { mayWaitMs } from "../concurrency/call-deadline.ts"
import type { Condition } from "../concurrency/condition.ts"
import { objectionSentences } from "../content/connection.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Happening } from "../network/happening.ts"
import { alreadyPaired, notPaired, passkeyNotAwaited, passkeyRequired } from "../network/refusals.ts"
import type { Say } from "../say-in-log.ts"
import type { Timing } from "../timing.ts"
import { showCodeToHousehold } from "./link-sandbox.ts"
import type { Uplink } from "./uplink.ts"

/** A code that links a phone. */
interface Code {
  text: string
  /** Unix seconds. */
  expiresAt: number
}

interface Input {
  memory: { readonly vault: SessionVault; standing: LoginStanding; sandboxOf: string | undefined }
  uplink: Pick<
    Uplink,
    "connection" | "isLost" | "refusal" | "dial" | "hangUp" | "ready" | "during" | "loggedOut"
  >
  timing: Pick<Timing, "pairingMs" | "codeMs" | "connectingMs" | "finishMs">
  log: Logger
  say: Say
  /** Notified of every change here and of the uplink's. */
  changes: Condition
  /** No caller wants to link a phone any more. */
  onGivenUp: () => void
}

/**
 * How long a session that was asked for a passkey stays connected, in ms: longer than any such request is
 * valid.
 */
const passkeyLastsMs = 6 * 60_000

/**
 * The link between a session and its phone: the wish for it, codes and passkey, until the phone is logged
 * out.
 */
export class Linking {
  readonly #input: Input
  /** Runs while a caller wants to link a phone. An unlinked session dials only during that time. */
  #wish: NodeJS.Timeout | undefined
  #code: Code | undefined
  /** How many calls that unlink the phone are under way. */
  #logouts = 0
  #unlinked: Lease.Reported["unlinked"]
  #passkeyRequired = false
  #passkey: z.infer<typeof SessionStatus>["passkey"]

  constructor(input: Input) {
    this.#input = input
  }

  get isPaired(): boolean {
    return this.#input.memory.vault.login !== undefined
  }

  /**
   * Who unlinked the phone that was linked; undefined where no phone was unlinked since the session began.
   */
  get unlinked(): Lease.Reported["unlinked"] {
    return this.#unlinked
  }

  /**
   * Whether this is a sandbox bridge, which links its own simulated phone: no real phone could scan its code.
   */
  get linksItself(): boolean {
    return this.#input.memory.sandboxOf !== undefined
  }

  /** Whether a caller wants to link a phone, or the bridge is a sandbox and links itself. */
  get isWanted(): boolean {
    return this.#wish !== undefined || this.linksItself
  }

  /**
   * Whether no phone is linked and no caller is linking one. A sandbox always counts as idle: pausing it
   * loses no real messages.
   */
  get isIdle(): boolean {
    return this.linksItself || (!this.isPaired && !this.isWanted)
  }

  /** The state of a session without a phone. */
  get status(): "connecting" | "passkey_required" | "unpaired" {
    if (this.linksItself) return "connecting"
    return this.#passkeyRequired ? "passkey_required" : "unpaired"
  }

  /** The network's request for a passkey, while it waits for one. */
  get passkey(): z.infer<typeof SessionStatus>["passkey"] {
    return this.#passkey
  }

  /**
   * The current code that links a phone; dials for it if necessary.
   * @throws ApiError `already_paired`, `passkey_required`, `session_unavailable`
   */
  async code(): Promise<Code> {
    const { uplink, changes, timing } = this.#input
    if (this.isPaired) throw alreadyPaired()
    // Programs poll for the code. A new code would turn away the phone that took the last one.
    if (this.#passkey && this.#passkey.expires_at > now()) throw passkeyRequired()
    this.#wishFor(timing.pairingMs)
    // That phone was not linked. Perhaps another phone can be, on a new connection.
    if (this.#passkeyRequired) uplink.hangUp()
    this.#passkeyRequired = false
    uplink.dial()
    const code = await changes.until(() => this.#validCode, timing.codeMs)
    if (this.isPaired) throw alreadyPaired()
    if (code) return code
    if (uplink.isLost && uplink.refusal.objection)
      throw sessionUnavailable(objectionSentences[uplink.refusal.objection], 60)
    throw uplink.isLost
      ? networkUnreachable()
      : sessionUnavailable("the network has not given a code yet: try again")
  }

  /**
   * A code that links the phone of this number (digits) once its user types it there; dials for the code if
   * necessary.
   * @throws ApiError `already_paired`, `passkey_required`, `network_rejected`, `session_unavailable`
   */
  async linkCode(phone: string): Promise<string> {
    // The network accepts a request for a link code at the point where it would show a QR code.
    await this.code()
    const { uplink } = this.#input
    const { connection } = uplink
    if (!connection) throw sessionUnavailable()
    return await uplink.during(connection, () => connection.linkCode(phone))
  }

  /**
   * Answers the network's request for a passkey.
   * @throws ApiError `already_paired`, `passkey_not_awaited`, `passkey_refused`, `network_rejected`,
   * `session_unavailable`
   */
  async answerPasskey(assertion: PasskeyAssertion): Promise<void> {
    if (this.isPaired) throw alreadyPaired()
    const { uplink } = this.#input
    const { connection } = uplink
    if (!connection || !this.#passkey) throw passkeyNotAwaited()
    await uplink.during(connection, () => connection.answerPasskey(assertion))
  }

  /** Waits for a phone that links itself. @throws ApiError `not_paired`, `session_unavailable` */
  async paired(): Promise<void> {
    const { changes, timing } = this.#input
    await changes.until(() => this.isPaired || !this.linksItself || undefined, mayWaitMs(timing.connectingMs))
    if (this.isPaired) return
    throw this.linksItself ? sessionUnavailable("the session is connecting: try again") : notPaired()
  }

  /**
   * Unlinks the phone, if one is linked: the credentials are gone when this resolves. Turns away a phone that
   * wants a passkey.
   * @throws ApiError `session_unavailable` when the network cannot be reached now
   */
  async logout(): Promise<void> {
    if (!this.isPaired) return this.#turnAway()
    const { memory, uplink, changes, timing } = this.#input
    // Another device is logged in with these credentials, so the network cannot be asked from here.
    const connection = memory.standing.isReplaced ? undefined : await uplink.ready()
    this.#logouts += 1
    try {
      await (connection?.logout() ?? uplink.loggedOut())
      const isOut = await changes.until(() => (this.isPaired ? undefined : true), timing.finishMs)
      if (!isOut) throw sessionUnavailable("the session is being logged out: try again")
    } finally {
      this.#logouts -= 1
    }
  }

  /** The network has sent a code to scan. */
  onCode(code: Code): void {
    this.#code = code
    const { memory, uplink, log } = this.#input
    const { sandboxOf } = memory
    if (!uplink.connection || !sandboxOf) return
    showCodeToHousehold(uplink.connection, { accountId: sandboxOf, text: code.text }).catch(
      (error: unknown) => log.warn({ error }, "the code could not be shown to the household"),
    )
  }

  /** The network wants a passkey from the account whose phone has scanned. */
  onPasskeyRequired({ request }: Extract<Happening, { kind: "passkey_required" }>): void {
    this.#passkeyRequired = true
    this.#passkey = request && { options: request.options, expires_at: request.expiresAt }
    this.#code = undefined
    this.#wishFor(passkeyLastsMs)
    this.#input.say("info", "the account wants a passkey before it is linked")
  }

  onPaired(): void {
    this.end()
    this.#unlinked = undefined
    this.#passkeyRequired = false
    this.#input.say("info", "a phone is linked")
  }

  /** The login is worthless. @returns who unlinked the phone */
  onLoggedOut(): Lease.Reported["unlinked"] {
    if (this.isPaired) this.#unlinked = this.#logouts > 0 ? "here" : "elsewhere"
    return this.#unlinked
  }

  /** The connection is gone, and with it the code or the passkey request that came on it. */
  onHungUp(): void {
    this.#passkey = undefined
    this.#code = undefined
  }

  #turnAway(): void {
    if (!this.#passkeyRequired) return
    this.#passkeyRequired = false
    this.end()
    this.#input.onGivenUp()
  }

  /** A phone is linked, or no caller wants to link one any more. */
  end(): void {
    clearTimeout(this.#wish)
    this.#wish = undefined
    this.#code = undefined
    this.#passkey = undefined
  }

  get #validCode(): Code | undefined {
    return this.#code && this.#code.expiresAt > now() ? this.#code : undefined
  }

  #wishFor(ms: number): void {
    clearTimeout(this.#wish)
    this.#wish = setTimeout(() => {
      this.end()
      if (!this.isPaired && !this.isWanted) this.#input.onGivenUp()
    }, ms)
  }
}
