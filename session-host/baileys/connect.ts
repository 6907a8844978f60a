import {
  jidDecode,
  jidNormalizedUser,
  makeWASocket,
  type AuthenticationCreds,
  type BinaryNode,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import type { WebSocket } from "ws"
import { Metrics } from "#core/metrics.ts"
import type { Acquaintance, Connection, End, Happening, Me, Question, Vault } from "../network.ts"
import { registered } from "../people/registered.ts"
import { newAcks } from "./acks.ts"
import { newArrivals } from "./arrivals.ts"
import { answered, ask } from "./ask.ts"
import { bringAgain } from "./media-retry.ts"
import { newCalls, rejectCall } from "./call.ts"
import { contain } from "./contain.ts"
import { devicesOf } from "./devices.ts"
import { guard } from "./guard.ts"
import { keysOf } from "./keys.ts"
import { credsToDialWith, linkCode } from "./link-code.ts"
import { newLocks } from "./locks.ts"
import { removeDevice } from "./logout.ts"
import { newMedia } from "./media.ts"
import { oneByOne } from "./one-by-one.ts"
import { listenForPeople, membersIn } from "./people.ts"
import { pictureUrl } from "./picture.ts"
import { newAvailability } from "./presence.ts"
import { newAdvSecret, newCodes } from "./qr.ts"
import { quietLog, redacted } from "./quiet-log.ts"
import { endOf } from "./reasons.ts"
import { installRepairs } from "./repairs.ts"
import { newSender } from "./send.ts"
import { toText } from "./serialise.ts"
import { newSettings } from "./settings.ts"
import { socketConfig } from "./socket-config.ts"
import { hasChild, mayBecomeEvent, toStanza } from "./stanza.ts"
import { takeWire } from "./wire.ts"

/** From dialling to the first code or to being logged in, ms. Baileys may wait for ever (HTTP answer to the upgrade). */
const dialMs = 60_000

/** From the pairing to the network's wish to restart, ms. */
const restartMs = 15_000

/** From a failed write to the socket's own end, ms. */
const closingMs = 1000

export interface ConnectInput {
  vault: Vault
  log: Logger
  /** The WebSocket of a simulated network (`trustRoot` first); the live one without. */
  url?: string
  /** Of WhatsApp Web, as the network wants it; Baileys' own without. */
  version?: WAVersion
  onHappening: (happening: Happening) => void
}

/**
 * Dials. All that follows comes by `onHappening`, in order. One connection per vault at a time: before the next, the
 * changes that the last one handed to `keep` must be settled.
 */
export function connect(input: ConnectInput): Connection {
  installRepairs()
  const end = Promise.withResolvers<void>()
  let ended = false
  let open = false
  const tell = (happening: Happening) => {
    if (!ended) input.onHappening(happening)
  }

  const vault = guard(
    input.vault,
    () => ended,
    (detail) => finish({ reason: "lost", detail }),
  )
  const creds = credsToDialWith(vault.creds)
  const log = quietLog(input.log)
  const hold = newLocks()
  const keys = keysOf(vault)
  const arrivals = newArrivals()
  const acks = newAcks((messageId, timestamp) => tell({ kind: "acknowledged", messageId, timestamp }))
  const codes = newCodes()

  const sock = makeWASocket(
    socketConfig({
      ...input,
      vault,
      creds,
      keys,
      hold,
      devices: devicesOf(input.vault),
      log,
      repository: {
        stanzaOf: arrivals.stanzaOf,
        onJournalled: () => tell({ kind: "journalled" }),
        onSettled: arrivals.settled,
      },
    }),
  )
  // Baileys hides the socket, but neither holds frames nor closes at once.
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  const wire = takeWire(socket)
  // Baileys would wait half a minute for a dead server to agree.
  sock.ws.close = async () => wire.cut()

  const finish = (why: End | undefined) => {
    if (ended) return
    ended = true
    clearTimeout(watchdog)
    wire.cut()
    arrivals.end()
    acks.end()
    end.resolve()
    sock.end(undefined).catch((error: unknown) => log.warn({ error }, "ending failed"))
    if (why) input.onHappening({ kind: "closed", ...why })
  }
  let watchdog = setTimeout(() => finish({ reason: "lost", detail: "connecting took too long" }), dialMs)

  const onError = (event: string, error: unknown) => {
    if (ended) return
    log.error({ error }, `a listener of ${event} failed`)
    // A bad stanza is one stanza. Were the connection ended for it, it would come again at the next, and the next.
    if (event.startsWith("CB:") || (event === "message" && open && !isForged(error))) return
    // Of a bad handshake nothing can be trusted any more.
    finish({ reason: "lost", detail: `${event}: ${redacted(String(error))}` })
  }
  oneByOne({ ws: sock.ws, arrivals, ended: () => ended, onError: (error) => onError("CB:message", error) })
  contain(sock.ws, onError)

  const keepCreds = (then: () => void) => {
    const kept = vault.keep({ creds: toText(creds) })
    wire.hold(kept)
    // A failure has closed the connection already.
    kept.then(then, () => {})
  }
  const availability = newAvailability(sock, creds, (error) => log.warn({ error }, "presence was not shown"))
  const settings = newSettings({
    sock,
    keys,
    isOpen: () => open && !ended,
    peopleLearned: () =>
      beforeEnd(new Promise((resolve) => tell({ kind: "people", people: [], onLearned: resolve }))),
    onError: (error) => log.warn({ error }, "the account's settings were not read"),
  })
  const calls = newCalls()
  const tellPeople = (people: Acquaintance[]) => {
    if (people.length > 0) tell({ kind: "people", people })
  }
  listenForPeople(sock.ev, tellPeople)
  sock.ev.on("creds.update", (update) => {
    keepCreds(() => {})
    availability.onCreds()
    if (update.myAppStateKeyId) settings.readIfNew()
  })
  sock.ev.on("connection.update", (update) => {
    if (update.qr) {
      clearTimeout(watchdog)
      tell({ kind: "qr", ...codes.next(update.qr, creds.advSecretKey) })
    }
    if (update.isNewLogin) {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => finish({ reason: "restart", detail: "paired" }), restartMs)
      keepCreds(() => tell({ kind: "paired" }))
    }
    if (update.connection === "open") {
      clearTimeout(watchdog)
      open = true
      tell({ kind: "open", me: meOf(creds) })
      settings.readIfNew()
    }
    if (update.connection === "close") finish(endOf(update.lastDisconnect?.error))
  })

  sock.ws.on("unexpected-response", (_request: unknown, response: { statusCode?: number }) =>
    finish({ reason: "lost", detail: `HTTP ${response.statusCode} to the upgrade` }),
  )
  sock.ws.on("CB:ack,class:message", acks.take)
  sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array) return
    if (frame.tag === "message") arrivals.message(frame)
    // Somebody could not read what we sent.
    if (frame.tag === "receipt" && frame.attrs.type === "retry") Metrics.add("RetryReceipts")
    if (frame.tag === "call") calls.take(frame)
    if (frame.tag === "iq") tellPeople(membersIn(frame))
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      arrivals.afterThose(() => tell({ kind: "stanza", stanza }))
    }
    if (frame.tag === "notification" && !creds.account) beforePairing(frame)
  })

  /** Steps of pairing of which Baileys knows nothing; without an account its own acknowledgement fails, too. */
  const beforePairing = (notification: BinaryNode) => {
    const { id, from, type } = notification.attrs
    if (type === "passkey_prologue_request") tell({ kind: "passkey_required" })
    if (type === "companion_reg_refresh") refreshSecret(notification)
    const ack = { class: "notification", ...(id && { id }), ...(from && { to: from }), ...(type && { type }) }
    if (!creds.me)
      sock.sendNode({ tag: "ack", attrs: ack }).catch((error: unknown) => onError("CB:notification", error))
  }
  const refreshSecret = (notification: BinaryNode) => {
    if (!hasChild(notification, "companion_reg_refresh") && !hasChild(notification, "pair-device-rotate-qr"))
      return
    creds.advSecretKey = newAdvSecret()
    const code = codes.again(creds.advSecretKey)
    keepCreds(() => {
      if (code) tell({ kind: "qr", ...code })
    })
  }

  /** What the network said last comes with the closing. */
  const closing = async (error: unknown) => {
    const late = setTimeout(() => finish({ reason: "lost", detail: redacted(String(error)) }), closingMs)
    await end.promise
    clearTimeout(late)
  }
  /** Baileys leaves questions open for a minute when the connection ends, and asks on a socket that is closing. */
  const beforeEnd = <T>(answer: Promise<T>): Promise<T> => {
    const over = end.promise.then((): never => {
      throw new Error("the connection ended")
    })
    const answered = answer.catch(async (error: unknown): Promise<never> => {
      if (!wire.isOpen) await closing(error)
      throw error
    })
    return Promise.race([answered, over])
  }
  const sender = newSender({ sock, acks, isOpen: () => open && !ended })
  const asked = (question: Question) => beforeEnd(ask(sock, question))
  const media = newMedia(asked, log)
  return {
    send: (outgoing, again = false) => sender(outgoing, again),
    ask: asked,
    linkCode: (phone) => beforeEnd(linkCode(sock, phone)),
    async registered(phones) {
      const found = await registered({ ask: asked }, phones)
      const named = [...found.values()].filter(({ lid }) => lid !== "")
      await beforeEnd(
        sock.signalRepository.lidMapping.storeLIDPNMappings(named.map(({ jid, lid }) => ({ pn: jid, lid }))),
      )
      tellPeople(named.map(({ jid, lid }) => ({ jid, lid, ofContactsOnly: true })))
      return found
    },
    showTyping: (chat, state) => beforeEnd(sock.sendPresenceUpdate(state, chat)),
    upload: (file) => beforeEnd(media.upload(file)),
    mediaHost: () => media.mediaHost(),
    bringAgain: (missed) => beforeEnd(bringAgain(sock, missed, { me: creds.me?.id ?? "", log })),
    setAvailable: (isAvailable) => beforeEnd(availability.set(isAvailable)),
    watch: (jid) => beforeEnd(sock.presenceSubscribe(jid)),
    rejectCall: ({ id, caller }) =>
      beforeEnd(rejectCall(sock, { id, caller: calls.callerOf(id) ?? caller, me: creds.me?.id ?? "" })),
    pictureUrl: (jid) => beforeEnd(pictureUrl(sock, jid)),
    markRead: (message) => beforeEnd(answered(sock.readMessages([message]))),
    async phoneOf(lid) {
      const phone = await sock.signalRepository.lidMapping.getPNForLID(lid)
      return phone ? jidNormalizedUser(phone) : undefined
    },
    async logout() {
      if (open && !ended && creds.me) await Promise.race([removeDevice(sock, creds.me.id, log), end.promise])
      finish({ reason: "logged_out", detail: "logged out" })
    },
    close: () => finish(undefined),
  }
}

/** Whether a frame was not encrypted by the server. What it decrypted to may be unreadable all the same. */
function isForged(error: unknown): boolean {
  return String(error).includes("unable to authenticate data")
}

function meOf(creds: AuthenticationCreds): Me {
  const jid = jidNormalizedUser(creds.me?.id)
  return {
    jid,
    lid: jidNormalizedUser(creds.me?.lid),
    phone: jidDecode(jid)?.user ?? "",
    name: creds.me?.name ?? "",
  }
}
