import type { EventEmitter } from "node:events"
import type { BaileysEventMap, BinaryNode } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { reportExpiration } from "../network/client-expiration.ts"
import type { Acquaintance } from "../network/happening.ts"
import { changeAdditionalData, additionalDataOf } from "./additional-data.ts"
import type { AppState } from "./app-state/app-state.ts"
import { addressPair, personIn } from "./app-state/people.ts"
import { containErrors, endOrLog } from "./contain-errors.ts"
import type { dial } from "./dial.ts"
import type { SilenceWatch } from "./end-if-silent.ts"
import { followLogin } from "./login/follow-login.ts"
import { limitHellos, newHellos, newPairingNotices } from "./login/pairing-notices.ts"
import { addSpareCodes, type PasskeyLink } from "./login/passkey.ts"
import { newCodes } from "./login/qr.ts"
import type { NetworkClock } from "./network-clock.ts"
import type { newCallers } from "./questions/reject-call.ts"
import type { newRestrictionsQuestions } from "./questions/restrictions.ts"
import { answerPostQuantum, newAnswers } from "./receive/answer-what-baileys-leaves.ts"
import { newsInTurn } from "./receive/news-in-turn.ts"
import { newNotices } from "./receive/notices-in-frames.ts"
import { newFrameReader, oneByOne } from "./receive/read-in-order.ts"
import { filterReceipts } from "./receive/take-receipts.ts"
import { reportUnknown } from "./receive/unknown.ts"
import type { Addressing } from "./send/addressing.ts"
import { newDeviceChanges } from "./send/forget-changed-devices.ts"
import { newLidRefresh } from "./send/refresh-lids.ts"
import type { SendAgain, SendStatusAgain } from "./send/transmit.ts"
import type { ShowAsAvailable } from "./show-as-available.ts"
import { newSignedPreKeys } from "./signal/signed-pre-keys.ts"
import type { Recorder } from "./stanza-recorder.ts"
import { toStanza } from "./stanza.ts"

/** Baileys' own listener for an event of its socket. */
type Pass = (node: BinaryNode) => unknown

/**
 * Takes the place of a listener of Baileys: the interceptor gets each stanza, and passes on those that
 * Baileys is to get.
 */
export type Interceptor = (node: BinaryNode, pass: Pass) => unknown

/** The parts of a connection that listen, or that listeners need. */
interface ListenerParts extends ReturnType<typeof dial> {
  passkey: PasskeyLink
  silence: SilenceWatch
  clock: NetworkClock
  calls: ReturnType<typeof newCallers>
  addressing: Addressing
  appState: AppState
  availability: ShowAsAvailable
  restrictions: ReturnType<typeof newRestrictionsQuestions>
  sendStatusAgain: SendStatusAgain
  sendAgain: SendAgain
  reportPeople: (people: Acquaintance[]) => void
  /** Gets every frame that comes in. */
  record?: Recorder | undefined
  /** For the operator. */
  operatorsLog: Logger
}

/**
 * The table of all listeners of Baileys that are replaced or wrapped, and of all events of Baileys that are
 * followed. The order matters: of two replacements the later one gets the stanza first, and only listeners
 * that are there already are wrapped.
 */
export function attachListeners(parts: ListenerParts): void {
  const { sock, lifetime, warn } = parts
  const failed = endOrLog(lifetime, parts.log)
  const own: Own = {
    failed,
    failedAt: (event) => (error) => failed(event, error),
    answers: newAnswers({ sock, onError: warn("a stanza was not answered") }),
    codes: newCodes(),
    hellos: newHellos(sock),
  }
  replaceListeners(parts, own)
  readFrames(parts, own)
  followLoginAndPeople(parts, own)
}

/** What only the listeners share. */
interface Own {
  failed: ReturnType<typeof endOrLog>
  failedAt: (event: string) => (error: unknown) => void
  answers: ReturnType<typeof newAnswers>
  codes: ReturnType<typeof newCodes>
  hellos: ReturnType<typeof newHellos>
}

function replaceListeners(parts: ListenerParts, { failed, failedAt, answers, hellos }: Own): void {
  const { sock, lifetime, backpressure, guarded, intake, appState } = parts
  const { ws } = sock
  const onMessage = oneByOne({
    ...parts,
    ended: () => lifetime.isOver,
    receive: (received) => guarded(() => intake.receive(received, [])),
    expect: (attrs) => guarded(() => intake.expect(attrs)),
    takePost: (post) => guarded(() => intake.takePost(toStanza(post))),
    acknowledge: answers.acknowledge,
    onError: failedAt("CB:message"),
  })
  const pass = replace(ws, "CB:message", onMessage)
  // A status comes as a stanza of its own. Baileys does not listen for it, but can read it as it reads a
  // message.
  ws.on("CB:status", (node: BinaryNode) => onMessage(node, pass))

  // An error that a listener throws, or leaves in a promise that is not awaited, would end the process.
  containErrors(ws, failed)

  // Baileys reads an address book in one stretch, and acknowledges that it has changed before it has read it.
  replace(ws, "CB:notification", appState.onServerSync)
  replace(ws, "CB:notification", answerPostQuantum(answers.acknowledge, parts.operatorsLog))
  replace(ws, "CB:notification", newsInTurn(parts))
  // Baileys would answer every notification about a link code.
  replace(ws, "CB:notification", limitHellos(sock, hellos, failedAt("CB:notification")))
  // Baileys throws at a receipt that names no sender, and asks the network for keys at each receipt that asks
  // for a message.
  replace(ws, "CB:receipt", filterReceipts({ ...parts, onError: failedAt("CB:receipt") }))
  // Baileys works at any number of these at once, and reads the store or asks the network for each. These
  // listeners are replaced last, so that the work of the replacements above counts, too.
  for (const event of ["CB:receipt", "CB:notification"])
    replace(ws, event, (node, go) => backpressure.whileWorking(node, async () => await go(node)))
  // Baileys waits for an answer by listening for its id. If the answer were not read, work that needs it
  // would wait for ever.
  ws.on("newListener", (event: unknown) => {
    if (!isQuestion(event)) return
    backpressure.asked(1)
    parts.silence.asked()
  })
  ws.on("removeListener", (event: unknown) => isQuestion(event) && backpressure.asked(-1))
}

function readFrames(parts: ListenerParts, { failedAt, answers, codes, hellos }: Own): void {
  const { sock, warn } = parts
  const { ws } = sock
  // Baileys reports no acknowledgements, and reports many stanzas too late or not at all. Each of these
  // listeners gets every frame.
  ws.on("CB:ack,class:message", parts.acks.onAck)
  ws.on(
    "CB:ack,class:message",
    newLidRefresh({ ...parts, onError: warn("a private id was not asked for anew") }),
  )
  const readFrame = newFrameReader({
    ...parts,
    listeners: [
      ...(parts.record ? [parts.record] : []),
      addSpareCodes,
      (frame) => parts.groups.onFrame(frame),
      parts.addressing.onFrame,
      newDeviceChanges({
        ...parts,
        sock: () => sock,
        onError: warn("a list of devices was not forgotten"),
      }),
      parts.backlog.onFrame,
      newNotices(parts),
      answers.onFrame,
      parts.silence.onFrame,
      parts.clock.onFrame,
      (frame) => reportUnknown(frame, parts.operatorsLog),
      (frame) => frame.tag === "ib" && reportExpiration(toStanza(frame), parts.operatorsLog),
      newPairingNotices({ ...parts, codes, hellos, onError: failedAt("CB:notification") }),
    ],
  })
  // Baileys emits this before the event of the stanza's kind: a message is queued here before `onMessage`
  // gets it.
  ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (!(frame instanceof Uint8Array)) readFrame(frame)
  })
}

function followLoginAndPeople(parts: ListenerParts, { codes }: Own): void {
  const { sock, appState, reportPeople, warn } = parts
  const { ws, ev } = sock
  const rotateSignedPreKey = newSignedPreKeys({
    ...parts,
    onError: warn("the signed prekey was not replaced"),
  })
  const onOpen = () => {
    parts.logins.inThisProcess++
    changeAdditionalData(parts.creds, { logins: (additionalDataOf(parts.creds).logins ?? 0) + 1 })
    parts.commitCreds()
    rotateSignedPreKey()
    appState.readIfNew()
    parts.restrictions.atLogin()
  }
  const login = followLogin({ ...parts, codes, onOpen })
  ws.once("frame", login.onAnswer)
  // Baileys may wait for ever after an HTTP answer to the upgrade.
  ws.on("unexpected-response", (_request: unknown, { statusCode }: { statusCode?: number }) =>
    login.onRefused(statusCode),
  )
  ev.on("connection.update", login.onUpdate)
  ev.on("creds.update", (update) => {
    parts.commitCreds()
    parts.availability.onCreds()
    if (update.myAppStateKeyId) appState.readIfNew()
  })
  // Baileys would inflate and decode the phone's history whole. It only says here that there is one.
  ev.on("messages.upsert", appState.onMessages)
  const onContacts = (contacts: BaileysEventMap["contacts.update"]) =>
    reportPeople(contacts.flatMap(personIn))
  ev.on("contacts.upsert", onContacts)
  ev.on("contacts.update", onContacts)
  ev.on("lid-mapping.update", (mapping) => reportPeople([addressPair(mapping)]))
}

function isQuestion(event: unknown): boolean {
  return String(event).startsWith("TAG:")
}

/**
 * Replaces Baileys' listener for this event.
 * @returns Baileys' own listener
 * @throws Error if Baileys does not listen for this event any more
 */
function replace(ws: EventEmitter, event: string, interceptor: Interceptor): Pass {
  const [listener] = ws.listeners(event)
  if (!listener) throw new Error(`Baileys does not listen for ${event}`)
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener(event, listener as () => void)
  const pass = (node: BinaryNode): unknown => Reflect.apply(listener, ws, [node])
  ws.on(event, (node: BinaryNode) => interceptor(node, pass))
  return pass
}
