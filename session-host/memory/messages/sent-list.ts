import { setTimeout as sleep } from "node:timers/promises"
import { invalid, sessionUnavailable } from "#core/error.ts"
import type { Commits } from "../commits.ts"
import type { SessionStore } from "../rows.ts"
import { type Sent, sentMessages, sentTimes } from "./sent.ts"

/** How many messages are listed: the latest ones. */
const most = 10_000
/** How many rows are read at a time. */
const atOnce = 50
/** How long a call waits while the list is read, in ms. */
const waitMs = 3000

interface Place {
  messageId: string
  askedMs: number
}

/**
 * Which messages the API has sent, in order. Their rows are named by ids that say nothing about the time, and
 * a list in the store would cost a write for each send. So the first call for the list reads the rows once.
 * From then on the session knows the order, since it alone sends. A session whose messages no customer lists
 * reads and remembers nothing.
 */
export class SentList {
  readonly #store: SessionStore
  readonly #commits: Pick<Commits, "made" | "whenKept">
  /** The latest last. */
  #places: Place[] = []
  #loading: Promise<void> | undefined

  constructor(input: { store: SessionStore; commits: Pick<Commits, "made" | "whenKept"> }) {
    this.#store = input.store
    this.#commits = input.commits
  }

  /** Notes that a message is about to be sent. If it does not leave, it has no row and is not listed. */
  note({ messageId, askedMs = 0 }: { messageId: string; askedMs?: number | undefined }): void {
    if (!this.#loading) return
    this.#places.push({ messageId, askedMs })
    if (this.#places.length > 2 * most) this.#places = latest(this.#places)
  }

  /**
   * The messages, newest first, that come behind the message of this id.
   * @throws ApiError `invalid_request` for an id that is not in the list, `session_unavailable` while the
   * list is being read; SessionEnded
   */
  async *behind(after: string | undefined): AsyncGenerator<Sent> {
    const isRead = await Promise.race([this.#load().then(() => true), sleep(waitMs, false, { ref: false })])
    if (!isRead) throw sessionUnavailable("the list of messages that were sent is being read: try again")
    yield* this.#after(after)
  }

  /** All messages, newest first, however long it takes to read the list. @throws SessionEnded */
  async *all(): AsyncGenerator<Sent> {
    await this.#load()
    yield* this.#after(undefined)
  }

  async *#after(after: string | undefined): AsyncGenerator<Sent> {
    // A send that is repeated before it has a row is noted twice.
    const ids = [...new Set(this.#places.map(({ messageId }) => messageId).toReversed())]
    const from = after === undefined ? 0 : ids.indexOf(after) + 1
    if (after !== undefined && from === 0) throw notInList()
    for (let i = from; i < ids.length; i += atOnce) {
      const some = ids.slice(i, i + atOnce)
      const found = new Map((await sentMessages(this.#store, some)).map((sent) => [sent.messageId, sent]))
      for (const id of some) {
        const sent = found.get(id)
        if (sent) yield sent
      }
    }
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined
      this.#places = []
      throw error
    })
    await this.#loading
  }

  async #read(): Promise<void> {
    await this.#commits.whenKept(this.#commits.made)
    let read: Place[] = []
    for await (const place of sentTimes(this.#store)) if (read.push(place) > 2 * most) read = latest(read)
    const known = new Set(this.#places.map(({ messageId }) => messageId))
    this.#places = [...latest(read.filter(({ messageId }) => !known.has(messageId))), ...this.#places]
  }
}

function latest(places: Place[]): Place[] {
  return places.toSorted((a, b) => a.askedMs - b.askedMs).slice(-most)
}

function notInList() {
  const message =
    "not one of the latest 10,000 messages that this bridge has sent: leave it out to begin with the newest"
  return invalid([{ path: "after", message }])
}
