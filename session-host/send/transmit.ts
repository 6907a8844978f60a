import { type BinaryNode, proto, type WASocket } from "@whiskeysockets/baileys"
import { within } from "../concurrency/call-deadline.ts"
import { NetworkRejected, NotSent, OutcomeUnknown } from "../network/errors.ts"
import type { Outgoing } from "../network/connection.ts"
import type { Acks } from "./acks.ts"
import { stanzaAttributesOf } from "./stanza-attributes.ts"
import type { Keys } from "../baileys/signal/keys.ts"
import type { Missed } from "./late-devices.ts"
import { transmission, type Transmission } from "./transmission.ts"

/** How long finding the devices, opening sessions and encrypting may take, ms. */
const prepareMs = 20_000

/** How long a message may wait for those before it, ms: later its caller might have given up, and must not be surprised. */
const queuedMs = 25_000

export interface SendInput {
  sock: Pick<WASocket, "relayMessage">
  acks: Acks
  keys: Pick<Keys, "get" | "set">
  /** The address under which a message to this chat leaves. */
  addressOf: (chat: string) => Promise<string>
  /** Logged in, and not ended. */
  isOpen: () => boolean
  /** The network has refused a message to this chat. */
  onRefused: (chat: string, networkCode: number) => void
  /** An error that no caller waits for. */
  onError: (error: unknown) => void
  /** Sends a message to the devices that it has missed. */
  missed: Missed
}

/**
 * Sends of one connection. They are encrypted and handed to the socket one after another. Their acknowledgements are waited
 * for side by side, so that a missing one holds up nobody else.
 */
export function newSender(input: SendInput) {
  let last: Promise<void> = Promise.resolve()
  return (outgoing: Outgoing, again: boolean) => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    let late = false
    const timer = setTimeout(() => (late = true), queuedMs)
    const sent = last.then(async () => {
      clearTimeout(timer)
      if (late) throw again ? new OutcomeUnknown(crowd) : new NotSent(crowd)
      return await send(input, outgoing, again, leave)
    })
    // Its caller hears of a failure; the next one only waits for the end.
    sent.catch(() => {}).finally(leave)
    last = left
    return sent
  }
}

const crowd = "others were before it for too long"

async function send(
  input: SendInput,
  outgoing: Outgoing,
  again: boolean,
  onLeft: () => void,
): Promise<{ timestamp: number }> {
  const state: Transmission = {
    chat: outgoing.chat,
    unkept: again ? undefined : outgoing,
    maybeKept: again,
    built: false,
    handed: false,
    abandoned: false,
  }
  if (!input.isOpen()) throw notOut(state, again, new Error("not connected"))

  const expected = input.acks.expect(outgoing.messageId)
  const failed = await firstOf(
    relay(input, outgoing, state),
    // Acknowledged already, or ended: either way there is nothing more to prepare.
    expected.answer.then((ack) => (ack ? undefined : new Error("the connection ended"))),
  )
  onLeft()
  if (failed && !state.handed) {
    state.abandoned = true
    expected.stop(false)
    throw notOut(state, again || !input.isOpen(), failed)
  }

  const ack = await expected.inTime()
  expected.stop(ack === undefined)
  if (!ack) throw new OutcomeUnknown("no acknowledgement")
  if ("networkCode" in ack) {
    input.onRefused(outgoing.chat, ack.networkCode)
    throw new NetworkRejected(ack.networkCode)
  }
  // The network has the message, whatever becomes of the note: without it the key is given once more.
  noteKeyHolders(input.keys, state.keyHolders).catch(() => {})
  if (ack.phash) {
    const addressed = { ...outgoing, chat: state.chat }
    const sendTo = (participant: { jid: string; count: number }) =>
      sendOnce(input, addressed, { participant })
    input.missed(state, ack.phash, sendTo).catch(input.onError)
  }
  return { timestamp: ack.timestamp }
}

/** Notes who has our sender key now. Mostly that is known already. */
async function noteKeyHolders(keys: SendInput["keys"], holders: Transmission["keyHolders"]): Promise<void> {
  for (const [group, devices] of Object.entries(holders ?? {})) {
    const { [group]: known = {} } = await keys.get("sender-key-memory", [group])
    if (Object.keys(devices ?? {}).every((device) => known[device])) continue
    await keys.set({ "sender-key-memory": { [group]: { ...known, ...devices } } })
  }
}

/** The error that kept the stanza from leaving, or that came after it had left. */
async function relay(input: SendInput, outgoing: Outgoing, state: Transmission): Promise<Error | undefined> {
  const onBuilt = () => (state.built = true)
  try {
    state.chat = await input.addressOf(outgoing.chat)
    await transmission.run(state, () => sendOnce(input, { ...outgoing, chat: state.chat }, { onBuilt }))
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error("unknown error", { cause: error })
  }
}

/** Has Baileys send it: to all devices of the chat, or to one alone. */
async function sendOnce(
  { sock }: Pick<SendInput, "sock">,
  { chat, message: bytes, messageId }: Outgoing,
  { participant, onBuilt }: { participant?: { jid: string; count: number }; onBuilt?: () => void },
): Promise<void> {
  const message = proto.Message.decode(bytes)
  const { additionalAttributes, additionalNodes } = stanzaAttributesOf(message)
  await sock.relayMessage(chat, message, {
    messageId,
    additionalAttributes,
    additionalNodes: onBuilt ? lookedAtLast(additionalNodes, onBuilt) : additionalNodes,
    ...(participant && { participant }),
  })
}

/** Calls back when Baileys reads the number of these nodes: the last step before the stanza goes to the socket. */
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

/**
 * The error for a stanza that has not left. That is definite, unless another host may by now act on the row, or an earlier
 * transmission may have arrived.
 */
function notOut(state: Transmission, othersMayAct: boolean, cause: Error): NotSent | OutcomeUnknown {
  if (othersMayAct && state.maybeKept) return new OutcomeUnknown(cause.message)
  return cause instanceof NotSent ? cause : new NotSent(cause.message)
}
