import { createHash } from "node:crypto"
import { getExtension } from "hono/utils/mime"
import { z } from "zod"
import type { Event } from "#contract/event.ts"
import type { MediaStore as Store } from "#contract/media-store.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { MediaStore } from "#core/bridge/media-store.ts"
import { ApiError } from "#core/error.ts"
import { CustomerBucket } from "#core/files/customer-bucket.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { toJid } from "#core/message/jid.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import { mediaOf } from "../content/content.ts"
import { chatOf, type Remembered } from "../content/remembered.ts"
import { unwrap } from "../content/unwrap.ts"
import { bringFile } from "../media/download.ts"
import { contentTypeOf } from "../media/kind-and-content-type.ts"
import type { Commits } from "../memory/commits.ts"
import type { Messages } from "../memory/messages/messages.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { SessionStore } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection } from "../network/connection.ts"
import { NetworkRejected, NoAnswer } from "../network/errors.ts"
import type { EventOutbox } from "../receive/outbox.ts"

/** The prefix of the rows' keys: files that wait, by the number of their event. */
const prefix = "TO_STORE#"

const Waiting = z.object({ id: z.string(), chat: z.string(), key: z.string(), atMs: z.number() })
type Waiting = z.infer<typeof Waiting> & { sk: string }

/** How long a store that takes nothing is left alone after each failure, as multiples of the first wait. */
const waits = [1, 3, 6, 30]
/** Contract, "Your own S3": after how many of the first waits a file is given up: an hour, and a day. */
const patience = { ofStore: 360, withoutConnection: 8640 }

/** How many files this process stores at once, and how many of one account: one slow store stops no other. */
const uploads = new Slots({ most: 6, each: 2 })

interface OwnStoreParts {
  bridgeId: string
  deliveryKey: Uint8Array
  store: SessionStore
  commits: Pick<Commits, "whenKept">
  outbox: () => Pick<EventOutbox, "append">
  messages: Messages
  login: { vault: Pick<SessionVault, "phoneOf" | "namesOf"> }
  choice: () => Choice.Info
  /** Aborted when the session has ended. */
  ended: AbortSignal
  /** How long to wait after a first failure. */
  againMs: number
  log: Logger
}

/**
 * Files of messages on their way into the customer's own S3 (Contract, "Your own S3"). A message's event goes
 * out at once and says where its file will be. A row of the same unit has the file stored, in order, by this
 * host or the next. Whatever becomes of it is an event as well, in the unit that removes the row: so a store
 * that refuses or hangs delays nothing else.
 */
export class OwnStore {
  readonly #parts: OwnStoreParts
  #mayWait = true
  #isBusy = false
  #failures = 0
  #notBefore = 0
  /** Called when a file waits. */
  onWork: () => void = () => {}

  constructor(parts: OwnStoreParts) {
    this.#parts = parts
  }

  get #store(): Store | undefined {
    const { choice, bridgeId, deliveryKey } = this.#parts
    const { mediaStore } = choice()
    return mediaStore && MediaStore.opened(mediaStore, bridgeId, deliveryKey)
  }

  /** The event; that of a message with a file says where the file will be. */
  announced(event: Event): Event {
    if (event.event !== "message" || !event.file || event.edit) return event
    const store = this.#store
    if (!store) return event
    const { bridgeId } = this.#parts
    const named = [bridgeId, event.chat_id, event.contact_id, event.message_id]
    const name = createHash("sha256").update(JSON.stringify(named)).digest("hex").slice(0, 32)
    const day = new Date(event.timestamp * 1000).toISOString().slice(0, 10)
    const extension = getExtension(contentTypeOf(event.file.content_type)) ?? "bin"
    const stored_as = CustomerBucket.placeOf(store, `${store.prefix}${day}/${name}.${extension}`)
    return { ...event, file: { ...event.file, stored_as } }
  }

  /** What makes the file of event `n` wait, if `announced` has said that it will be stored. */
  writes(event: Event, n: number): UnitWrite[] {
    if (event.event !== "message" || !event.file?.stored_as) return []
    const { message_id: id, chat_id: chat } = event
    const waiting = { id, chat, key: event.file.stored_as.key, atMs: nowMs() }
    this.#mayWait = true
    setImmediate(() => this.onWork())
    const sk = `${prefix}${String(n).padStart(15, "0")}`
    // One that is left behind by a customer who wants no files any more goes by itself.
    return [this.#parts.store.put(sk, JSON.stringify(waiting), { expires_at: now() + 7 * 86_400 })]
  }

  /**
   * Stores the files that wait, until none does or one cannot be stored now.
   * @param connection the one to fetch files with; undefined while there is none
   * @throws SessionEnded
   */
  async storeAll(connection: Connection | undefined): Promise<void> {
    if (this.#isBusy || !this.#mayWait || performance.now() < this.#notBefore) return
    this.#isBusy = true
    try {
      for (let store = this.#store; store && !this.#parts.ended.aborted; store = this.#store) {
        const [next] = await this.#parts.store.page(prefix, { limit: 1 })
        this.#mayWait = next !== undefined
        if (!next) return
        const waiting = { sk: next.sk, ...Waiting.parse(JSON.parse(next.secret.toString())) }
        if (!(await this.#tryOne(waiting, store, connection))) return
      }
    } finally {
      this.#isBusy = false
    }
  }

  /** @returns whether it is done with, so that the next one's turn has come */
  async #tryOne(waiting: Waiting, store: Store, connection: Connection | undefined): Promise<boolean> {
    const { againMs, log } = this.#parts
    const failed = connection ? await this.#storeOne(waiting, store, connection) : noConnection
    if (failed === undefined) {
      this.#failures = 0
      await this.#tell(waiting, CustomerBucket.placeOf(store, waiting.key))
      return true
    }
    const { why, isFinal } = failed
    const mostMs = againMs * (connection ? patience.ofStore : patience.withoutConnection)
    if (isFinal || nowMs() - waiting.atMs > mostMs) {
      await this.#tell(waiting, { bucket: store.bucket, key: waiting.key, error: why })
      return true
    }
    log.info({ why }, "a file was not put into its customer's store")
    const wait = waits[Math.min(this.#failures++, waits.length - 1)]!
    this.#notBefore = performance.now() + wait * againMs
    return false
  }

  /** @throws SessionEnded */
  async #storeOne(waiting: Waiting, store: Store, connection: Connection): Promise<Failed | undefined> {
    const { bridgeId: share, log } = this.#parts
    try {
      const message = await this.#messageOf(waiting)
      const media = message && mediaOf(unwrap(message.content))
      if (!media) return { why: "the message was revoked, or is not remembered", isFinal: true }
      const contentType = contentTypeOf(media.mimetype)
      const work = async (folder: string) => {
        const path = await bringFile(connection, { message, media }, folder)
        await CustomerBucket.put(store, { path, key: waiting.key, contentType, share })
      }
      const owner = await Bridge.accountOf(share)
      await uploads.use(() => FilesOnDisk.inFolder(share, work), owner)
      return undefined
    } catch (error) {
      if (error instanceof SessionEnded) throw error
      return failedBy(error, log)
    }
  }

  async #messageOf({ id, chat }: Waiting): Promise<Remembered | undefined> {
    const { messages, login } = this.#parts
    const names = await login.vault.namesOf(toJid(chat))
    const found = (await messages.all(id)).filter(({ content }) => mediaOf(unwrap(content)))
    for (const message of found) if (names.has(await login.vault.phoneOf(chatOf(message)))) return message
    // A broadcast list's chat is that of its sender.
    return found.length === 1 ? found[0] : undefined
  }

  /** Tells what has become of a file, and forgets it. */
  async #tell({ sk, id, chat }: Waiting, outcome: { bucket: string; key: string; error?: string }) {
    const { outbox, store, commits } = this.#parts
    const about = { event: "media_stored", message_id: id, chat_id: chat, timestamp: now() } as const
    const event = { ...about, ...outcome }
    await commits.whenKept(
      await outbox().append(() => [{ identity: ["media_stored", sk], event }], [store.remove(sk)]),
    )
  }
}

/** Why a file was not stored, in a sentence; `isFinal`: it never will be. */
interface Failed {
  why: string
  isFinal: boolean
}

const noConnection: Failed = { why: "the number was not connected for a day", isFinal: false }

function failedBy(error: unknown, log: Logger): Failed {
  if (error instanceof ApiError)
    return { why: error.message, isFinal: ["media_expired", "payload_too_large"].includes(error.code) }
  const refusal = CustomerBucket.refusalOf(error)
  if (refusal !== undefined) return { why: `the store did not take it: ${refusal}`, isFinal: false }
  if (error instanceof NetworkRejected || error instanceof NoAnswer)
    return { why: "the network did not give the file", isFinal: false }
  log.error({ error }, "a file could not be put into its customer's store")
  return { why: "an error of this service", isFinal: false }
}

interface StoringInput {
  ownStore: OwnStore
  /** How often to look for what may be stored now, ms. */
  eachMs: number
  connection: () => Connection | undefined
  onError: (error: unknown) => void
}

/** Stores from now on what waits. @returns a function that ends this */
export function startStoring({ ownStore, eachMs, connection, onError }: StoringInput): () => void {
  const look = () => void ownStore.storeAll(connection()).catch(onError)
  ownStore.onWork = look
  const looking = setInterval(look, eachMs).unref()
  return () => {
    ownStore.onWork = () => {}
    clearInterval(looking)
  }
}
