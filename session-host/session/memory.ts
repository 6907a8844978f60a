import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import { Bell } from "#core/event/doorbell.ts"
import type { Proxy as Proxied } from "#core/fetch/proxy-tunnel.ts"
import type { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { userOf } from "#core/message/jid.ts"
import { Chats } from "../chats/chats.ts"
import { Handovers } from "../chats/handovers.ts"
import { History } from "../chats/keep-history.ts"
import { MessageKeeping } from "../chats/keep-messages.ts"
import { KeptPast, pastRow } from "../chats/keep-past.ts"
import { Transcript } from "../chats/transcript.ts"
import { Commits } from "../memory/commits.ts"
import { CreatedGroups } from "../memory/created-groups.ts"
import { LoginStanding } from "../memory/login-standing.ts"
import { MessageCount } from "../memory/message-count.ts"
import { Messages } from "../memory/messages/messages.ts"
import { SentList } from "../memory/messages/sent-list.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import {
  type Creds,
  credsOf,
  credsSk,
  nextGenerationRow,
  removalsOfOldKeys,
  SessionVault,
} from "../memory/vault.ts"
import { OwnStore } from "../own-store/own-store.ts"
import { Contacts, removalsOfContacts } from "../people/contacts.ts"
import { Recipients } from "../people/recipients.ts"
import { Awaited } from "../receive/awaited.ts"
import { SessionIntake } from "../receive/intake.ts"
import { EventOutbox } from "../receive/outbox.ts"
import { readParkedAgain } from "../receive/read-parked-again.ts"
import { plansAndJobs } from "../send/jobs.ts"
import { Pacing, pacingRow } from "../send/pacing.ts"
import { plansRow } from "../send/plans.ts"
import { SentNews } from "../send/sent-news.ts"
import { Statuses } from "../send/statuses.ts"
import { ConnectionEvents, reportedRow } from "../uplink/connection-events.ts"
import { findLeftBehind, type LeftBehind, type MemoryInput } from "./left-behind.ts"
import { makeAnew } from "./make-anew.ts"

/** The durable side of a session. */
export type Memory = ReturnType<typeof memoryOf>

/** Reads what earlier sessions of the bridge left. @throws SessionEnded */
export async function openMemory(input: MemoryInput): Promise<Memory> {
  const found = await findLeftBehind(input)
  const ground = groundOf(input, found)
  if (input.lease.anew) await loginMadeAnew(ground)
  const parts = partsOf(ground, found)
  // The session that promised to ring may have died first.
  if (found.isToRing) parts.bell.ringAnew()
  return memoryOf(parts)
}

/** The parts that all other parts need. */
function groundOf(input: MemoryInput, { store, patience, keys, rows }: LeftBehind) {
  const { lease, timing, log, choice, onEnd } = input
  const commits = new Commits(lease, { store, patience, withinMs: timing.commitMs, onEnd })
  const recipients = new Recipients()
  const login = new Login({ store, commits, choice, recipients, log }, credsOf(rows.get(credsSk)))
  return {
    ...input,
    bridgeId: lease.bridgeId,
    store,
    patience,
    commits,
    recipients,
    login,
    deliveryKey: keys.delivery,
    /**
     * The account, if this is its sandbox: the phone is simulated and scans each code by itself. Undefined
     * for other bridges.
     */
    sandboxOf: keys.sandboxOf,
  }
}

type Ground = ReturnType<typeof groundOf>

async function loginMadeAnew(ground: Ground): Promise<void> {
  const { commits, login, log } = ground
  try {
    await makeAnew({ ...ground, vault: login.vault })
    log.warn("the session's keys came from a backup, or from another gateway: what encrypts was made anew")
  } catch (error) {
    // No caller gets this memory, so no caller can end it.
    commits.end(new SessionEnded("the session's keys could not be made anew", { cause: error }))
    throw error
  }
}

/** Makes the parts in order: each takes the earlier parts that it needs, and its first row. */
function partsOf(ground: Ground, { rows, awaited: awaitedRows, ...left }: LeftBehind) {
  const { bridgeId, store, login } = ground
  const bell = new Bell(bridgeId)
  const messages = new Messages(store, login)
  const sentList = new SentList(ground)
  const messageCount = new MessageCount(ground)
  const clearedUntil = (chat: string) => chats.clearedUntil(chat)
  const transcript = new Transcript({ ...ground, clearedUntil })
  const chats: Chats = new Chats({ ...ground, transcript })
  const handovers = new Handovers(ground)
  const keeping = new MessageKeeping({ store, transcript, chats, messages })
  const history = new History({ ...ground, messages, transcript, chats })
  const againMs = ground.timing.storeAgainMs
  const ownStore = new OwnStore({ ...ground, messages, againMs, outbox: () => outbox })
  const outbox = new EventOutbox(
    { ...ground, messages, bell, messageCount, keeping, handovers, ownStore },
    left,
  )
  const past = new KeptPast({ ...ground, transcript, chats, sentList, outbox }, rows.get(pastRow))
  const connectionEvents = new ConnectionEvents({ ...ground, outbox }, rows.get(reportedRow))
  const standing = new LoginStanding(ground, [...rows.values()])
  const sentNews = new SentNews()
  const statuses = new Statuses({ ...ground, outbox, messageCount, sentNews })
  const awaited = new Awaited({ ...ground, outbox }, awaitedRows)
  const pacing = new Pacing(ground, rows.get(pacingRow))
  const planned = plansAndJobs({ ...ground, statuses }, rows.get(plansRow))
  const createdGroups = new CreatedGroups(ground)
  const intake = new SessionIntake({
    ...ground,
    messages,
    outbox,
    standing,
    awaited,
    statuses,
    chats,
    history,
  })
  return {
    ...ground,
    bell,
    messages,
    sentList,
    messageCount,
    transcript,
    chats,
    handovers,
    keeping,
    history,
    ownStore,
    outbox,
    past,
    connectionEvents,
    standing,
    statuses,
    sentNews,
    awaited,
    pacing,
    ...planned,
    createdGroups,
    intake,
  }
}

/** The number of the phone that is linked, as its lease keeps it. */
export function linkedPhoneOf({
  login,
  bridgeId,
  deliveryKey,
}: Memory): Pick<Lease.Reported, "phone" | "phone_hash"> {
  const phone = userOf(login.vault.login?.jid ?? "")
  if (phone === "") return {}
  const sealed = LinkedPhone.sealed(phone, bridgeId, deliveryKey)
  return { phone: sealed, phone_hash: BridgesOfPhone.hashOf(phone) }
}

function memoryOf(parts: ReturnType<typeof partsOf>) {
  const { store, commits, login, bridgeId, deliveryKey, choice, version } = parts
  const { bell, messageCount, outbox, connectionEvents, standing, statuses, awaited, intake, past } = parts
  let isReadingAgain = false
  return {
    ...parts,

    get vault() {
      return login.vault
    },
    get contacts() {
      return login.contacts
    },

    /** The bridge's proxy to the network; undefined: connections are direct. */
    get proxy(): Proxied | undefined {
      const { proxy } = choice()
      return proxy === undefined
        ? undefined
        : { url: Proxy.opened(proxy, bridgeId, deliveryKey), share: bridgeId }
    },

    /**
     * Tries again, once per session, to read messages that no mapper could read. Call this when everything
     * else is under way.
     * @throws SessionEnded
     */
    async readParkedAgain(): Promise<void> {
      if (isReadingAgain) return
      isReadingAgain = true
      await readParkedAgain({ store, commits, intake, version: await version() })
    },

    /**
     * Forgets the login when it has ended. `report` commits the writes that it is given together with the
     * customer's event.
     */
    async forget(report: (writes: UnitWrite[]) => Promise<void>): Promise<void> {
      const generation = login.vault.generation + 1
      await awaited.giveUpAll()
      await report([nextGenerationRow(store, generation), ...standing.forget(), past.forget()])
      login.beginNext()
      await commits.write([
        ...(await removalsOfContacts(store)),
        ...(await removalsOfOldKeys(store, generation)),
      ])
    },

    /** Resolves when everything that was begun is durable, and the delivery of its events is due. */
    async settled(): Promise<void> {
      await statuses.settled()
      await outbox.settled()
      await login.contacts.settled()
      await commits.settled()
      await bell.quiet()
      await messageCount.written()
    },

    /** The session has ended; its socket is closed. */
    end(error: SessionEnded): void {
      connectionEvents.end()
      statuses.end(error)
      bell.end()
      messageCount.end()
      commits.end(error)
    },
  }
}

type LoginParts = ConstructorParameters<typeof SessionVault>[0] & ConstructorParameters<typeof Contacts>[0]

/** The bridge's present login. A logout begins the next one. */
class Login {
  readonly #parts: LoginParts
  #present: { vault: SessionVault; contacts: Contacts }

  constructor(parts: LoginParts, creds: Creds) {
    this.#parts = parts
    this.#present = this.#begun(creds)
  }

  /** The keys of the login. */
  get vault(): SessionVault {
    return this.#present.vault
  }

  /** The people whom the login knows. */
  get contacts(): Contacts {
    return this.#present.contacts
  }

  /** Begins the next login when this one has ended. The next login has no keys yet and knows no contacts. */
  beginNext(): void {
    this.#present = this.#begun({ generation: this.vault.generation + 1, creds: undefined })
  }

  #begun(creds: Creds) {
    return {
      vault: new SessionVault(this.#parts, creds),
      contacts: new Contacts(this.#parts, creds.generation),
    }
  }
}
