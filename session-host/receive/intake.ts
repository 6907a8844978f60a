import { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Logger } from "#core/platform/log.ts"
import { postIn } from "../channels/channels.ts"
import type { Chats } from "../chats/chats.ts"
import type { History } from "../chats/keep-history.ts"
import { BatchedLookups } from "../concurrency/batched-lookups.ts"
import { mapReceived, mapUnreadable, phonesOf } from "../content/map-received.ts"
import type { Mapped, MessageIdentity } from "../content/mapped.ts"
import { authorsOf, eventIdentityOf, formsOf, messageIdentityOf } from "../content/message-identity.ts"
import { withRevealKey } from "../content/scheduled.ts"
import type { Commits } from "../memory/commits.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import { type KnownMessage, type Messages, seenAs } from "../memory/messages/messages.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { Patience } from "../memory/patience.ts"
import { RowTooLarge, type SessionStore } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection, Intake, KeyChange, Receipt, Received } from "../network/connection.ts"
import { nobody, type Own } from "../network/happening.ts"
import type { Stanza } from "../network/stanza.ts"
import type { Contacts } from "../people/contacts.ts"
import { newSay, type Say } from "../say-in-log.ts"
import type { Timing } from "../timing.ts"
import type { Awaited } from "./awaited.ts"
import { OperatorSkip } from "./operator-skip.ts"
import type { EventOutbox } from "./outbox.ts"
import { digestOf, expiryOf, type Parked, Parking, parkedKeys, readParked } from "./parked.ts"
import { RevealKeys } from "./reveal-keys.ts"

interface IntakeParts {
  lease: Lease.Info
  timing: Pick<Timing, "provenMs">
  store: SessionStore
  patience: Patience
  messages: Messages
  outbox: EventOutbox
  login: { vault: Pick<SessionVault, "change" | "login" | "otherAddress">; contacts: Contacts }
  standing: Pick<LoginStanding, "isWatched">
  choice: () => Choice.Info
  awaited: Pick<Awaited, "expect" | "arrivedIn">
  /** What becomes of messages that were sent (`session-host/send/statuses.ts`). */
  statuses: { readonly isWanted: boolean; recordReceipts: (receipts: Receipt[]) => Promise<void> }
  chats: Pick<Chats, "areKept" | "read">
  history: Pick<History, "isWanted">
  /** The connection to ask, while there is one. */
  connection: () => Pick<Connection, "phonesOf" | "rightsIn"> | undefined
  commits: Pick<Commits, "made" | "whenKept">
  log: Logger
}

interface Looked {
  identity: MessageIdentity | undefined
  known: KnownMessage | undefined
}

/**
 * How many ciphertexts of a message are remembered: a stranger may send any number under one id. The ratchet
 * refuses older ones.
 */
const mostSeen = 50

interface Asked {
  /** The last unit made before the look-up. */
  unit: number
  looked: Promise<Looked>
}

/**
 * After this many units, a look-up is repeated. `wasMadeLately` knows the last thousand rows, so this is long
 * before it forgets any of them.
 */
const goodFor = 500

/**
 * Incoming messages: each is decrypted once and becomes an event once. Its event and the step of its ratchet
 * are one unit, which is committed whole or not at all. A stanza may bring other messages beside its own:
 * each of them is a unit, made before that of the stanza. If the host dies between two of these units, the
 * stanza comes again, and the rows of the other messages keep their events from being made twice.
 *
 * If the host dies before that unit is durable, it is as if the message had never come: its receipt waits for
 * the unit, so the network delivers the message to the bridge's next holder, whose ratchet is the old one. If
 * the host dies afterwards but before the receipt has left, the message comes again as well, and `isSeen`
 * finds its ciphertext in the row that the unit has written. A message that the customer does not want has no
 * such row: only its ratchet is kept. When it comes again, its key is gone, and `decrypt.ts` lets its receipt
 * out, as for any message in an ignored chat. Of any other message a key that is gone says that another
 * program, which had the login before, has read it: its sender is asked for it again.
 *
 * The look-up begins when the stanza arrives. A message that does not say that it comes again is decrypted
 * meanwhile, and only `receive` waits for the answer, which is nearly always that it is new. Looking up only
 * messages that cannot be decrypted would make a second event in two cases (`redelivered.test.ts`).
 * `session-host/whatsapp/receive/decrypt.ts` calls all of this, through the port (`network/connection.ts`).
 * The way of a message, each line called by the one above it:
 *
 *     receive
 *       vault.change: the rows of its keys
 *         #receiveOnce: in turn, unless it was seen
 *           #unitOf
 *             #unitOfReadable: maps it to events, or else #unitOfUnreadable: parks it
 *               #unitWithEvents: the row of the message
 *                 outbox.makeEvents: the rows of the events, numbered
 *                   commits.make: the unit
 */
export class SessionIntake implements Intake {
  readonly #parts: IntakeParts
  readonly #parking: Parking
  readonly #revealKeys: RevealKeys
  readonly #say: Say
  readonly #skip: OperatorSkip
  readonly #provenAtMs: number
  readonly #lookups: BatchedLookups<MessageIdentity, KnownMessage | undefined>
  /** Look-ups that have begun, by the attributes of the stanza. */
  readonly #asked = new WeakMap<Received["attrs"], Asked>()

  constructor(parts: IntakeParts) {
    this.#parts = parts
    this.#parking = new Parking(parts.store)
    this.#revealKeys = new RevealKeys(parts.store)
    this.#say = newSay(parts.lease.bridgeId, parts.log)
    this.#skip = new OperatorSkip(parts)
    this.#provenAtMs = performance.now() + parts.timing.provenMs
    this.#lookups = new BatchedLookups((identities) => parts.messages.findAll(identities))
  }

  /**
   * Begins to look up a message with these attributes, which has arrived and will be asked for. It is looked
   * up together with others.
   */
  foresee(attrs: Received["attrs"]): void {
    if (this.#ignores(attrs)) return
    // The caller who asks for it sees the error.
    this.#ask(attrs).catch(() => {})
  }

  /** @throws SessionEnded */
  async whatToDoWith(ciphertext: Pick<Received, "hash" | "attrs">, mayBeNew: boolean) {
    const isLookedUp = !mayBeNew || this.#skip.isWanted
    if (isLookedUp && (await this.isSeen(ciphertext))) return "seen"
    return (await this.#skip.consume()) ? "skip" : "decrypt"
  }

  /** @throws SessionEnded */
  async expect(attrs: Received["attrs"]): Promise<void> {
    if (this.#ignores(attrs)) return
    const { known } = await this.#findOnce(attrs)
    // A placeholder may come after its message.
    if (known?.event === undefined) await this.#parts.awaited.expect(attrs)
  }

  forgets(attrs: Received["attrs"]) {
    if (this.#ignores(attrs)) return "always"
    const { choice, standing } = this.#parts
    // What has left no mark since a login moved in is what the program before has read.
    return standing.isWatched || choice().events === undefined ? "never" : "maybe"
  }

  followsGroup(group: string): boolean {
    return Choice.followsGroup(this.#parts.choice(), group)
  }

  /** Whether the message with these attributes is ignored: its ratchet advances, and nothing else is kept. */
  #ignores({ from = "", recipient }: Received["attrs"]): boolean {
    return Choice.ignores(this.#parts.choice(), recipient ?? from)
  }

  /** Whether this ciphertext was decrypted before, as far as that is remembered. @throws SessionEnded */
  async isSeen({ hash, attrs }: Pick<Received, "hash" | "attrs">): Promise<boolean> {
    if (this.#ignores(attrs)) return false
    const { known } = await this.#findOnce(attrs)
    return known?.seen.includes(seenAs(hash)) === true
  }

  /**
   * Makes the unit of a message: the changes of keys (its ratchet), its events, and the row that remembers
   * it. A message that cannot be read is parked in the same unit. If an earlier connection received the
   * message, nothing is made: the keys are out of date.
   * @throws RowTooLarge where the keys cannot be stored: the message counts as never decrypted. SessionEnded
   */
  async receive(received: Received, keys: KeyChange[]): Promise<void> {
    const { login, commits } = this.#parts
    await login.vault.change({ keys }, (writes) => this.#receiveOnce(received, writes))
    if (this.#isCareful) await commits.whenKept()
  }

  /**
   * Whether each message must be durable before the next one is decrypted: at first, a suspect takes one
   * message at a time. The message that brings the session down is then the first one next time, and can be
   * skipped.
   */
  get #isCareful(): boolean {
    return Lease.isSuspect(this.#parts.lease) && performance.now() < this.#provenAtMs
  }

  /** @throws SessionEnded */
  async takePost(stanza: Stanza): Promise<void> {
    const { choice, outbox } = this.#parts
    const post = choice().events?.includes("channel_post") ? postIn(stanza) : undefined
    if (!post) return
    const identity = ["channel_post", post.channel_id, String(post.number)]
    await outbox.append(() => [{ identity, event: { event: "channel_post", ...post }, mayRepeat: true }])
  }

  get followsReceipts(): boolean {
    return this.#parts.statuses.isWanted
  }

  /** @throws SessionEnded */
  async recordReceipts(receipts: Receipt[]): Promise<void> {
    await this.#parts.statuses.recordReceipts(receipts)
  }

  get keepsChats(): boolean {
    return this.#parts.chats.areKept
  }

  get keepsHistory(): boolean {
    return this.#parts.history.isWanted
  }

  /** @throws SessionEnded */
  async recordRead(chat: string): Promise<void> {
    await this.#parts.chats.read(chat)
  }

  /**
   * Takes in the key of scheduled messages. The words of those that are already there become edits of them;
   * others may follow.
   * @throws SessionEnded
   */
  async recordRevealKey(keyId: string, key: Uint8Array): Promise<void> {
    const { store, outbox } = this.#parts
    const waiting = await outbox.inTurn(async () => {
      const { parked } = await this.#revealKeys.find(keyId)
      this.#commitNow(await outbox.makeEvents([], { writes: [this.#revealKeys.row(keyId, { key, parked })] }))
      return parked
    })
    for (const prefix of waiting)
      for (const each of await readParked(store, await parkedKeys(store, prefix)))
        await this.tryAgain({ ...each, received: withRevealKey(each.received, keyId, key) })
  }

  /** @returns whether it made a unit: it makes none if an earlier connection has received the message */
  async #receiveOnce(received: Received, writes: UnitWrite[]): Promise<boolean> {
    const unit = await this.#parts.outbox.inTurn(async () =>
      (await this.isSeen(received)) ? undefined : await this.#unitOf(received, writes),
    )
    this.#commitNow(unit)
    return unit !== undefined
  }

  /**
   * Makes the unit of a parked message. The message stays parked if it still cannot be read. If the host dies
   * meanwhile, the next one tries all parked messages.
   * @throws SessionEnded
   */
  async tryAgain(parked: Parked): Promise<void> {
    const { outbox, log } = this.#parts
    try {
      this.#commitNow(await outbox.inTurn(() => this.#unitOfParked(parked)))
      this.#parking.recount(parked.received)
    } catch (error) {
      if (error instanceof SessionEnded) throw error
      log.debug({ error }, "a parked message still cannot be read")
    }
  }

  /**
   * Makes an edit from a message that was of an unknown kind when it came and can be read now: it already has
   * its event. What says no more than that event is no edit, and nothing more is told of a revoked message.
   * @throws Error if it cannot be read. SessionEnded
   */
  async #unitOfParked({ received, told, removal }: Parked): Promise<number> {
    const mapped = await this.#map(received)
    if (mapped.some(({ unread }) => unread)) throw new Error("of an unknown kind")
    const message = await this.#seen(received)
    if (message?.event === undefined) return await this.#unitWithEvents(received, mapped, removal)
    const own = mapped.filter(({ message: its }) => its?.id === received.attrs.id)
    for (const { remember } of own) message.remembered = remember
    const changes = await this.#parts.messages.changesOf(own.flatMap(({ message: its }) => its ?? []))
    const isRevoked = changes.some((change) => change?.what === "revoke")
    const edits = isRevoked || told === digestOf(mapped) ? [] : own.map(asEdit)
    return await this.#parts.outbox.makeEvents(edits, { message, writes: removal })
  }

  get #own(): Own {
    return this.#parts.login.vault.login ?? nobody
  }

  /** Has the unit committed now, since the receipt waits for it. */
  #commitNow(unit: number | undefined): void {
    if (unit === undefined) return
    this.#parts.commits.whenKept(unit).catch(() => {
      // The session has ended: the network delivers the message again to the bridge's next holder.
    })
  }

  async #unitOf(received: Received, writes: UnitWrite[]): Promise<number> {
    // An ignored message leaves no row: see the class.
    if (this.#ignores(received.attrs)) return await this.#parts.outbox.makeEvents([], { writes })
    try {
      return await this.#unitOfReadable(received, writes)
    } catch (error) {
      if (error instanceof SessionEnded || error instanceof RowTooLarge) throw error
      return await this.#unitOfUnreadable(received, writes, error)
    }
  }

  /** Parks a message that cannot be read, and makes an event of what is found in it. @throws SessionEnded */
  async #unitOfUnreadable(received: Received, writes: UnitWrite[], why: unknown): Promise<number> {
    const { outbox, connection, log } = this.#parts
    const parked = await this.#parking.writesFor(received)
    if (parked.length > 0)
      this.#say("error", "a message could not be read and was parked: its event has the type unknown", {
        fields: { error: why },
      })
    else log.debug({ error: why }, "a message could not be read and was not kept")
    const beside = [...parked, ...writes]
    try {
      const mapped = await mapUnreadable(received, this.#own, { connection: connection(), log })
      return await this.#unitWithEvents(received, await this.#identified(mapped), beside)
    } catch (error) {
      if (error instanceof SessionEnded || error instanceof RowTooLarge) throw error
      // The id of the message alone is too long for an event.
      log.debug({ error }, "a message that could not be read became no event")
      return await outbox.makeEvents([], { message: await this.#seen(received), writes: beside })
    }
  }

  /**
   * A message of an unknown kind is an event, and is parked as well: a later release may read it.
   * @throws Error if the message cannot be read; nothing was made then. SessionEnded
   */
  async #unitOfReadable(received: Received, writes: UnitWrite[], isRevealed = false): Promise<number> {
    const mapped = await this.#map(received)
    const { unread, awaitsKey } = mapped.find((each) => each.unread) ?? {}
    if (unread === undefined) return await this.#unitWithEvents(received, mapped, writes)
    const found = awaitsKey === undefined ? { parked: [] } : await this.#revealKeys.find(awaitsKey)
    if (awaitsKey !== undefined && found.key && !isRevealed)
      return await this.#unitOfReadable(withRevealKey(received, awaitsKey, found.key), writes, true)
    this.#say("warn", "a message came of a kind that this release cannot read", {
      detail: `: its event has the unknown_kind ${unread}`,
      fields: { unread },
    })
    const parked = await this.#parking.writesFor(received, digestOf(mapped))
    const [first] = parked
    const waiting = { ...found, parked: [...found.parked, first?.sk ?? ""] }
    const wait =
      first && awaitsKey !== undefined ? [this.#revealKeys.row(awaitsKey, waiting, expiryOf(received))] : []
    return await this.#unitWithEvents(received, mapped, [...parked, ...writes, ...wait])
  }

  async #unitWithEvents(received: Received, mapped: Mapped[], writes: UnitWrite[]): Promise<number> {
    const message = await this.#seen(received)
    const { identity } = await this.#findOnce(received.attrs)
    const arrived = this.#parts.awaited.arrivedIn(received, this.#own, identity)
    return await this.#parts.outbox.makeEvents(mapped, { message, writes: [...arrived, ...writes] })
  }

  async #map(received: Received): Promise<Mapped[]> {
    const { messages, connection, log } = this.#parts
    this.#learnAuthors(received)
    const originals = (id: string) => messages.all(id)
    return await this.#identified(
      await mapReceived(received, this.#own, {
        connection: connection(),
        originals,
        say: this.#say,
        log,
      }),
    )
  }

  /** The same, each message under every known address of its author. */
  async #identified(mapped: Mapped[]): Promise<Mapped[]> {
    return await Promise.all(
      mapped.map(async (each) =>
        each.message ? { ...each, message: await this.#full(each.message) } : each,
      ),
    )
  }

  /**
   * Makes every person who writes to the session a contact. The message does not wait for this: if the host
   * dies first, the person's next message does it again.
   */
  #learnAuthors(received: Received): void {
    const { login, connection, log } = this.#parts
    const learnt = login.contacts.learn(authorsOf(received, this.#own), (lids) =>
      phonesOf(lids, { connection: connection(), log }),
    )
    learnt.catch((error: unknown) => {
      if (!(error instanceof SessionEnded))
        log.error({ error }, "new information about people was not written")
    })
  }

  /**
   * The record of a stanza's message, with this ciphertext in it; undefined if the stanza has no id or no
   * sender.
   */
  async #seen({ hash, attrs }: Received): Promise<KnownMessage | undefined> {
    const { identity, known } = await this.#findOnce(attrs)
    if (!identity) return undefined
    const message = known ?? this.#parts.messages.unknown(identity)
    return { ...message, seen: [...new Set([...message.seen, seenAs(hash)])].slice(-mostSeen) }
  }

  /** Looks up a message, or uses an earlier look-up that is still good. */
  async #findOnce(attrs: Received["attrs"]): Promise<Looked> {
    const { commits, messages } = this.#parts
    const asked = this.#asked.get(attrs)
    if (!asked || commits.made - asked.unit > goodFor) return await this.#ask(attrs)
    const looked = await asked.looked
    return looked.identity && messages.wasMadeLately(looked.identity) ? await this.#ask(attrs) : looked
  }

  #ask(attrs: Received["attrs"]): Promise<Looked> {
    const looked = this.#find(attrs)
    this.#asked.set(attrs, { unit: this.#parts.commits.made, looked })
    return looked
  }

  async #find(attrs: Received["attrs"]): Promise<Looked> {
    const short = messageIdentityOf(attrs, this.#own)
    const identity = short && (await this.#full(short))
    return { identity, known: identity && (await this.#lookups.find(identity)) }
  }

  /** The same identity under every known address of its author. */
  async #full(identity: MessageIdentity): Promise<MessageIdentity> {
    const [form, ...more] = identity.forms
    if (!form || more.length > 0) return identity
    const other = await this.#parts.login.vault.otherAddress(form.sender)
    if (!other) return identity
    return {
      ...identity,
      forms: formsOf(form.chat === form.sender ? undefined : form.chat, [form.sender, other]),
    }
  }
}

/** The event of a message that can be read now. An event that is about another message already says so. */
function asEdit({ identity, event, message }: Mapped): Mapped {
  const isMessage = event.event === "message" && event.target_id === undefined
  return {
    identity: [...identity, "read later", ...(message ? eventIdentityOf(message) : [])],
    event: isMessage ? { ...event, edit: "edit", target_id: event.message_id } : event,
    mayRepeat: true,
  }
}
