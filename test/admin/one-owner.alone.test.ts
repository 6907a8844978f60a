import { AsyncLocalStorage } from "node:async_hooks"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { takeBack, undoImport } from "#admin/move.ts"
import { exportBridges } from "#admin/move/export.ts"
import { importBridges } from "#admin/move/import.ts"
import { Refused } from "#admin/verb.ts"
import { markRestored } from "#core/bridge/after-restore.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { Lease } from "#core/lease/lease.ts"
import type { StoreWithoutHttp } from "#core/store/client.ts"
import { batchWrite, query, type Row, useStoreWithoutHttp } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { scryptCost } from "#one-machine/backup/sealed-file.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { giveTurns, inOneTurn, inTurns } from "#test/support/interleaved.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { dynamoDb } from "#test/support/store.ts"

/** How many interleavings are tried: a change of moves wants `OWNER_RUNS=10000`. */
const numRuns = Number(process.env.OWNER_RUNS ?? 200)
const passphrase = "correct horse battery staple"
const places = ["here", "there"] as const
type Place = (typeof places)[number]

/** A store for each of two services, and a folder for the files that travel between them. */
let stores: Record<Place, { answer: StoreWithoutHttp }>
const folder = mkdtempSync(join(tmpdir(), "one-owner-"))
const { N: usually } = scryptCost
let end = () => {}

beforeAll(async () => {
  scryptCost.N = 2
  const there = await startDynamoDb({ at: { port: 0 } })
  await createTables(there.endpoint)
  stores = { here: dynamoDb, there }
  const stop = useStoreWithoutHttp(async (...request) => {
    return await stores[doing.getStore() ?? "here"].answer(...request)
  })
  end = () => {
    stop()
    void there.close()
  }
})
afterAll(() => {
  end()
  scryptCost.N = usually
  rmSync(folder, { recursive: true })
})

/** At which service something is done. */
const doing = new AsyncLocalStorage<Place>()
const at = async <Result>(place: Place, work: () => Promise<Result>) => await doing.run(place, work)

/** Whether an operator was told by a sentence. */
function isSaid(error: unknown): boolean {
  return error instanceof Refused || error instanceof Unusable || error instanceof ApiError
}

const other = (place: Place) => (place === "here" ? "there" : "here")
const quiet = () => {}
const seen: Record<string, number> = {}

interface Given {
  path: string
  from: Place
  /** Where an operator has begun to import it. */
  to?: Place
}

/**
 * One bridge, two services, their operators, and the files. The operators keep to docs/one-machine.md,
 * "Move".
 */
class World {
  readonly bridge: Bridge.Info
  /** Files that were given away. Each is imported at one service alone, and deleted once it is there. */
  files: Given[] = []
  #backups: Partial<Record<Place, Map<string, Row[]>>> = {}
  /** Since its backup the bridge has left this service. */
  #left: Partial<Record<Place, boolean>> = {}
  /** The file that this service gave away last. */
  #given: Partial<Record<Place, Given>> = {}
  #takingBack = new Set<Place>()
  #named = 0

  constructor(bridge: Bridge.Info) {
    this.bridge = bridge
  }

  async export(place: Place, isSamePath: boolean): Promise<void> {
    const { id } = this.bridge
    const path = join(folder, `${id}-${place}-${isSamePath ? "same" : this.#named++}`)
    const bridge = await Bridge.byId(id)
    if (!bridge) return
    await exportBridges({ path, passphrase, bridges: [bridge] }, quiet)
    const file = { path, from: place }
    this.files.push(file)
    this.#given[place] = file
    this.#left[place] = true
    count("exported")
  }

  async import(place: Place): Promise<void> {
    const file = this.files.findLast(({ to = place }) => to === place)
    if (!file) return
    file.to = place
    try {
      await importBridges({ path: file.path, passphrase }, quiet)
    } finally {
      const lease = await Lease.get(this.bridge.id)
      if (lease && Lease.stateOf(lease) !== "moved") this.#remove(file)
    }
    count("imported")
  }

  async takeBack(place: Place): Promise<void> {
    if (this.#takingBack.has(place)) return
    this.#takingBack.add(place)
    try {
      const { id, customerRef } = this.bridge
      const told = await takeBack.run([id]).then(
        () => "",
        (error: Error) => error.message,
      )
      const given = this.#given[place]
      if (told.includes("it left in a file at") && !given?.to) {
        if (given) this.#remove(given)
        await takeBack.run([id, customerRef])
      }
      count("taken back")
    } finally {
      this.#takingBack.delete(place)
    }
  }

  async undoImport(): Promise<void> {
    await undoImport.run([this.bridge.id])
    count("undone")
  }

  async delete(): Promise<void> {
    const bridge = await Bridge.byId(this.bridge.id)
    if (bridge) await Bridge.remove(bridge)
    count("deleted")
  }

  /** All rows as they are at one moment. */
  async backup(place: Place): Promise<void> {
    this.#backups[place] = await inOneTurn("backup", async () => await this.#rows())
    this.#left[place] = false
  }

  /** As `backup restore` does it, after which the operator deletes what has moved since (docs/backup.md). */
  async restore(place: Place): Promise<void> {
    await inOneTurn("restore", async () => {
      const rows = this.#backups[place]
      if (!rows) return
      for (const [table, now] of await this.#rows())
        await batchWrite(now.map(({ pk, sk }) => ({ table, remove: { pk: String(pk), sk: String(sk) } })))
      for (const [table, then] of rows) await batchWrite(then.map((row) => ({ table, row })))
      await markRestored(this.bridge.id, Date.now())
      const lease = await Lease.get(this.bridge.id)
      if (this.#left[place] && lease && Lease.stateOf(lease) !== "moved") await this.delete()
      count("restored")
    })
  }

  async #rows(): Promise<Map<string, Row[]>> {
    const { id, accountId } = this.bridge
    const ofBridge = [tables.leases, tables.sessions, tables.events, tables.accounts]
    const found = new Map<string, Row[]>()
    for (const table of ofBridge) found.set(table, await rowsOf(table, id))
    const account = query({
      TableName: tables.accounts,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `ACCOUNT#${accountId}` },
    })
    found.get(tables.accounts)!.push(...(await Array.fromAsync(account)))
    return found
  }

  #remove(file: Given): void {
    this.files = this.files.filter((one) => one !== file)
    rmSync(file.path, { force: true })
  }

  /** The services that have the bridge, once every file that is left has come to one. */
  async owners(): Promise<Place[]> {
    for (const file of this.files) {
      const to = file.to ?? other(file.from)
      const importing = async () => void (await importBridges({ path: file.path, passphrase }, quiet))
      await at(to, async () => await unlessSaid(importing()))
    }
    return await this.#owners()
  }

  /** Where it was last, or is. */
  async livesAt(): Promise<Place> {
    const [owner] = await this.#owners()
    return owner ?? this.files.at(-1)?.from ?? "here"
  }

  async #owners(): Promise<Place[]> {
    const leases = await Promise.all(places.map((place) => at(place, () => Lease.get(this.bridge.id))))
    return places.filter((_, n) => {
      const lease = leases[n]
      return lease && lease.host !== Lease.GONE && Lease.stateOf(lease) !== "moved"
    })
  }
}

function count(what: string): void {
  seen[what] = (seen[what] ?? 0) + 1
}

const acts = {
  export: (world, place) => world.export(place, false),
  "export into the same file": (world, place) => world.export(place, true),
  import: (world, place) => world.import(place),
  "take back": (world, place) => world.takeBack(place),
  "undo import": (world) => world.undoImport(),
  delete: (world) => world.delete(),
  backup: (world, place) => world.backup(place),
  restore: (world, place) => world.restore(place),
} satisfies Record<string, (world: World, place: Place) => Promise<void>>
type Act = keyof typeof acts

const often = (weight: number, act: Act) => ({ weight, arbitrary: fc.constant(act) })
const Step = fc.record({
  /** Anywhere, or where it makes sense. */
  place: fc.option(fc.constantFrom(...places), { freq: 3 }),
  act: fc.oneof(
    often(6, "export"),
    often(2, "export into the same file"),
    often(8, "import"),
    often(3, "take back"),
    often(3, "undo import"),
    often(1, "delete"),
    often(3, "backup"),
    often(3, "restore"),
  ),
  mayDie: fc.boolean(),
  diesLate: fc.nat(25),
})
type Step = typeof Step extends fc.Arbitrary<infer Value> ? Value : never
/** What is done at once, and then what is done at once after that. */
const Life = fc.array(fc.array(Step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 })

async function live(scheduler: fc.Scheduler, rounds: Step[][]): Promise<void> {
  const world = new World(await aBridge())
  for (const round of rounds) {
    const lives = await world.livesAt()
    const works = round.map(async ({ place, act, mayDie, diesLate }, n) => {
      const natural = act === "import" || act === "undo import" ? other(lives) : lives
      const where = place ?? natural
      const work = async () => await at(where, async () => await unlessSaid(acts[act](world, where)))
      await inTurns(scheduler, `${n} ${act} ${where}`, work, { mayDie, diesLate })
    })
    await giveTurns(scheduler, works)
  }
  expect((await world.owners()).length).toBeLessThanOrEqual(1)
}

async function unlessSaid(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isSaid(error)) throw error
  })
}

test("however exports, imports, restores and take-backs interleave and die, a bridge has one owner at most", async () => {
  const property = fc.asyncProperty(fc.scheduler(), Life, live)
  await expect(fc.assert(property, { numRuns })).resolves.toBeUndefined()
  expect(Object.keys(seen)).toEqual(
    expect.arrayContaining(["exported", "imported", "taken back", "restored"]),
  )
}, 3_600_000)
