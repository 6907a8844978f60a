import { type BinaryNode, proto, type WASocket } from "@whiskeysockets/baileys"
import { isChannel, statusChat, userOf, withoutDevice } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { within } from "../../concurrency/call-deadline.ts"
import type { Outgoing } from "../../network/connection.ts"
import { NetworkRejected, NotSent, OutcomeUnknown } from "../../network/errors.ts"
import type { Keys } from "../signal/keys.ts"
import type { SendToMissed } from "./missed-devices.ts"
import type { SenderKeys } from "./renew-sender-key.ts"
import { stanzaAttributesOf } from "./stanza-attributes.ts"
import { inTransmission, Transmission } from "./transmission.ts"

/** How long finding the devices, opening sessions and encrypting may take, ms. */
const prepareMs = 20_000

/**
 * How long a message may wait for those before it, in ms: after that its caller may have given up, and the
 * message must not be sent.
 */
const queuedMs = 25_000

/** A device that is the only one to get a message, and how often it has asked for the message. */
interface OneDevice {
  jid: string
  count: number
  /** Of a device of our own: the chat. */
  recipient?: string | undefined
}

export interface SendInput {
  sock: Pick<WASocket, "relayMessage">
  acks: Acks
  keys: Pick<Keys, "get" | "set">
  /** Makes a message's row. No frame leaves before it is durable. */
  keep: (outgoing: Outgoing) => Promise<void>
  /** The address under which a message to this chat leaves. */
  addressOf: (chat: string) => Promise<string>
  /** The attribute that says the other address of the recipient. */
  otherNameOf: (chat: string) => Promise<Record<string, string>>
  senderKeys: SenderKeys
  me: () => { id: string } | undefined
  /** Whether the connection has logged in and has not ended. */
  isOpen: () => boolean
  /** The network has refused a message to this chat. */
  onRefused: (chat: string, networkCode: number) => void
  /** An error that no caller waits for. */
  onError: (error: unknown) => void
  /** Sends a message to the devices that it has missed. */
  missed: SendToMissed
}

/**
 * Sends of one connection. They are encrypted and handed to the socket one after another. Their
 * acknowledgements are waited for side by side, so that a missing one holds up no other message.
 */
export function newSender(input: SendInput) {
  let last: Promise<void> = Promise.resolve()
  return (outgoing: Outgoing, isRepeat: boolean) => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    let late = false
    const timer = setTimeout(() => (late = true), queuedMs)
    const sent = last.then(async () => {
      clearTimeout(timer)
      if (late) throw isRepeat ? new OutcomeUnknown(crowd) : new NotSent(crowd)
      return await send(input, outgoing, isRepeat, leave)
    })
    // The caller of this send gets its error; the next send only waits for the end.
    sent.catch(() => {}).finally(leave)
    last = left
    return sent
  }
}

const crowd = "others were before it for too long"

async function send(
  input: SendInput,
  outgoing: Outgoing,
  isRepeat: boolean,
  onLeft: () => void,
): Promise<{ timestamp: number }> {
  const transmission = new Transmission(outgoing, isRepeat)
  if (!input.isOpen()) throw transmission.giveUp(new Error("not connected"), isRepeat)

  const expected = input.acks.expect(outgoing.messageId)
  const failed = await firstOf(
    relay(input, transmission),
    // The message is already acknowledged, or the connection has ended: either way, there is nothing more to
    // prepare.
    expected.answer.then((ack) => (ack ? undefined : new Error("the connection ended"))),
  )
  onLeft()
  if (failed && !transmission.isHanded) {
    expected.stop(false)
    throw transmission.giveUp(failed, isRepeat || !input.isOpen())
  }

  const ack = await expected.inTime()
  expected.stop(ack === undefined)
  if (!ack) throw new OutcomeUnknown("no acknowledgement")
  if ("networkCode" in ack) {
    input.onRefused(outgoing.chat, ack.networkCode)
    throw new NetworkRejected(ack.networkCode)
  }
  // The network has the message, whether or not the note is kept: without the note, the key is sent once
  // more.
  if (transmission.senderKey === input.senderKeys.versionOf(transmission.chat))
    noteKeyHolders(input.keys, transmission.keyHolders).catch(() => {})
  if (ack.phash)
    input
      .missed(transmission, ack.phash, (repeated, participant) =>
        relayThroughBaileys(input, repeated, participant),
      )
      .catch(input.onError)
  return { timestamp: ack.timestamp }
}

export type SendAgain = ReturnType<typeof newSendAgain>

/**
 * Sends a message once more to one device of its chat, or of our own account. No caller waits for the
 * acknowledgement.
 */
export function newSendAgain(input: SendInput) {
  return async (outgoing: Outgoing, device: OneDevice): Promise<void> => {
    const transmission = new Transmission(outgoing, true)
    transmission.chat = await input.addressOf(outgoing.chat)
    await relayThroughBaileys(input, transmission, device)
  }
}

export type SendStatusAgain = ReturnType<typeof newSendStatusAgain>

/** Sends a status once more to all devices of one of its viewers. No caller waits for the acknowledgement. */
export function newSendStatusAgain(input: SendInput) {
  return async (status: Pick<Outgoing, "messageId" | "message">, viewer: string): Promise<void> => {
    const transmission = new Transmission({ ...status, chat: statusChat, members: [viewer] }, true)
    transmission.members = await viewersOf(input, transmission)
    await relayThroughBaileys(input, transmission)
  }
}

/** Notes which devices have our sender key now. Mostly this is already known. */
async function noteKeyHolders(keys: SendInput["keys"], holders: Transmission["keyHolders"]): Promise<void> {
  for (const [group, devices] of Object.entries(holders ?? {})) {
    const { [group]: known = {} } = await keys.get("sender-key-memory", [group])
    if (Object.keys(devices ?? {}).every((device) => known[device])) continue
    await keys.set({ "sender-key-memory": { [group]: { ...known, ...devices } } })
  }
}

/** The error that kept the stanza from leaving, or that came after it had left. */
async function relay(input: SendInput, transmission: Transmission): Promise<Error | undefined> {
  try {
    const { outgoing } = transmission
    if (isChannel(outgoing.chat)) {
      // It is not encrypted, so no step of a ratchet brings its row, and Baileys builds it in one step.
      await transmission.addMessageOnce(async (added) => added && (await input.keep(added)))
      transmission.built()
      await relayThroughBaileys(input, transmission)
      return undefined
    }
    transmission.chat = await input.addressOf(outgoing.chat)
    if (transmission.chat === statusChat) transmission.members = await viewersOf(input, transmission)
    await input.senderKeys.renewIfLeft(transmission.chat, transmission.members)
    transmission.senderKey = input.senderKeys.versionOf(transmission.chat)
    await relayThroughBaileys(input, transmission)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error("unknown error", { cause: error })
  }
}

/** The viewers of a status, under the addresses of their chats, and our own devices. */
async function viewersOf({ addressOf, me }: SendInput, { outgoing }: Transmission) {
  const people = [...(outgoing.members ?? []), withoutDevice(me()?.id ?? "")]
  const addresses = await Promise.all(people.map((person) => addressOf(person)))
  return new Map(addresses.map((address) => [userOf(address), address]))
}

/**
 * Makes Baileys send the message: to all devices of the chat, or to one alone. Baileys then calls
 * `recipient-devices.ts`, `session-host/whatsapp/signal/repository.ts` and `hold-frames.ts`, where
 * `session-host/whatsapp/dial.ts` has put them. They find the message with `transmissionNow`.
 */
async function relayThroughBaileys(
  { sock, otherNameOf }: Pick<SendInput, "sock" | "otherNameOf">,
  transmission: Transmission,
  device?: OneDevice,
): Promise<void> {
  const { chat, outgoing } = transmission
  const message = proto.Message.decode(outgoing.message)
  const { additionalAttributes, additionalNodes } = stanzaAttributesOf(message)
  const otherName = isChannel(chat) ? {} : await otherNameOf(chat)
  await inTransmission(transmission, () =>
    sock.relayMessage(chat, message, {
      messageId: outgoing.messageId,
      additionalAttributes: {
        ...additionalAttributes,
        ...otherName,
        ...(device?.recipient && { recipient: device.recipient }),
      },
      additionalNodes: device ? additionalNodes : lookedAtLast(additionalNodes, () => transmission.built()),
      ...(device && { participant: device }),
      ...(chat === statusChat && { statusJidList: [...(transmission.members?.values() ?? [])] }),
    }),
  )
}

/**
 * Calls back when Baileys reads the number of these nodes: the last step before the stanza goes to the
 * socket.
 */
function lookedAtLast(nodes: BinaryNode[], onLook: () => void): BinaryNode[] {
  return new Proxy(nodes, {
    get(target, name) {
      if (name === "length") onLook()
      return Reflect.get(target, name)
    },
  })
}

async function firstOf(...outcomes: Promise<Error | undefined>[]): Promise<Error | undefined> {
  return await within(prepareMs, Promise.race(outcomes), () => new Error("preparing took too long"))
}

/** How many messages without an answer are remembered, for answers that come late. */
const rememberedMost = 1_000

type Ack =
  /** `phash`: the network's hash of the chat's devices, if it gives one. */
  { timestamp: number; phash?: string } | { networkCode: number }

/** The network's answers to messages: `newSender` waits for them. */
interface Acks {
  /** Waits for this message's answer from now on. Call it before sending. */
  expect: (messageId: string) => Expected
  /** Gets `<ack class="message">`. */
  onAck: (node: BinaryNode) => void
  /** Ends all waits, since no answer comes any more. */
  end: () => void
}

interface Expected {
  /** The answer; undefined when the connection has ended. */
  answer: Promise<Ack | undefined>
  /** The answer, or undefined if it took too long. An answer that comes after that is reported as late. */
  inTime(): Promise<Ack | undefined>
  /** Stops waiting; `maybeLater` if an answer may still come. */
  stop(maybeLater: boolean): void
}

/** @param waitMs how long an answer may take; `onLate` gets an answer that took longer */
export function newAcks(waitMs: number, onLate: (messageId: string, timestamp: number) => void): Acks {
  const waiting = new Map<string, (ack: Ack | undefined) => void>()
  const unanswered = new Set<string>()

  const remember = (messageId: string) => {
    unanswered.add(messageId)
    const [oldest] = unanswered
    if (unanswered.size > rememberedMost && oldest) unanswered.delete(oldest)
  }

  return {
    expect(messageId) {
      const { promise: answer, resolve } = Promise.withResolvers<Ack | undefined>()
      waiting.set(messageId, resolve)
      unanswered.delete(messageId)
      const stop = (maybeLater: boolean) => {
        waiting.delete(messageId)
        if (maybeLater) remember(messageId)
      }
      const inTime = async () => {
        const timer = setTimeout(() => resolve(undefined), waitMs)
        const ack = await answer
        clearTimeout(timer)
        return ack
      }
      return { answer, inTime, stop }
    },
    onAck({ attrs }) {
      const messageId = attrs.id ?? ""
      const timestamp = Number(attrs.t) || now()
      const { error, phash } = attrs
      const ack: Ack = error ? { networkCode: Number(error) } : { timestamp, ...(phash && { phash }) }
      const waiter = waiting.get(messageId)
      if (waiter) return waiter(ack)
      if (unanswered.delete(messageId) && "timestamp" in ack) onLate(messageId, ack.timestamp)
    },
    end() {
      for (const resolve of waiting.values()) resolve(undefined)
      waiting.clear()
      unanswered.clear()
    },
  }
}
