import {
  Browsers,
  initAuthCreds,
  jidDecode,
  jidNormalizedUser,
  makeWASocket,
  proto,
  S_WHATSAPP_NET,
  type AuthenticationCreds,
  type BinaryNode,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import type { WebSocket } from "ws"
import type { Connection, Happening, Me, Vault } from "../network.ts"
import { newAcks } from "./acks.ts"
import { newArrivals } from "./arrivals.ts"
import { registered } from "./contacts.ts"
import { contain } from "./contain.ts"
import { devicesOf } from "./devices.ts"
import { guard } from "./guard.ts"
import { keysOf } from "./keys.ts"
import { newLocks } from "./locks.ts"
import { newAdvSecret, newCodes } from "./qr.ts"
import { quietLog, redacted } from "./quiet-log.ts"
import { endOf, type End } from "./reasons.ts"
import { installRepairs } from "./repairs.ts"
import { durableRepository } from "./repository.ts"
import { newSender } from "./send.ts"
import { credsFromText, toText } from "./serialise.ts"
import { hasChild, mayBecomeEvent, toStanza } from "./stanza.ts"
import { takeWire } from "./wire.ts"

/** From dialling to the first code or to being logged in, ms. Baileys may wait for ever (HTTP answer to the upgrade). */
const dialMs = 60_000

/** From the pairing to the network's wish to restart, ms. */
const restartMs = 15_000

/** How long the network may take to confirm a logout, ms. */
const logoutMs = 10_000

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
  const creds = vault.creds ? credsFromText(vault.creds) : initAuthCreds()
  const log = quietLog(input.log)
  const hold = newLocks()
  const keys = keysOf(vault)
  const arrivals = newArrivals()
  const acks = newAcks((messageId, timestamp) => tell({ kind: "acknowledged", messageId, timestamp }))
  const codes = newCodes()

  const sock = makeWASocket({
    auth: {
      creds,
      keys: {
        get: keys.get,
        // Baileys itself only removes sessions: not while one is in use.
        set: (data) => hold(Object.keys(data.session ?? {}), async () => keys.set(data)),
      },
    },
    logger: log,
    browser: Browsers.macOS("Chrome"),
    ...(input.url && { waWebSocketUrl: input.url }),
    ...(input.version && { version: input.version }),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // Of a phone's history only what brings the LIDs of its contacts.
    shouldSyncHistoryMessage: ({ syncType }) => bootstrap.has(syncType ?? -1),
    // Repeating is the store's business; 0 would commit nothing.
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    userDevicesCache: devicesOf(input.vault),
    getMessage: async ({ id }) => {
      const message = id ? await vault.sent(id) : undefined
      return message && proto.Message.decode(message)
    },
    makeSignalRepository: (_auth, _log, lidsOf) =>
      durableRepository(
        {
          creds,
          keys,
          vault,
          hold,
          stanzaOf: arrivals.stanzaOf,
          onJournalled: () => tell({ kind: "journalled" }),
          onSettled: arrivals.settled,
        },
        log,
        lidsOf,
      ),
  })
  // Baileys hides the socket, but neither holds frames nor closes at once.
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  const wire = takeWire(socket)
  // Baileys would wait half a minute for a dead server to agree.
  sock.ws.close = async () => wire.cut()

  const finish = (end: End | undefined) => {
    if (ended) return
    ended = true
    clearTimeout(watchdog)
    wire.cut()
    arrivals.end()
    acks.end()
    sock.end(undefined).catch((error: unknown) => log.warn({ error }, "ending failed"))
    if (end) input.onHappening({ kind: "closed", ...end })
  }
  let watchdog = setTimeout(() => finish({ reason: "lost", detail: "connecting took too long" }), dialMs)

  contain(sock.ws, (event, error) => {
    if (ended) return
    log.error({ error }, `a listener of ${event} failed`)
    // Of a bad frame or handshake nothing can be trusted any more; a bad stanza is one stanza.
    if (!event.startsWith("CB:")) finish({ reason: "lost", detail: `${event}: ${redacted(String(error))}` })
  })

  const keepCreds = (then: () => void) => {
    const kept = vault.keep({ creds: toText(creds) })
    wire.hold(kept)
    // A failure has closed the connection already.
    kept.then(then, () => {})
  }
  sock.ev.on("creds.update", () => keepCreds(() => {}))
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
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      arrivals.afterThose(() => tell({ kind: "stanza", stanza }))
    }
    if (frame.tag === "notification" && !creds.account) beforePairing(frame)
  })

  /** Steps of pairing that Baileys acknowledges and drops. */
  const beforePairing = (notification: BinaryNode) => {
    if (notification.attrs.type === "passkey_prologue_request") tell({ kind: "passkey_required" })
    if (notification.attrs.type !== "companion_reg_refresh") return
    if (!hasChild(notification, "companion_reg_refresh") && !hasChild(notification, "pair-device-rotate-qr"))
      return
    creds.advSecretKey = newAdvSecret()
    const code = codes.again(creds.advSecretKey)
    keepCreds(() => {
      if (code) tell({ kind: "qr", ...code })
    })
  }

  const sender = newSender({ sock, acks, isOpen: () => open && !ended })
  return {
    send: (outgoing, again = false) => sender(outgoing, again),
    registered: (phones) => registered(sock, phones),
    async phoneOf(lid) {
      const phone = await sock.signalRepository.lidMapping.getPNForLID(lid)
      return phone ? jidNormalizedUser(phone) : undefined
    },
    async logout() {
      if (open && !ended && creds.me) await removeDevice(creds.me.id)
      finish({ reason: "logged_out", detail: "logged out" })
    },
    close: () => finish(undefined),
  }

  /** Baileys' own logout closes before the request can be known to have arrived. */
  async function removeDevice(jid: string) {
    const request = {
      tag: "iq",
      attrs: { to: S_WHATSAPP_NET, type: "set", id: sock.generateMessageTag(), xmlns: "md" },
      content: [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }],
    }
    try {
      await sock.query(request, logoutMs)
    } catch (error) {
      // The network may close the connection instead of answering, and the account's owner can remove a device too.
      log.warn({ error }, "the logout was not confirmed")
    }
  }
}

const { HistorySyncType } = proto.HistorySync
const bootstrap = new Set<number>([HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.PUSH_NAME])

function meOf(creds: AuthenticationCreds): Me {
  const jid = jidNormalizedUser(creds.me?.id)
  return {
    jid,
    lid: jidNormalizedUser(creds.me?.lid),
    phone: jidDecode(jid)?.user ?? "",
    name: creds.me?.name ?? "",
  }
}
