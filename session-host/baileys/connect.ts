import type { BinaryNode, WAVersion } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { isGroup } from "#core/jid.ts"
import { newLocks } from "#core/platform/locks.ts"
import type { Acquaintance, Connection, Happening, Intake, Vault } from "../network/connection.ts"
import { newBacklog } from "../receive/backlog.ts"
import { filterReceipts } from "../receive/filter-receipts.ts"
import { newAnswers } from "../receive/unanswered.ts"
import { readFrames } from "../receive/frames.ts"
import { newNotices } from "../receive/notices.ts"
import { oneByOne } from "../receive/one-by-one.ts"
import { newUnsettledStanzas } from "../receive/order.ts"
import { tellOfUnknown, tellUnknown } from "../receive/unknown.ts"
import { ackMs, newAcks } from "../send/acks.ts"
import { newAddressing } from "../send/addressing.ts"
import { newStaleDevices } from "../send/changed-devices.ts"
import { devicesOf } from "../send/device-lists.ts"
import { groupOf, newRecipientDevices } from "../send/devices.ts"
import { timerOf } from "../send/disappearing-timers.ts"
import { groupsOf } from "../send/groups.ts"
import { newMissed } from "../send/late-devices.ts"
import { newSender } from "../send/transmit.ts"
import { newAnswerOrEnd } from "./answer-or-end.ts"
import { newAppState } from "./app-state/app-state.ts"
import { addressPair, personIn } from "./app-state/people.ts"
import { outsideOfAll } from "./context.ts"
import { failing } from "./contain-errors.ts"
import { dial, requestAgain } from "./dial.ts"
import { guardedBy, type Lifetime, newLifetime } from "./lifetime.ts"
import { newLogin } from "./login/follow-login.ts"
import { credsToDialWith } from "./login/link-code.ts"
import { removeDevice } from "./login/logout.ts"
import { newPairingNotices } from "./login/pairing-notices.ts"
import { addSpareCodes, newPasskeyLink, type PasskeyLink } from "./login/passkey.ts"
import { newCodes } from "./login/qr.ts"
import { installRepairs } from "./patches/install.ts"
import { newOwnAvailability } from "./questions/own-availability.ts"
import { newQuestions } from "./questions/questions.ts"
import { newCallers } from "./questions/reject-call.ts"
import { newRestrictionsQuestions } from "./questions/restrictions.ts"
import { quietLog } from "./quiet-log.ts"
import type { Recorder } from "./record-skeletons.ts"
import { keysOf } from "./signal/keys.ts"
import { credsToText } from "./signal/serialise.ts"
import { socketConfig } from "./socket-config.ts"
import { tap } from "./tap.ts"

export interface ConnectInput {
  vault: Vault
  intake: Intake
  log: Logger
  /** The WebSocket of a simulated network (`trustRoot` first); the live one without. */
  url?: string
  /** The version of WhatsApp Web that the network wants; Baileys' own by default. */
  version?: WAVersion
  /** How long the network may take over the acknowledgement of a message; 15 s without. */
  ackMs?: number
  /** Gets every frame that comes in. */
  record?: Recorder
  onHappening: (happening: Happening) => void
}

/**
 * Dials. Everything after that comes by `onHappening`, in order. A vault has one connection at a time: before the next, the
 * changes that the last one handed to `keep` must be settled.
 */
export function connect(input: ConnectInput): Connection {
  installRepairs()
  // A session may dial again in the course of a send that has lost its connection.
  return outsideOfAll(() => opened(input))
}

function opened(input: ConnectInput): Connection {
  const lifetime = newLifetime(input.onHappening)
  const open = dialled(input, lifetime)
  const { sock, outgoing, creds, keys, log, warn, groups, keepCreds } = open
  const tellPeople = (people: Acquaintance[]) => {
    if (people.length > 0) lifetime.tell({ kind: "people", people })
  }

  const answerOrEnd = newAnswerOrEnd(lifetime, outgoing)
  const availability = newOwnAvailability(sock, creds, warn("presence was not shown"))
  const calls = newCallers()
  const questions = newQuestions({ sock, creds, log, answerOrEnd, availability, calls, tellPeople })
  const restrictions = newRestrictionsQuestions({
    ask: questions.ask,
    tell: (notice) => lifetime.tell({ kind: "notice", notice }),
    onUnknown: () => tellOfUnknown("iq/result/restrictions", input.log),
    onError: warn("whether this account may begin chats, or how many more, is not known"),
  })
  const appState = newAppState({ ...open, lifetime, answerOrEnd, mediaHost: () => questions.mediaHost() })
  const addressing = newAddressing({ sock, creds, keepCreds })
  const sender = newSender({
    sock,
    addressOf: addressing.addressOf,
    acks: open.acks,
    keys,
    isOpen: () => lifetime.isOpen,
    onRefused: (chat, networkCode) => {
      groups.forget(chat)
      restrictions.afterRefusal(networkCode)
    },
    missed: newMissed({ recipientDevices: open.recipientDevices, me: () => creds.me, log }),
    onError: warn("devices that a message has missed did not get it"),
  })
  const passkey = newPasskeyLink({
    sock,
    creds,
    lifetime,
    keepCreds,
    onError: warn("a step of linking with a passkey failed"),
  })
  const listen = {
    ...open,
    passkey,
    lifetime,
    calls,
    tellPeople,
    addressing,
    appState,
    availability,
    restrictions,
  }
  listenTo(listen, input)

  return {
    ...questions,
    takePasskey: (assertion) => answerOrEnd(passkey.take(assertion)),
    send: (message, again = false) => sender(message, again),
    async timerOf(chat) {
      if (!isGroup(chat)) return await timerOf(chat, keys)
      const group = await answerOrEnd(groupOf({ groups, sock: () => sock }, chat))
      return group?.ephemeralDuration ?? 0
    },
    async logout() {
      // The network may end the connection before it has answered.
      if (lifetime.isOpen && creds.me) await answerOrEnd(removeDevice(sock, creds.me.id, log)).catch(() => {})
      lifetime.end({ reason: "logged_out", detail: "logged out" })
    },
    close: () => lifetime.end(),
  }
}

/** Baileys' socket, dialling, and what it needs of the session: its keys, and the order of what arrives. */
function dialled(input: ConnectInput, lifetime: Lifetime) {
  const { vault, intake } = input
  const { gate } = vault
  const guarded = guardedBy(lifetime)
  const keep: Vault["keep"] = (change) => guarded(() => vault.keep(change))
  const sent: Vault["sent"] = (messageId) => guarded(() => vault.sent(messageId))
  const creds = credsToDialWith(vault.creds)
  const keys = keysOf({ keep, keys: (type, ids) => guarded(() => vault.keys(type, ids)) })
  const log = quietLog(input.log)
  const warn = (text: string) => (error: unknown) => {
    if (!lifetime.isOver) log.warn({ error }, text)
  }
  const stuck = "a message was neither decrypted nor dropped: what came after it goes on"
  const unsettled = newUnsettledStanzas({
    onStuck: ({ attrs }) => input.log.error({ messageId: attrs.id }, stuck),
    onFull: (until) => outgoing.holdUp(until),
  })
  const acks = newAcks(input.ackMs ?? ackMs, (messageId, timestamp) =>
    lifetime.tell({ kind: "acknowledged", messageId, timestamp }),
  )
  const [groups, devices] = [groupsOf(vault), devicesOf(vault)]
  const me = () => creds.me
  const recipientDevices = newRecipientDevices({ devices, groups, keys, me, sock: () => sock, log })
  const { stanzaOf, settled: onSettled, whileAsking } = unsettled
  const request = (stanza: Parameters<typeof requestAgain>[1]) =>
    requestAgain(sock, stanza).catch(warn("a message was not requested again"))
  const repository = { keep, intake, guarded, stanzaOf, onSettled, whileAsking, request }
  const { forBaileys } = recipientDevices
  const hold = newLocks()
  const { sock, outgoing } = dial(
    socketConfig({ ...input, sent, creds, keys, hold, recipientDevices: forBaileys, log, repository }),
    gate,
  )
  const backlog = newBacklog(sock, warn("no more of the backlog was asked for"))
  lifetime.atEnd(() => {
    outgoing.cut()
    backlog.end()
    unsettled.end()
    acks.end()
    sock.end(undefined).catch((error: unknown) => log.warn({ error }, "ending failed"))
  })
  const keepCreds = (onKept?: () => void) => {
    const made = keep({ creds: credsToText(creds) })
    const kept = onKept ? made.then(() => gate.whenKept(gate.made)).then(onKept) : made
    // A failure has closed the connection already.
    kept.catch(() => {})
  }
  return {
    sock,
    outgoing,
    creds,
    keys,
    keepCreds,
    keep,
    gate,
    guarded,
    intake,
    sent,
    unsettled,
    acks,
    groups,
    devices,
    recipientDevices,
    backlog,
    log,
    warn,
  }
}

type Listening = ReturnType<typeof dialled> & {
  passkey: PasskeyLink
  lifetime: Lifetime
  calls: ReturnType<typeof newCallers>
  tellPeople: (people: Acquaintance[]) => void
  addressing: ReturnType<typeof newAddressing>
  appState: ReturnType<typeof newAppState>
  availability: ReturnType<typeof newOwnAvailability>
  restrictions: ReturnType<typeof newRestrictionsQuestions>
}

/** Puts our listeners where the table of `tap.ts` wants them. */
function listenTo(open: Listening, input: Pick<ConnectInput, "record" | "log">): void {
  const {
    sock,
    creds,
    passkey,
    lifetime,
    unsettled,
    acks,
    guarded,
    intake,
    appState,
    availability,
    tellPeople,
  } = open
  const onError = failing(lifetime, open.log)
  const onOpen = () => {
    appState.readIfNew()
    open.restrictions.atLogin()
  }
  const codes = newCodes()
  const login = newLogin({ creds, passkey, codes, lifetime, keepCreds: open.keepCreds, onOpen })
  const forgetDevices = newStaleDevices({
    devices: open.devices,
    creds,
    sock: () => sock,
    onError: open.warn("a list of devices was not forgotten"),
  })
  const answers = newAnswers({ sock, onError: open.warn("a stanza was not answered") })
  const onPairingError = (error: unknown) => onError("CB:notification", error)
  const listeners = [
    ...(input.record ? [input.record] : []),
    addSpareCodes,
    (frame: BinaryNode) => open.groups.take(frame),
    open.addressing.take,
    forgetDevices,
    open.backlog.take,
    newNotices(open),
    answers.take,
    (frame: BinaryNode) => tellUnknown(frame, input.log),
    newPairingNotices({
      sock,
      creds,
      passkey,
      codes,
      lifetime,
      keepCreds: open.keepCreds,
      onError: onPairingError,
    }),
  ]
  tap(sock, {
    message: oneByOne({
      unsettled,
      creds,
      ended: () => lifetime.isOver,
      take: (received) => guarded(() => intake.take(received, [])),
      acknowledge: (node) => answers.acknowledge(node),
      onError: (error) => onError("CB:message", error),
    }),
    onError,
    serverSync: appState.onServerSync,
    receipt: filterReceipts({ sock, creds, sent: open.sent, onError: (e) => onError("CB:receipt", e) }),
    bounded: (node, pass) => unsettled.whileWorking(node, async () => await pass(node)),
    question: unsettled.asked,
    ack: acks.take,
    frame: readFrames({ ...open, listeners }),
    refusedUpgrade: login.onRefused,
    history: appState.onMessages,
    contacts: (contacts) => tellPeople(contacts.flatMap(personIn)),
    pair: (mapping) => tellPeople([addressPair(mapping)]),
    creds: (update) => {
      open.keepCreds()
      availability.onCreds()
      if (update.myAppStateKeyId) appState.readIfNew()
    },
    login: login.onUpdate,
  })
}
