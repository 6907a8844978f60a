import type { Agent } from "node:https"
import {
  type AuthenticationCreds,
  type BinaryNode,
  Browsers,
  makeWASocket,
  proto,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
  type WAVersion,
} from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import type { WebSocket } from "ws"
import type { Proxy } from "#core/fetch/proxy-tunnel.ts"
import { Connections } from "#core/fetch/safe-fetch.ts"
import { type Hold, newLocks } from "#core/platform/locks.ts"
import { askForLids } from "../network/ask-about-people.ts"
import type { Intake, Vault } from "../network/connection.ts"
import { additionalDataOf } from "./additional-data.ts"
import { newAnswerOrEnd } from "./answer-unless-ended.ts"
import { guardedBy, type Lifetime } from "./lifetime.ts"
import { credsToDialWith } from "./login/link-code.ts"
import { sayAtLogin } from "./patches/login-counts.ts"
import { agentThrough } from "./proxy-agent.ts"
import { askNetwork } from "./questions/ask.ts"
import { type ILogger, quietLog } from "./quiet-log.ts"
import { newBacklog } from "./receive/ask-for-backlog.ts"
import { newBackpressure, newUnsettledStanzas } from "./receive/read-in-order.ts"
import { newGroupCache } from "./send/group-cache.ts"
import { holdOutgoingFrames } from "./send/hold-frames.ts"
import { newDeviceLists, newRecipientDevices } from "./send/recipient-devices.ts"
import { newAllowance } from "./send/send-again.ts"
import { transmissionNow } from "./send/transmission.ts"
import { newAcks } from "./send/transmit.ts"
import { credsToText } from "./signal/keys-as-text.ts"
import { type Keys, keysOf } from "./signal/keys.ts"
import { durableRepository, type RepositoryInput } from "./signal/repository.ts"
import { closedInsteadOfDeleted } from "./signal/undo-deletions.ts"

export interface DialInput {
  vault: Vault
  intake: Intake
  log: Logger
  /** The WebSocket of a simulated network (`trustRoot` first); the live one without. */
  url?: string
  /** The bridge's proxy, if its connections are not direct. */
  proxy?: Proxy | undefined
  /** The version of WhatsApp Web that the network wants; Baileys' own by default. */
  version?: WAVersion
  /** How long the network may take over the acknowledgement of a message. */
  ackMs: number
}

/**
 * Baileys' socket, which dials, with its settings, and the parts of ours that these name or that every other
 * part needs.
 */
export function dial(input: DialInput, lifetime: Lifetime) {
  const { vault, intake, proxy } = input
  const { gate } = vault
  const guarded = guardedBy(lifetime)
  const { changeVault, sent, keys } = guardedVault(vault, guarded)
  const creds = credsToDialWith(vault.creds)
  const log = quietLog(input.log)
  const warn = (text: string) => (error: unknown) => {
    if (!lifetime.isOver) log.warn({ error }, text)
  }
  const backpressure = newBackpressure((until) => frames.stopReading(until))
  const stuck = "a message was neither decrypted nor dropped: what came after it goes on"
  const unsettled = newUnsettledStanzas({
    backpressure,
    onStuck: ({ attrs }) => input.log.error({ messageId: attrs.id }, stuck),
  })
  const known = knownWith(vault)
  sayLogins(creds, known, lifetime)
  const recipientDevices = newRecipientDevices({ ...known, keys, me: () => creds.me, sock: () => sock, log })
  const lockKeys = newLocks()
  const config = socketConfig({
    ...input,
    agent: proxy && agentThrough(proxy, input.url?.startsWith("ws:") ? "http:" : "https:"),
    sent,
    creds,
    keys,
    lockKeys,
    recipientDevices: recipientDevices.forBaileys,
    lidsOf: (jids) => askForLids({ ask: (question) => askNetwork(sock, question) }, jids),
    log,
    repository: {
      changeVault,
      intake,
      guarded,
      stanzaOf: unsettled.stanzaOf,
      onSettled: unsettled.settled,
      whileAsking: (ask) => backpressure.whileAsking(ask),
      request: (stanza) => requestAgain(sock, stanza).catch(warn("a message was not requested again")),
    },
  })
  const sock = makeWASocket(config)
  makeChangesAtOnce(sock, config.auth.keys)
  const frames = holdFramesOf(sock, gate)
  const acks = newAcks(input.ackMs, (messageId, timestamp) =>
    lifetime.emit({ kind: "acknowledged", messageId, timestamp }),
  )
  const backlog = newBacklog(sock, warn("no more of the backlog was asked for"))
  const connection = { sock, frames, backlog, unsettled, backpressure, acks }
  lifetime.atEnd(() => end(connection, log))
  return {
    ...known,
    lifetime,
    ...connection,
    answerOrEnd: newAnswerOrEnd(lifetime, frames),
    creds,
    commitCreds: newCredsCommit(creds, { change: changeVault, gate }),
    keys,
    lockKeys,
    changeVault,
    gate,
    guarded,
    intake,
    sent,
    recipientDevices,
    uploadAgent: proxy && agentThrough(proxy),
    toFiles: () => new Connections({ proxy }),
    log,
    warn,
  }
}

/** A vault whose failures end the connection before Baileys hears of them. */
function guardedVault(vault: Vault, guarded: ReturnType<typeof guardedBy>) {
  const changeVault: Vault["change"] = (change) => guarded(() => vault.change(change))
  const sent: Vault["sent"] = (messageId) => guarded(() => vault.sent(messageId))
  const keys = keysOf({ change: changeVault, keys: (type, ids) => guarded(() => vault.keys(type, ids)) })
  return { changeVault, sent, keys }
}

/** Lets the login say how many logins there were, as a browser's login does. */
function sayLogins(creds: AuthenticationCreds, known: ReturnType<typeof newKnown>, lifetime: Lifetime): void {
  if (!creds.me) return
  const { logins: lc = 0 } = additionalDataOf(creds)
  lifetime.atEnd(sayAtLogin(creds.me.id, { lc, connectAttemptCount: known.logins.inThisProcess }))
}

type EndingParts = Pick<
  ReturnType<typeof dial>,
  "sock" | "frames" | "backlog" | "unsettled" | "backpressure" | "acks"
>

function end({ sock, frames, backlog, unsettled, backpressure, acks }: EndingParts, log: ILogger): void {
  frames.cut()
  backlog.end()
  unsettled.end()
  backpressure.end()
  acks.end()
  sock.end(undefined).catch((error: unknown) => log.warn({ error }, "ending failed"))
}

/** Baileys hides the socket, and can neither hold frames nor close at once. So we reach for the socket. */
function holdFramesOf({ ws }: ReturnType<typeof makeWASocket>, gate: Vault["gate"]) {
  const { socket } = ws as unknown as { socket: WebSocket }
  const frames = holdOutgoingFrames(socket, gate)
  // Baileys would wait half a minute for a dead server to agree.
  ws.close = async () => frames.cut()
  return frames
}

/** Keeps the credentials as they are now. `onKept` is called once they are durable. */
function newCredsCommit(creds: AuthenticationCreds, { change, gate }: Pick<Vault, "change" | "gate">) {
  return (onKept?: () => void) => {
    const made = change({ creds: credsToText(creds) })
    const kept = onKept ? made.then(() => gate.whenKept(gate.made)).then(onKept) : made
    // When it fails, the connection is closed already.
    kept.catch(() => {})
  }
}

/**
 * What connections learn of chats, devices, logins and messages that were sent again outlives them, as long
 * as their vault lives.
 */
const known = new WeakMap<Vault, ReturnType<typeof newKnown>>()
const newKnown = () => ({
  groups: newGroupCache(),
  devices: newDeviceLists(),
  logins: { inThisProcess: 0 },
  mayResend: newAllowance(),
})

function knownWith(vault: Vault) {
  const found = known.get(vault) ?? newKnown()
  known.set(vault, found)
  return found
}

/**
 * Baileys' own transactions hold their changes back until they end, while frames leave: a retry receipt would
 * name a prekey that is not kept. So each change is made at once, before the next frame is stamped, and a
 * transaction only keeps other transactions out. `rotateSignedPreKey`, which is never called, would still
 * inform the network before it keeps anything (`signal/signed-pre-keys.ts` is called in its place).
 *
 * Messages need no transaction. Baileys runs one at a time for all that it does under our own id, so a
 * message that the network does not answer would hold up all others for as long as a minute. Messages already
 * have an order, and the state that they share with other work is locked where it changes.
 */
function makeChangesAtOnce({ authState: { keys } }: Pick<WASocket, "authState">, own: SignalKeyStore): void {
  const run = keys.transaction.bind(keys)
  keys.get = async (type, ids) => {
    // Baileys reads and writes right before a stanza. If a stanza were encoded and then held back, the
    // connection would be lost.
    transmissionNow()?.mustGoOn()
    return await own.get(type, ids)
  }
  keys.set = async (data) => await own.set(data)
  keys.transaction = (work, lock) => (transmissionNow() ? work() : run(work, lock))
}

/** Asks the sender of a message to send it again. */
async function requestAgain(sock: WASocket, stanza: BinaryNode): Promise<void> {
  await sock.sendRetryRequest(stanza)
  // Baileys would then ask the phone for its own message, and again for each answer that cannot be read.
  if (stanza.attrs.category === "peer") sock.messageRetryManager?.cancelPendingPhoneRequest(stanza.attrs.id!)
}

interface SettingsInput {
  sent: Vault["sent"]
  creds: AuthenticationCreds
  keys: Keys
  lockKeys: Hold
  recipientDevices: Required<Pick<UserFacingSocketConfig, "userDevicesCache" | "cachedGroupMetadata">>
  /**
   * The LIDs of these numbers. Baileys' own question for them misreads an answer that names people by LID.
   */
  lidsOf: Required<Parameters<typeof durableRepository>>[2]
  log: ILogger
  url?: string
  version?: WAVersion
  /** The agent of the socket. */
  agent: Agent | undefined
  repository: Omit<RepositoryInput, "creds" | "keys" | "lockKeys">
}

/** Baileys' settings: what it is given of ours in place of its own. */
function socketConfig(input: SettingsInput): UserFacingSocketConfig {
  const { creds, keys, lockKeys } = input
  return {
    auth: {
      creds,
      keys: {
        get: keys.get,
        // With `set` Baileys only removes sessions, which must not happen while one is in use.
        set: (data) =>
          lockKeys(Object.keys(data.session ?? {}), async () =>
            keys.set(await closedInsteadOfDeleted(transmissionNow()?.holdBackKeyHolders(data) ?? data, keys)),
          ),
      },
    },
    logger: input.log,
    browser: Browsers.macOS("Chrome"),
    ...(input.url && { waWebSocketUrl: input.url }),
    ...(input.version && { version: input.version }),
    ...(input.agent && { agent: input.agent }),
    markOnlineOnConnect: false,
    emitOwnEvents: false,
    syncFullHistory: false,
    // The history is read beside Baileys (`history.ts`), which may read none. If it heard so when it asks at
    // its start, with a type alone, it would log a warning.
    shouldSyncHistoryMessage: (notice) =>
      notice.syncType === proto.Message.HistorySyncType.ON_DEMAND && !("chunkOrder" in notice),
    // A limit would make Baileys set a timer and note two stacks for each frame that leaves.
    // `login/follow-login.ts` limits the whole login.
    connectTimeoutMs: 0,
    // After a message that it cannot read, Baileys would read nothing for a quarter of a second, and
    // acknowledge the message only then.
    retryRequestDelayMs: 0,
    ...input.recipientDevices,
    getMessage: async ({ id }) => {
      const sent = id ? await input.sent(id) : undefined
      return sent && proto.Message.decode(sent.message)
    },
    makeSignalRepository: () =>
      durableRepository({ creds, keys, lockKeys, ...input.repository }, input.log, input.lidsOf),
  }
}
