import {
  type BinaryNode,
  isPnUser,
  jidNormalizedUser,
  makeWASocket,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { isGroup } from "#core/jid.ts"
import type { WebSocket } from "ws"
import type { Acquaintance, Connection, Gate, Happening, Notice, Vault } from "../network/connection.ts"
import { ackMs, newAcks } from "../send/acks.ts"
import { newRecordPeople } from "./app-state/record-people-in-batches.ts"
import { newAddressing } from "../send/addressing.ts"
import { newUnsettledStanzas } from "../receive/order.ts"
import { newBacklog } from "../receive/backlog.ts"
import { newAnswerOrEnd } from "./answer-or-end.ts"
import { boundWork } from "../receive/bounded-work.ts"
import { newPairingNotices } from "./login/pairing-notices.ts"
import { newCallers } from "./questions/reject-call.ts"
import { contain } from "./contain-errors.ts"
import { devicesOf } from "../send/device-lists.ts"
import { groupOf, newRecipientDevices } from "../send/devices.ts"
import { readIncomingFrames } from "../receive/frames.ts"
import { groupsOf } from "../send/groups.ts"
import { guard } from "./guarded-vault.ts"
import { followHistory } from "./app-state/history.ts"
import { keysOf } from "./signal/keys.ts"
import { type Lifetime, newLifetime } from "./lifetime.ts"
import { credsToDialWith } from "./login/link-code.ts"
import { newLocks } from "#core/platform/locks.ts"
import { followLogin } from "./login/follow-login.ts"
import { removeDevice } from "./login/logout.ts"
import { newMissed } from "../send/late-devices.ts"
import { noticesIn } from "../receive/notices.ts"
import { newRestrictionsQuestions } from "./questions/restrictions.ts"
import { messagesOneByOne } from "../receive/one-by-one.ts"
import { listenForPeople } from "./app-state/listen-for-people.ts"
import { newOwnAvailability } from "./questions/own-availability.ts"
import { newCodes } from "./login/qr.ts"
import { newQuestions } from "./questions/questions.ts"
import { type ILogger, quietLog, redacted } from "./quiet-log.ts"
import { filterReceipts } from "../receive/filter-receipts.ts"
import type { Recorder } from "./record-skeletons.ts"
import { installRepairs } from "./patches/install.ts"
import { newSender } from "../send/transmit.ts"
import { credsToText } from "./signal/serialise.ts"
import { newSyncedSettings } from "./app-state/synced-settings.ts"
import { takeServerSync, askForSyncKeys } from "./app-state/server-sync.ts"
import { newStaleDevices } from "../send/changed-devices.ts"
import { timerOf } from "../send/disappearing-timers.ts"
import { transmission } from "../send/transmission.ts"
import { tellOfUnknown, tellUnknown } from "../receive/unknown.ts"
import { socketConfig } from "./socket-config.ts"
import { holdOutgoingFrames } from "../send/hold-frames.ts"

export interface ConnectInput {
  vault: Vault
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
  const lifetime = newLifetime(input.onHappening)
  const vault = guard(
    input.vault,
    () => lifetime.isOver,
    (detail) => lifetime.end({ reason: "lost", detail }),
  )
  const creds = credsToDialWith(vault.creds)
  const log = quietLog(input.log)
  const keys = keysOf(vault)
  const unsettled = newUnsettledStanzas({
    onStuck: ({ attrs }) =>
      input.log.error(
        { messageId: attrs.id },
        "a message was neither decrypted nor dropped: what came after it goes on",
      ),
    onFull: (until) => outgoing.holdUp(until),
  })
  const acks = newAcks(input.ackMs ?? ackMs, (messageId, timestamp) =>
    lifetime.tell({ kind: "acknowledged", messageId, timestamp }),
  )
  const codes = newCodes()
  const calls = newCallers()
  const groups = groupsOf(input.vault)

  const devices = devicesOf(input.vault)
  const me = () => creds.me
  const recipientDevices = newRecipientDevices({ devices, groups, keys, me, sock: () => sock, log })
  const { sock, outgoing } = dial(
    socketConfig({
      ...input,
      vault,
      creds,
      keys,
      hold: newLocks(),
      recipientDevices: recipientDevices.forBaileys,
      log,
      repository: {
        stanzaOf: unsettled.stanzaOf,
        onSettled: unsettled.settled,
        whileAsking: unsettled.whileAsking,
        request: (stanza) =>
          requestAgain(sock, stanza).catch((error: unknown) =>
            log.warn({ error }, "a message was not requested again"),
          ),
      },
    }),
    vault.gate,
  )
  const backlog = newBacklog(sock, (error) => log.warn({ error }, "no more of the backlog was asked for"))
  lifetime.atEnd(() => {
    outgoing.cut()
    backlog.end()
    unsettled.end()
    acks.end()
    sock.end(undefined).catch((error: unknown) => log.warn({ error }, "ending failed"))
  })
  const onError = failing(lifetime, log)
  const onBadMessage = (error: unknown) => onError("CB:message", error)
  messagesOneByOne({
    ws: sock.ws,
    unsettled,
    creds,
    ended: () => lifetime.isOver,
    keep: (received) => vault.keep({ received }),
    onError: onBadMessage,
  })
  contain(sock.ws, onError)

  const keepCreds = (onKept?: () => void) => {
    const made = vault.keep({ creds: credsToText(creds) })
    const kept = onKept ? made.then(() => vault.gate.whenKept(vault.gate.made)).then(onKept) : made
    // A failure has closed the connection already.
    kept.catch(() => {})
  }
  const tellPeople = (people: Acquaintance[]) => {
    if (people.length > 0) lifetime.tell({ kind: "people", people })
  }
  const answerOrEnd = newAnswerOrEnd(lifetime, outgoing)
  const availability = newOwnAvailability(sock, creds, (error) =>
    log.warn({ error }, "presence was not shown"),
  )
  const questions = newQuestions({ sock, creds, log, answerOrEnd, availability, calls, tellPeople })
  const recordPeople = newRecordPeople({
    sock,
    vault,
    learn: (people) =>
      answerOrEnd(new Promise((resolve) => lifetime.tell({ kind: "people", people, onLearned: resolve }))),
  })
  const isOpen = () => lifetime.isOpen
  const mediaHost = () => questions.mediaHost()
  const { readIfNew, changed } = newSyncedSettings(keys, {
    sock,
    isOpen,
    mediaHost,
    recordPeople,
    askForKeys: (ids) => answerOrEnd(askForSyncKeys(sock, ids)),
    log,
  })
  takeServerSync(sock.ws, changed)
  filterReceipts({ sock, creds, vault, onError: (error) => onError("CB:receipt", error) })
  boundWork(sock.ws, unsettled)
  followHistory({
    sock,
    keys,
    isOpen,
    mediaHost,
    recordPeople,
    onError: (error) => log.warn({ error }, "the phone's history was not read"),
  })
  listenForPeople(sock.ev, tellPeople)
  sock.ev.on("creds.update", (update) => {
    keepCreds()
    availability.onCreds()
    if (update.myAppStateKeyId) readIfNew()
  })
  const restrictions = newRestrictionsQuestions({
    ask: questions.ask,
    tell: (notice) => lifetime.tell({ kind: "notice", notice }),
    onUnknown: () => tellOfUnknown("iq/result/restrictions", input.log),
    onError: (error) => {
      if (!lifetime.isOver)
        log.warn({ error }, "whether this account may begin chats, or how many more, is not known")
    },
  })
  const onOpen = () => {
    readIfNew()
    restrictions.atLogin()
  }
  followLogin({ sock, creds, codes, lifetime, keepCreds, onOpen })
  const pairingNotices = newPairingNotices({
    sock,
    creds,
    codes,
    lifetime,
    keepCreds,
    onError: (error) => onError("CB:notification", error),
  })
  const keepPairs = (people: Acquaintance[]) => {
    const pairs = people.flatMap(({ jid, lid }) => (jid && lid ? [{ pn: jid, lid }] : []))
    if (pairs.length === 0) return
    const kept = sock.signalRepository.lidMapping.storeLIDPNMappings(pairs)
    kept.catch((error: unknown) => log.warn({ error }, "a changed number was not kept"))
  }
  const addressing = newAddressing({ sock, creds, keepCreds })
  const byPrivateId = async (notice: Notice): Promise<Notice> => {
    if (!("jid" in notice && notice.jid && isPnUser(notice.jid))) return notice
    const lid = await sock.signalRepository.lidMapping.getLIDForPN(notice.jid)
    return { ...notice, jid: lid ? jidNormalizedUser(lid) : notice.jid }
  }
  const hearNotices = (frame: BinaryNode) => {
    const { notices, people } = noticesIn(frame)
    for (const notice of notices)
      byPrivateId(notice)
        .then((one) => lifetime.tell({ kind: "notice", notice: one }))
        .catch((error: unknown) => log.warn({ error }, "a notice was not told"))
    tellPeople(people)
    keepPairs(people)
  }
  const forgetDevices = newStaleDevices({
    devices,
    sock: () => sock,
    onError: (error) => log.warn({ error }, "a list of devices was not forgotten"),
  })
  readIncomingFrames({
    ws: sock.ws,
    acks,
    unsettled,
    outgoing,
    calls,
    lifetime,
    vault,
    tellPeople,
    listeners: [
      ...(input.record ? [input.record] : []),
      (frame) => groups.take(frame),
      addressing.take,
      forgetDevices,
      (frame) => backlog.take(frame),
      hearNotices,
      (frame) => tellUnknown(frame, input.log),
      pairingNotices,
    ],
  })

  const sender = newSender({
    sock,
    addressOf: addressing.addressOf,
    acks,
    keys,
    isOpen: () => lifetime.isOpen,
    onRefused: (chat, networkCode) => {
      groups.forget(chat)
      restrictions.afterRefusal(networkCode)
    },
    missed: newMissed({ recipientDevices, me, log }),
    onError: (error) => {
      if (!lifetime.isOver) log.warn({ error }, "devices that a message has missed did not get it")
    },
  })
  return {
    ...questions,
    send: (outgoing, again = false) => sender(outgoing, again),
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

function dial(config: UserFacingSocketConfig, gate: Gate) {
  const sock = makeWASocket(config)
  // Baileys hides the socket. It can neither hold frames nor close at once, so we reach for it.
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  const outgoing = holdOutgoingFrames(socket, gate)
  // Baileys would wait half a minute for a dead server to agree.
  sock.ws.close = async () => outgoing.cut()
  makeChangesAtOnce(sock, config.auth.keys)
  return { sock, outgoing }
}

/**
 * Baileys' own transactions keep what they change to themselves until they end, and frames leave meanwhile: a retry receipt
 * would name a prekey that nobody has kept. So each change is made at once, before the next frame is stamped. A transaction
 * only keeps others out. `rotateSignedPreKey`, which nobody calls, would still tell the network before it keeps anything.
 *
 * Messages need none. Baileys has one at a time for all that it does under our own id, so each message would wait for one that
 * the network leaves without an answer, for as long as a minute. They have an order already, and the state that they share
 * with others is locked where it changes.
 */
function makeChangesAtOnce({ authState: { keys } }: Pick<WASocket, "authState">, own: SignalKeyStore): void {
  const run = keys.transaction.bind(keys)
  keys.get = async (type, ids) => {
    // Baileys reads and writes right before a stanza. If a stanza were encoded and then held back, the connection would be lost.
    if (transmission.getStore()?.abandoned) throw new Error("the transmission was given up")
    return await own.get(type, ids)
  }
  keys.set = async (data) => await own.set(data)
  keys.transaction = (work, lock) => (transmission.getStore() ? work() : run(work, lock))
}

async function requestAgain(sock: WASocket, stanza: BinaryNode): Promise<void> {
  await sock.sendRetryRequest(stanza)
  // Baileys would then ask the phone for what the phone has sent, and for each answer that cannot be read in its turn.
  if (stanza.attrs.category === "peer") sock.messageRetryManager?.cancelPendingPhoneRequest(stanza.attrs.id!)
}

/** Decides about an error that a listener of the socket threw. */
function failing(lifetime: Lifetime, log: ILogger) {
  return (event: string, error: unknown) => {
    if (lifetime.isOver) return
    log.error({ error }, `a listener of ${event} failed`)
    // Only this stanza is bad. If it ended the connection, it would come again with each new one.
    if (event.startsWith("CB:") || (event === "message" && lifetime.isOpen && !isForged(error))) return
    // After a bad handshake nothing can be trusted any more.
    lifetime.end({ reason: "lost", detail: `${event}: ${redacted(String(error))}` })
  }
}

/** Whether a frame was not encrypted by the server. A frame of the server may be unreadable, too. */
function isForged(error: unknown): boolean {
  return String(error).includes("unable to authenticate data")
}
