import {
  type AuthenticationCreds,
  type BinaryNode,
  decodeMessageNode,
  getBinaryNodeChildren,
  proto,
} from "@whiskeysockets/baileys"
import { isChannel, isGroup } from "#core/message/jid.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { Intake, Received } from "../../network/connection.ts"
import type { Acquaintance } from "../../network/happening.ts"
import type { Lifetime } from "../lifetime.ts"
import type { Interceptor } from "../listeners.ts"
import type { newCallers } from "../questions/reject-call.ts"
import type { OutgoingFrames } from "../send/hold-frames.ts"
import { hasChild, toStanza } from "../stanza.ts"
import { placeholderIn } from "./placeholder.ts"
import { redactedPhonesAndUsernames } from "./redacted-phones-and-usernames.ts"
import { viewOnceIn } from "./view-once.ts"

interface FrameReaderInput {
  unsettled: Pick<UnsettledStanzas, "message" | "afterThose">
  backpressure: Pick<Backpressure, "whileWorking">
  frames: Pick<OutgoingFrames, "stopReadingWhileFull">
  calls: ReturnType<typeof newCallers>
  lifetime: Pick<Lifetime, "emit">
  intake: Pick<Intake, "foresee">
  reportPeople: (people: Acquaintance[]) => void
  /** Each gets every frame, in this order. */
  listeners: ((frame: BinaryNode) => void)[]
}

/** Reads incoming frames beside Baileys, for everything that Baileys reports too late or not at all. */
export function newFrameReader(input: FrameReaderInput): (frame: BinaryNode) => void {
  const { unsettled, backpressure, frames, calls, lifetime, intake, reportPeople, listeners } = input
  return (frame) => {
    // Many stanzas make changes, and no frame of ours answers them.
    frames.stopReadingWhileFull()
    if (frame.tag === "message" || frame.tag === "status") {
      unsettled.message(frame)
      intake.foresee(frame.attrs)
    }
    // A recipient's device could not read a message of ours.
    if (frame.tag === "receipt" && frame.attrs.type === "retry") Metrics.add("RetryReceipts")
    if (frame.tag === "call") calls.onCall(frame)
    if (frame.tag === "iq") reportPeople(redactedPhonesAndUsernames(frame))
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      const taken = () => new Promise<void>((onTaken) => lifetime.emit({ kind: "stanza", stanza, onTaken }))
      unsettled.afterThose(frame, () => void backpressure.whileWorking(frame, taken))
    }
    for (const listen of listeners) listen(frame)
  }
}

/**
 * The kinds of notification that may become an event, besides the news of groups (`news-in-turn.ts`).
 * The others are for Baileys alone.
 */
const notifications = new Set(["picture"])

/** Whether this stanza may become an event, and is no message. */
function mayBecomeEvent(node: BinaryNode): boolean {
  switch (node.tag) {
    case "call":
    case "presence":
    case "chatstate":
      return true
    case "notification":
      return notifications.has(node.attrs.type ?? "") && !isGroup(node.attrs.from ?? "")
    case "ib":
      return hasChild(node, "offline_preview") || hasChild(node, "offline")
    default:
      return false
  }
}

/**
 * How long the head of the queue may take, in ms: longer than a session waits for its store before it closes
 * the socket.
 */
const patienceMs = 30_000

/** A stanza in the queue. */
interface Arrival {
  /** Called when the stanza stops waiting. */
  leave: () => void
}

interface Message extends Arrival {
  node: BinaryNode
  waiting: Set<Uint8Array>
  settled: PromiseWithResolvers<void>
}

interface Other extends Arrival {
  /** Called when the stanza's turn has come. */
  onTurn: () => void
}

interface QueueInput {
  backpressure: Pick<Backpressure, "wait" | "holdOrRelease">
  /** Called with a message that took so long that the stanzas after it go first. */
  onStuck: (node: BinaryNode) => void
}

/** The stanzas that have arrived, in order, until Baileys has finished them. */
export interface UnsettledStanzas {
  /** Takes a message stanza that has arrived. */
  message: (node: BinaryNode) => void
  /** The stanza that this ciphertext came in. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** This ciphertext is done with for now. */
  settled: (ciphertext: Uint8Array) => void
  /** This message is done with for now, whether or not it was decrypted. */
  dropped: (node: BinaryNode) => void
  /** Resolves when all ciphertexts of this message are settled. */
  whenSettled: (node: BinaryNode) => Promise<void> | undefined
  /** Calls back when all messages that arrived before this stanza are settled. */
  afterThose: (node: BinaryNode, onTurn: () => void) => void
  /** Forgets everything. */
  end: () => void
}

/** Messages are read in their own time. Stanzas that arrive after them have their turn after them. */
export function newUnsettledStanzas({ backpressure, onStuck }: QueueInput): UnsettledStanzas {
  const byCiphertext = new WeakMap<Uint8Array, Message>()
  const byNode = new WeakMap<BinaryNode, Message>()
  let queue: (Message | Other)[] = []
  let timer: NodeJS.Timeout | undefined

  const push = (arrival: Message | Other) => {
    queue.push(arrival)
    // Behind another stanza it waits.
    if (queue.length === 1) advance()
    backpressure.holdOrRelease()
  }
  const advance = () => {
    clearTimeout(timer)
    for (let head = queue[0]; head; head = queue[0]) {
      if ("waiting" in head && head.waiting.size > 0) break
      queue.shift()
      head.leave()
      if ("onTurn" in head) head.onTurn()
    }
    // Baileys drops a malformed message without a word. It must not hold up the rest for ever.
    if (queue.length > 0) timer = setTimeout(giveUp, patienceMs).unref()
    backpressure.holdOrRelease()
  }
  const settle = (message: Message | undefined, ciphertexts: Iterable<Uint8Array>) => {
    if (!message) return
    for (const ciphertext of ciphertexts) message.waiting.delete(ciphertext)
    if (message.waiting.size === 0) message.settled.resolve()
    advance()
  }
  const giveUp = () => {
    const [head] = queue
    if (!head || !("waiting" in head)) return
    onStuck(head.node)
    settle(head, [...head.waiting])
  }

  return {
    message(node) {
      const leave = backpressure.wait(node)
      const ciphertexts = ciphertextsOf(node)
      // No part of this message is decrypted, so it is done once its turn has come.
      if (ciphertexts.length === 0) return push({ leave, onTurn: () => {} })
      const message = { node, leave, waiting: new Set(ciphertexts), settled: Promise.withResolvers<void>() }
      byNode.set(node, message)
      for (const ciphertext of ciphertexts) byCiphertext.set(ciphertext, message)
      push(message)
    },
    stanzaOf: (ciphertext) => byCiphertext.get(ciphertext)?.node,
    settled: (ciphertext) => settle(byCiphertext.get(ciphertext), [ciphertext]),
    dropped(node) {
      const message = byNode.get(node)
      settle(message, [...(message?.waiting ?? [])])
    },
    whenSettled: (node) => byNode.get(node)?.settled.promise,
    afterThose: (node, onTurn) => push({ leave: backpressure.wait(node), onTurn }),
    end() {
      clearTimeout(timer)
      queue = []
    },
  }
}

/** The kinds of ciphertexts that Baileys reads. */
const knownKinds = new Set(["pkmsg", "msg", "skmsg"])

/** The ciphertexts that will reach the repository. */
function ciphertextsOf(node: BinaryNode): Uint8Array[] {
  if (!Array.isArray(node.content)) return []
  const encrypted = node.content.filter(({ tag }) => tag === "enc")
  // Baileys refuses such a message as a whole.
  if (encrypted[0]?.attrs.type === "msmsg") return []
  return encrypted.flatMap(({ attrs, content }) =>
    knownKinds.has(attrs.type ?? "") && content instanceof Uint8Array ? [content] : [],
  )
}

interface Giving {
  unsettled: Pick<UnsettledStanzas, "dropped" | "whenSettled">
  creds: Pick<AuthenticationCreds, "me">
  ended: () => boolean
  /** Takes in a message that Baileys does not report. */
  receive: (received: Received) => Promise<void>
  /**
   * The phone will be asked for this message. Resolves when that is durable: Baileys acknowledges its
   * placeholder at once.
   */
  expect: (attrs: Received["attrs"]) => Promise<void>
  /** Takes in a post of a channel, which is not encrypted. Baileys then acknowledges it. */
  takePost: (post: BinaryNode) => Promise<void>
  /** Sends the network an ack. */
  acknowledge: (node: BinaryNode) => void
  onError: (error: unknown) => void
}

/**
 * Gives Baileys the next message when the one before is settled. Baileys itself looks up addresses for
 * several messages at once before it decrypts them. With a slow store the messages would be decrypted, and
 * become events, in any order, and live messages would overtake the backlog.
 */
export function oneByOne({
  unsettled,
  creds,
  ended,
  receive,
  expect,
  takePost,
  acknowledge,
  onError,
}: Giving): Interceptor {
  const give = async (node: BinaryNode, pass: Parameters<Interceptor>[1]) => {
    // Baileys would refuse this status. The network sends a refused status again and again, and nothing
    // behind it (Baileys pull request 2779).
    if (node.attrs.from === "status@broadcast" && !(isParsable(node, creds.me) && isOfKnownKind(node))) {
      unsettled.dropped(node)
      return acknowledge(node)
    }
    if (isChannel(node.attrs.from)) await takePost(node).catch(onError)
    const viewOnce = viewOnceIn(node)
    if (viewOnce && isParsable(node, creds.me)) await receive(viewOnce).catch(onError)
    if (placeholderIn(node) === "awaited" && isParsable(node, creds.me))
      await expect(node.attrs).catch(onError)
    if (ended()) return
    await pass(node)
    // For the backlog this moment means nothing: Baileys has a queue of its own for that.
    if (!node.attrs.offline || !isParsable(node, creds.me)) unsettled.dropped(node)
  }
  const after = async (before: Promise<void>, node: BinaryNode, pass: Parameters<Interceptor>[1]) => {
    await before
    if (ended()) return
    const given = give(node, pass).catch(onError)
    const settled = unsettled.whenSettled(node)
    await (settled ?? given)
    // Baileys answers a status with a receipt alone. The network wants an ack of each status too, and ignores
    // a second ack.
    if (settled && node.tag === "status" && !ended()) acknowledge(node)
  }
  let turn = Promise.resolve()
  return (node, pass) => {
    turn = after(turn, node, pass)
  }
}

function isOfKnownKind(node: BinaryNode): boolean {
  return getBinaryNodeChildren(node, "enc").every(({ attrs }) => knownKinds.has(attrs.type ?? ""))
}

/**
 * Whether Baileys comes as far as decrypting this message. It drops messages that it cannot parse, without
 * any report.
 */
function isParsable(node: BinaryNode, me: AuthenticationCreds["me"]): boolean {
  try {
    decodeMessageNode(node, me?.id ?? "", me?.lid ?? "")
    for (const { tag, content } of Array.isArray(node.content) ? node.content : []) {
      if (tag !== "verified_name" || !(content instanceof Uint8Array)) continue
      const { details } = proto.VerifiedNameCertificate.decode(content)
      proto.VerifiedNameCertificate.Details.decode(details ?? Buffer.alloc(0))
    }
    return true
  } catch {
    // Baileys' own parser throws the same error.
    return false
  }
}

/**
 * How much may wait before reading from the network stops: stanzas, and bytes in them. Reading goes on at
 * half as much.
 */
const most = { stanzas: 200, bytes: 8_000_000 }

export type Backpressure = ReturnType<typeof newBackpressure>

/**
 * Stops reading from the network while too much of what has arrived is not done yet.
 * @param onFull called when nothing more should be read until the promise resolves
 */
export function newBackpressure(onFull: (until: Promise<void>) => void) {
  /** Stanzas that wait for their turn, and stanzas that are worked at beside them. */
  const [queue, work] = [newLoad(), newLoad()]
  /** The numbers of open questions to the network: those that a message may depend on, and all. */
  const open = { forMessages: 0, all: 0 }
  let full: PromiseWithResolvers<void> | undefined

  const isOver = () => {
    if (open.forMessages > 0) return false
    const share = full ? 1 / 2 : 1
    return queue.isOver(share) || (open.all === 0 && work.isOver(share))
  }
  const holdOrRelease = () => {
    const over = isOver()
    if (over && !full) {
      full = Promise.withResolvers()
      onFull(full.promise)
    }
    if (over || !full) return
    full.resolve()
    full = undefined
  }

  return {
    /** Counts a stanza that waits, from the next `holdOrRelease` until the returned function is called. */
    wait: (node: BinaryNode): (() => void) => queue.add(sizeOf(node)),
    /** Checks whether enough waits to stop reading, or little enough to go on. */
    holdOrRelease,
    /** Works at a stanza that waits for no message. It counts as waiting until the work is done. */
    async whileWorking(node: BinaryNode, done: () => Promise<unknown>): Promise<void> {
      const remove = work.add(sizeOf(node))
      holdOrRelease()
      try {
        await done()
      } finally {
        remove()
        holdOrRelease()
      }
    },
    /** Runs a question on which a message may depend: reading goes on until the network has answered. */
    async whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      open.forMessages++
      holdOrRelease()
      try {
        return await ask()
      } finally {
        open.forMessages--
        holdOrRelease()
      }
    },
    /**
     * Counts one more open question to the network, or one less (-1). The work beside messages may depend on
     * any of these questions.
     */
    asked(change: 1 | -1): void {
      open.all += change
      holdOrRelease()
    },
    /** Forgets everything. */
    end(): void {
      queue.clear()
      work.clear()
      holdOrRelease()
    },
  }
}

/** Stanzas by their sizes, and the size of all. */
function newLoad() {
  const stanzas = new Set<{ bytes: number }>()
  let total = 0
  return {
    add(bytes: number) {
      const one = { bytes }
      stanzas.add(one)
      total += bytes
      return () => {
        if (stanzas.delete(one)) total -= bytes
      }
    },
    isOver: (share: number) => stanzas.size > share * most.stanzas || total > share * most.bytes,
    clear() {
      stanzas.clear()
      total = 0
    },
  }
}

/** About as many bytes as a stanza has on the wire. */
function sizeOf({ tag, attrs, content }: BinaryNode): number {
  let bytes = tag.length
  for (const [name, value] of Object.entries(attrs)) bytes += name.length + value.length
  if (Array.isArray(content)) for (const child of content) bytes += sizeOf(child)
  else if (content) bytes += content.length
  return bytes
}
