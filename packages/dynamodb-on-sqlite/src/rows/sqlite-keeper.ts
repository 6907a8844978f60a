import { BelievedClock, clockTable, type Means } from "../believed-clock.ts"
import type { Draft, Prepared } from "../draft-of-write.ts"
import { DraftWriter } from "../draft-writer.ts"
import { expire } from "../expire.ts"
import type { Call, Faults } from "../faults.ts"
import type { Keeper, Once, Range } from "../keeper.ts"
import { newLocks } from "../locks.ts"
import { creationSteps, Definition, rowOf, sqlOf, type Table, tableOf } from "../table.ts"
import { Tokens } from "../tokens.ts"
import type { Item } from "../values/value.ts"
import type { Step } from "./commit.ts"
import { Rows } from "./rows.ts"
import type { SqliteFile } from "./sqlite-file.ts"

/** Keeps rows in SQLite's file, which this process alone has. `broken` is called when the disk has failed. */
export async function openSqliteKeeper(
  file: SqliteFile,
  faults: Faults,
  options: Means & { broken: (why: string) => void },
): Promise<Keeper> {
  const rows = new Rows(file, options.broken)
  await rows.change([
    ["CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, definition TEXT NOT NULL)"],
    clockTable,
  ])
  const closing = new AbortController()
  const writer = new DraftWriter(rows, faults, closing.signal)
  const believedClock = new BelievedClock(rows, options)
  const hold = newLocks()
  const tokens = new Tokens()
  const all = new Map<string, Table>()
  const definitions = () =>
    rows.ask("SELECT definition FROM tables").map(({ definition }) => {
      const known = Definition.parse(JSON.parse(definition as string))
      all.set(known.TableName, tableOf(known))
      return known
    })

  async function define(table: Table, steps: Step[]): Promise<void> {
    const { TableName: name } = table.definition
    const text = JSON.stringify(table.definition)
    await rows.change([...steps, ["INSERT OR REPLACE INTO tables VALUES (?, ?)", name, text]])
    all.set(name, table)
  }

  async function write(writes: Prepared[], judge: (before: (Item | undefined)[]) => Draft[], call: Call) {
    const names = writes.map(({ name }) => name)
    await hold(names, async () => {
      const drafts = judge(
        writes.map(({ isBlind, table, place }) => (isBlind ? undefined : rows.read(table, place))),
      )
      await writer.apply(drafts, call)
    })
  }

  return {
    definitions,
    create: (table) => define(table, [table, ...table.indexes].flatMap(creationSteps)),
    redefine: async (table) => {
      await define(table, [])
      const items = [...rows.select(table, "", [])]
      await rows.write(items.map((item) => rowOf(table, item)))
    },
    read: (asked) => asked.map(({ table, place }) => rows.read(table, place)),
    page: (_, of, range, isLast) => {
      const { sql, values } = whereOf(range)
      const items: Item[] = []
      for (const item of rows.select(of, sql, values)) if (items.push(item) && isLast(item)) break
      return items
    },
    change: async (writes, judge, call, once?: Once) => {
      const work = () => write(writes, judge, call)
      await (once ? tokens.once(once.token, once.content, work) : work())
    },
    expire: () => expire({ tables: all.values(), rows, hold, writer, believedClock }),
    isClockDoubted: () => believedClock.time() === undefined,
    relax: (table, isPassing) => rows.relax(sqlOf(table), isPassing),
    watch: (table, onWritten) => rows.watch(sqlOf(table), onWritten),
    close: async () => {
      closing.abort()
      await writer.settled()
      await rows.close()
    },
  }
}

/** A range in SQL. Within one partition the cursor leaves its key out, so that SQLite begins behind it. */
function whereOf({ hash, bounds, isDescending, after }: Range): { sql: string; values: string[] } {
  const [behind, order] = isDescending ? ["<", "DESC"] : [">", "ASC"]
  const isWhole = hash === undefined
  const cursor = after && [...(isWhole ? [after.place.hash] : []), after.place.range, after.place.own]
  const tests = [
    ...(isWhole ? [] : ["hash = ?"]),
    ...bounds.map(({ by }) => `range ${by} ?`),
    ...(cursor
      ? [`(${isWhole ? "hash, " : ""}range, own) ${behind} (${cursor.map(() => "?").join(", ")})`]
      : []),
  ]
  const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : ""
  return {
    sql: `${where} ORDER BY hash ${order}, range ${order}, own ${order}`,
    values: [...(isWhole ? [] : [hash]), ...bounds.map(({ value }) => value), ...(cursor ?? [])],
  }
}
