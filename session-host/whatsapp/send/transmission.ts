import { AsyncLocalStorage } from "node:async_hooks"
import type { SignalDataSet } from "@whiskeysockets/baileys"
import type { KeyChange, Outgoing } from "../../network/connection.ts"
import { NotSent, OutcomeUnknown } from "../../network/errors.ts"

/**
 * One message on its way out: prepared (`recipient-devices.ts`), encrypted in a unit (`repository.ts`),
 * built, and handed to the socket (`hold-frames.ts`). Then it is acknowledged; or it was not sent, and
 * nothing of it may leave any more. What Baileys calls on the way finds it with `transmissionNow`.
 */
export class Transmission {
  readonly outgoing: Outgoing
  /** The address under which it leaves. */
  chat: string
  /** Which of our sender keys of the group it leaves under. */
  senderKey = 0
  /** The addresses of the members of the group, or the viewers of the status, by their user part. */
  members: ReadonlyMap<string, string> | undefined
  /** The people whose devices it goes to, by the user part of their addresses. */
  users: string[] = []
  /**
   * Devices by whether there is a session with them. Those without a session are left out, since none can be
   * opened.
   */
  reached: ReadonlyMap<string, boolean> | undefined
  /** Opens the session with a device that was closed since it was looked for. */
  openAgain: ((jid: string) => Promise<unknown>) | undefined
  /** The message, until its row is in a unit. */
  #notAdded: Outgoing | undefined
  #isMaybeKept: boolean
  #isBuilt = false
  #isHanded = false
  #isGivenUp = false
  #keyHolders: SignalDataSet["sender-key-memory"]

  /** @param isRepeat whether its row exists already, so that the same bytes go out again */
  constructor(outgoing: Outgoing, isRepeat: boolean) {
    this.outgoing = outgoing
    this.chat = outgoing.chat
    this.#notAdded = isRepeat ? undefined : outgoing
    this.#isMaybeKept = isRepeat
  }

  /** Whether the stanza is built, and is the next frame. Frames before it are questions to the network. */
  get isBuilt(): boolean {
    return this.#isBuilt
  }

  /** Whether the stanza went to the socket, so that it may arrive. */
  get isHanded(): boolean {
    return this.#isHanded
  }

  /** By group: to which devices this message brings our sender key, and which have had it before. */
  get keyHolders(): SignalDataSet["sender-key-memory"] {
    return this.#keyHolders
  }

  /** @throws Error if it was given up */
  mustGoOn(): void {
    if (this.#isGivenUp) throw new Error("the transmission was given up")
  }

  /** Adds the message to the first step of a ratchet. @param change gets it then, and undefined later */
  async addMessageOnce(change: (outgoing: Outgoing | undefined) => Promise<void>): Promise<void> {
    if (this.#notAdded) this.#isMaybeKept = true
    const members = this.members && { members: [...this.members.values()] }
    await change(this.#notAdded && { ...this.#notAdded, ...members })
    this.#notAdded = undefined
  }

  /**
   * Holds back the note of who has our sender key of a group. Baileys notes this as soon as it has written a
   * message to the group. If that message is refused or lost, its recipients do not have the key, and cannot
   * read the next message. So the note is made when the network has acknowledged the message.
   */
  holdBackKeyHolders(data: SignalDataSet): SignalDataSet {
    if (!data["sender-key-memory"]) return data
    const { "sender-key-memory": keyHolders, ...others } = data
    this.#keyHolders = keyHolders
    return others
  }

  built(): void {
    this.#isBuilt = true
  }

  /** Hands a frame of the message to the socket. @returns whether the frame may leave */
  handOver(): boolean {
    if (this.#isGivenUp) return false
    if (this.#isBuilt) this.#isHanded = true
    return true
  }

  /** The same message to the same people, for devices that it has missed. */
  repeated(): Transmission {
    const { chat, members, users, reached } = this
    return Object.assign(new Transmission(this.outgoing, true), { chat, members, users, reached })
  }

  /**
   * Gives up what has not left. The message is then definitely not sent, unless another host may by now act
   * on the row, or an earlier transmission may have arrived.
   * @returns the error that says so
   */
  giveUp(cause: Error, othersMayAct: boolean): NotSent | OutcomeUnknown {
    this.#isGivenUp = true
    if (othersMayAct && this.#isMaybeKept) return new OutcomeUnknown(cause.message)
    return cause instanceof NotSent ? cause : new NotSent(cause.message)
  }
}

/** The changes that one step has made to the keys so far, by name. They become one unit, or nothing. */
export type KeyStep = Map<string, KeyChange>

interface Context {
  transmission: Transmission | undefined
  keyStep: KeyStep | undefined
  /** The id of the signed prekey that the message being read began with. */
  signedPreKey?: number | undefined
}

/**
 * The one way past Baileys, whose functions pass nothing of ours on to what they call. The caller of Baileys
 * notes here for which message and in which step it calls. The functions of ours that Baileys calls back read
 * that here.
 */
const context = new AsyncLocalStorage<Context>()

/** The message for which Baileys calls; undefined if it calls for none. */
export function transmissionNow(): Transmission | undefined {
  return context.getStore()?.transmission
}

/** The step in which Baileys reads and writes keys; undefined outside of a step. */
export function keyStepNow(): KeyStep | undefined {
  return context.getStore()?.keyStep
}

/** The id of the signed prekey that is asked for now; undefined if none is. */
export function signedPreKeyNow(): number | undefined {
  return context.getStore()?.signedPreKey
}

/** Runs `work`, which asks for the signed prekey of this id. */
export function askingForSignedPreKey<T>(signedPreKey: number, work: () => T): T {
  return context.run({ transmission: transmissionNow(), keyStep: keyStepNow(), signedPreKey }, work)
}

/** Runs `work` for this message, or for none. */
export function inTransmission<T>(transmission: Transmission | undefined, work: () => T): T {
  return context.run({ keyStep: keyStepNow(), transmission }, work)
}

/** Runs `work` in this step. */
export function inKeyStep<T>(keyStep: KeyStep, work: () => T): T {
  return context.run({ transmission: transmissionNow(), keyStep }, work)
}

/**
 * Runs `work` for no message and in no step. Otherwise a lasting thing that `work` begins, such as a
 * connection, would belong to the present message for ever, even after that message was given up.
 */
export function outsideOfContext<T>(work: () => T): T {
  return context.exit(work)
}
