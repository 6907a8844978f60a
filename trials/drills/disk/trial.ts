import { EventEmitter, once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import { type Random, seeded } from "#test/support/random.ts"
import { mountSmallDisk } from "#test/support/small-disk.ts"
import type { Kind } from "./judge.ts"
import { type Break, NotStarted, startStore, type Store } from "./store.ts"
import { index, isAnswer, table, Writer } from "./writer.ts"

/**
 * What a trial found wrong: in the data, or that the store ended, or that it refused although there was room.
 */
export type Fault = Kind | "crashed" | "stuck"

export interface Outcome {
  faults: Fault[]
  confirmed: number
  refused: number
  unknown: number
  /** Starts that were refused for want of room. */
  notStarted: number
}

export interface Options {
  seed: number
  broken: Break | undefined
  /** A file system of its own; otherwise the file may only have so many pages, which needs no rights. */
  mounts: boolean
}

/**
 * One store under random writes: its disk is filled and freed at random moments, it is killed or stopped at
 * another, and started again. Compares what it holds with what it confirmed.
 */
export async function trial(options: Options): Promise<Outcome> {
  const random = seeded(options.seed)
  const disk = options.mounts ? smallDisk(random) : fewPages(random)
  try {
    return await new Trial(options, random, disk).run()
  } finally {
    disk.remove()
  }
}

/** Where the store is, and how it comes to have no room. */
interface Disk {
  folder: string
  fill: (store: Store) => Promise<void> | void
  free: (store?: Store) => Promise<void> | void
  remove: () => void
}

function smallDisk(random: Random): Disk {
  const disk = mountSmallDisk(random.between(6, 11))
  return { ...disk, fill: () => disk.fill(random.next() < 0.5 ? 0 : random.below(300_000)) }
}

const unlimited = 2 ** 30

function fewPages(random: Random): Disk {
  const folder = mkdtempSync(join(tmpdir(), "messaging-bridge-pages-"))
  return {
    folder,
    // At the least what it has.
    fill: (store) => store.limit(random.between(1, 30)),
    free: (store) => store?.limit(unlimited),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

class Trial {
  readonly #options: Options
  readonly #random: Random
  readonly #disk: Disk
  readonly #answers = new EventEmitter()
  readonly #outcome: Outcome = { faults: [], confirmed: 0, refused: 0, unknown: 0, notStarted: 0 }
  #store!: Store
  #client!: DynamoDBDocumentClient
  #writers: Writer[] = []
  /** Whether there is room, and how often there was none. */
  #room = true
  #fills = 0

  constructor(options: Options, random: Random, disk: Disk) {
    this.#options = options
    this.#random = random
    this.#disk = disk
  }

  async run(): Promise<Outcome> {
    await this.#start()
    await this.#client.send(definition)
    this.#writers = Array.from(
      { length: this.#random.between(1, 7) },
      (_, at) => new Writer(`writer-${at}`, seeded(this.#options.seed * 100 + at), this.#client),
    )
    const full = await this.#live()
    await this.#startAgain(full)
    await Promise.all(this.#writers.map((writer) => writer.look()))
    // It lives on, in the file that it found.
    await this.#writeUntil(async () => await this.#answered(this.#random.between(1, 30)))
    await this.#startAgain(false)
    await Promise.all(this.#writers.map((writer) => writer.look()))
    await this.#end("SIGKILL")
    for (const { faults } of this.#writers) this.#outcome.faults.push(...faults)
    return this.#outcome
  }

  /**
   * Writes while the disk is filled and freed, until the store is ended. @returns whether it was full then
   */
  async #live(): Promise<boolean> {
    const endsFull = this.#random.next() < 0.3
    await this.#writeUntil(async () => {
      await this.#answered(this.#random.below(60))
      for (let rounds = this.#random.between(1, 4); rounds > 0; rounds--) {
        await this.#fill()
        await this.#answered(this.#random.between(1, 60))
        if (rounds === 1 && endsFull) return
        await this.#free()
        await this.#answered(this.#random.between(this.#writers.length, 60))
      }
    })
    return endsFull
  }

  /**
   * All write until `moment` has passed; then the store is ended in the midst of it, in one way or the other.
   */
  async #writeUntil(moment: () => Promise<void>): Promise<void> {
    const writing = this.#writers.map((writer) => this.#write(writer))
    await Promise.race([moment(), this.#store.ended])
    await this.#end(this.#random.next() < 0.6 ? "SIGKILL" : "SIGTERM")
    await Promise.all(writing)
  }

  async #write(writer: Writer): Promise<void> {
    for (;;) {
      const [room, fills] = [this.#room, this.#fills]
      const outcome = await writer.step().catch((error: unknown) => {
        // The end of the store has cut a look short.
        if (error instanceof Error && !isAnswer(error)) return "unknown" as const
        throw error
      })
      this.#outcome[outcome] += 1
      if (outcome === "refused" && room && fills === this.#fills) this.#outcome.faults.push("stuck")
      this.#answers.emit("answer")
      if (outcome === "unknown") return
    }
  }

  async #fill(): Promise<void> {
    this.#fills += 1
    this.#room = false
    await this.#disk.fill(this.#store)
  }

  async #free(): Promise<void> {
    await this.#disk.free(this.#store)
    this.#room = true
  }

  async #answered(count: number): Promise<void> {
    for (let left = count; left > 0; left--) await once(this.#answers, "answer")
  }

  async #start(): Promise<void> {
    this.#store = await startStore({ folder: this.#disk.folder, broken: this.#options.broken })
    this.#client = clientOf(this.#store.endpoint)
    for (const writer of this.#writers) writer.use(this.#client)
  }

  /** On a full disk it may refuse to start, with a sentence; with room it never may. */
  async #startAgain(full: boolean): Promise<void> {
    if (full && this.#random.next() < 0.5) return await this.#startFull()
    await this.#disk.free()
    this.#room = true
    await this.#start()
  }

  async #startFull(): Promise<void> {
    try {
      await this.#start()
      await Promise.all(this.#writers.map((writer) => writer.look()))
      await this.#free()
    } catch (error) {
      if (!(error instanceof NotStarted) || !/^[^\n]+$/.test(error.message)) throw error
      this.#outcome.notStarted += 1
      await this.#disk.free()
      this.#room = true
      await this.#start()
    }
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const how = await this.#store.end(signal)
    this.#client.destroy()
    if (how !== (signal === "SIGKILL" ? signal : 0)) {
      this.#outcome.faults.push("crashed")
      console.error(this.#store.said())
    }
  }
}

function clientOf(endpoint: string): DynamoDBDocumentClient {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint, region: "local", credentials, maxAttempts: 1 }),
  )
}

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: "HASH" as const },
  { AttributeName: range, KeyType: "RANGE" as const },
]

const definition = new CreateTableCommand({
  TableName: table,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk", "host"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: keys("pk", "sk"),
  GlobalSecondaryIndexes: [
    { IndexName: index, KeySchema: keys("host", "sk"), Projection: { ProjectionType: "ALL" } },
  ],
})
