import { hash, randomUUID } from "node:crypto"
import type { Draft, Prepared } from "../draft-of-write.ts"
import type { Keeper, Located, Once, Range } from "../keeper.ts"
import { newLocks } from "../locks.ts"
import type { MayStayInMemory } from "../rows/rows.ts"
import {
  Definition,
  type Index,
  expiryOf,
  inIndex,
  type Keyed,
  keyNames,
  placeOfItem,
  type Place,
  sqlOf,
  type Table,
} from "../table.ts"
import { mismatch } from "../tokens.ts"
import type { Item } from "../values/value.ts"
import { type Answer, type Connections, connect, isAnswer, keyLiteral, literal } from "./connections.ts"
import { refusalOf, refuseServer } from "./refusals.ts"
import { openSchema, schemaLock } from "./schema.ts"

/** "A client request token is valid for 10 minutes", by the database's clock. */
const tokenLife = "10 minutes"
/** How many items are read at once, where nothing says how many there will be. */
const chunk = 100
/** "Items whose time to live is more than five years in the past are not deleted." In seconds. */
const ignoredS = 5 * 365 * 86_400
/** The lock of those who remove what has expired: one of all machines does. */
const expiryLock = 0x65_78_70_69

/** How a change's transaction is kept: durable, and ended by the server if this process is gone. */
const settings = (isPassing: boolean, mark: string) => `
  set_config('synchronous_commit', '${isPassing ? "off" : "on"}', true),
  set_config('lock_timeout', '2s', true), set_config('statement_timeout', '4s', true),
  set_config('idle_in_transaction_session_timeout', '4s', true), set_config('bridge.change', '${mark}', true)`

/**
 * Keeps rows in PostgreSQL, which several processes may share. Each table has its keys and those of its
 * indexes as columns, in the order of their bytes. A change locks its rows by name, also those that are not
 * there yet, in one order for all: so nobody waits in a circle.
 * @throws CannotStart
 */
export async function openPostgresKeeper(url: string, service: string): Promise<Keeper> {
  const connections = connect(url)
  try {
    await refuseServer(connections)
    await openSchema(connections, service)
  } catch (error) {
    await connections.close()
    throw error
  }
  return new PostgresKeeper(connections)
}

class PostgresKeeper implements Keeper {
  readonly #connections: Connections
  /** Those of one process wait here, not on a connection each. */
  readonly #hold = newLocks()
  readonly #relaxed = new Map<string, MayStayInMemory>()
  readonly #watched: { of: string; onWritten: (item: Item) => void }[] = []

  constructor(connections: Connections) {
    this.#connections = connections
  }

  definitions = async (): Promise<Definition[]> => {
    const [rows = []] = await this.#ask("SELECT definition FROM bridge_tables ORDER BY name")
    return rows.map(({ definition }) => Definition.parse(JSON.parse(definition!)))
  }

  create = async (table: Table): Promise<void> => {
    const columns = table.indexes.map((_, at) => `, hash${at} text COLLATE "C", range${at} text COLLATE "C"`)
    const { sql } = table
    const name = table.definition.TableName
    await this.#connections.alone((ask) =>
      ask(`BEGIN; SELECT pg_advisory_xact_lock(${schemaLock});
      CREATE TABLE IF NOT EXISTS ${sql} (hash text COLLATE "C", range text COLLATE "C", expires bigint,
        item text NOT NULL${columns.join("")}, PRIMARY KEY (hash, range));
      CREATE INDEX IF NOT EXISTS "expiry of ${name}" ON ${sql} (expires) WHERE expires IS NOT NULL;
      ${table.indexes
        .map(
          ({ sql: index }, at) =>
            `CREATE INDEX IF NOT EXISTS ${index} ON ${sql} (hash${at}, range${at}, hash, range) WHERE hash${at} IS NOT NULL;`,
        )
        .join("\n")}
      ${defining(table)}; COMMIT`),
    )
  }

  redefine = async (table: Table): Promise<void> => {
    await this.#ask(defining(table))
    const items = await this.page(table, table, { bounds: [], isDescending: false }, () => false)
    const steps = items.map((item) => stepOf(table, placeOfItem(table, item), item))
    if (steps.length > 0)
      await this.#connections.alone((ask) => ask(["BEGIN", ...steps, "COMMIT"].join(";\n")))
  }

  read = async (asked: Located[]): Promise<(Item | undefined)[]> => {
    if (asked.length === 0) return []
    const [rows = []] = await this.#ask(selecting(asked.map((one, at) => ({ ...one, at }))))
    return found(rows, asked.length)
  }

  page = async (table: Table, of: Keyed, range: Range, isLast: (item: Item) => boolean): Promise<Item[]> => {
    const items: Item[] = []
    for (let after = range.after; ;) {
      const [rows = []] = await this.#ask(`${pageOf(table, of, { ...range, after })} LIMIT ${chunk}`)
      for (const row of rows) {
        const whole = decoded(row.item!)
        const item = of === table ? whole : inIndex(table, of as Index, whole)
        items.push(item)
        if (isLast(item)) return items
        after = { place: placeOfItem(of, whole), inTable: placeOfItem(table, whole) }
      }
      if (rows.length < chunk) return items
    }
  }

  change: Keeper["change"] = async (writes, judge, _, once) => {
    const names = writes.map(({ name }) => name)
    const drafts = await this.#hold(once ? [...names, once.token] : names, () =>
      this.#connections
        .alone((ask) => this.#transact(ask, writes, judge, once))
        .catch((error: unknown) => {
          throw refusalOf(error)
        }),
    )
    for (const row of drafts.flatMap(({ rows }) => rows))
      for (const { of, onWritten } of this.#watched) if (row.item && row.of.sql === of) onWritten(row.item)
  }

  async #transact(
    ask: Connections["ask"],
    writes: Prepared[],
    judge: (before: (Item | undefined)[]) => Draft[],
    once: Once | undefined,
  ): Promise<Draft[]> {
    const mark = randomUUID()
    const isPassing = !once && writes.every(({ table, item }) => this.#isPassing(table, item))
    const locks = [...writes.map(({ name }) => name), ...(once ? [`token ${once.token}`] : [])].map(lockOf)
    const begin = [
      "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
      `SELECT ${settings(isPassing, mark)}`,
      `SELECT count(pg_advisory_xact_lock(l)) FROM unnest('{${locks.toSorted(byNumber).join(",")}}'::bigint[]) l`,
    ]
    const known = writes.flatMap(({ table, place, isBlind }, at) => (isBlind ? [] : [{ table, place, at }]))
    try {
      if (known.length === 0 && !once) return await put(ask, begin, judge(writes.map(() => undefined)))
      const finding = known.length > 0 ? [selecting(known)] : []
      const said = await ask([...begin, ...finding, ...(once ? [using(once)] : [])].join(";\n"))
      if (once && isDone(said.at(-1), once)) {
        await ask("ROLLBACK")
        return []
      }
      const drafts = judge(found(finding.length > 0 ? said[begin.length]! : [], writes.length))
      // It fails where the transaction above is not this connection's, as behind a pooler that shares single
      // statements.
      const check = `SELECT 1 / (coalesce(current_setting('bridge.change', true), '') = '${mark}')::int`
      return await put(ask, [check, ...(once ? [noting(once)] : [])], drafts)
    } catch (error) {
      if (isAnswer(error)) await ask("ROLLBACK")
      throw error
    }
  }

  /** Removes old tokens, and what has expired by the database's clock: one process does so at a time. */
  expire = async (): Promise<void> => {
    const isOurs = `(SELECT pg_try_advisory_xact_lock(${expiryLock}))`
    const now = "extract(epoch FROM now())::bigint"
    const steps = (await this.definitions()).map(
      ({ TableName: name }) =>
        `DELETE FROM ${sqlOf(name)} WHERE expires < ${now} AND expires > ${now} - ${ignoredS} AND ${isOurs}`,
    )
    const tokens = `DELETE FROM bridge_tokens WHERE at < now() - interval '${tokenLife}' AND ${isOurs}`
    for (const step of [...steps, tokens]) await this.#ask(step)
  }

  /** Every machine goes by the database's clock. */
  isClockDoubted = (): boolean => false

  relax = (table: string, isPassing: MayStayInMemory): void => void this.#relaxed.set(sqlOf(table), isPassing)

  watch = (table: string, onWritten: (item: Item) => void): void =>
    void this.#watched.push({ of: sqlOf(table), onWritten })

  close = (): Promise<void> => this.#connections.close()

  #isPassing(table: Table, item: Item): boolean {
    return this.#relaxed.get(table.sql)?.(item, false) ?? false
  }

  async #ask(statements: string): Promise<Answer[]> {
    try {
      return await this.#connections.ask(statements)
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** Writes drafts in the transaction that `before` begins or goes on, and ends it. */
async function put(ask: Connections["ask"], before: string[], drafts: Draft[]): Promise<Draft[]> {
  const steps = drafts.flatMap(({ rows }) =>
    // A draft's rows are of its table. Those of indexes are columns here.
    rows.map(({ of, place, item }) => stepOf(of as Table, place, item)),
  )
  await ask([...before, ...steps, "COMMIT"].join(";\n"))
  return drafts
}

function stepOf(table: Table, place: Place, item: Item | undefined): string {
  const { sql, indexes } = table
  if (!item) return `DELETE FROM ${sql} WHERE ${at(place)}`
  const inIndexes = indexes.flatMap((index) => {
    const isIn = keyNames(index).every((name) => item[name])
    const { hash: partition, range } = isIn ? placeOfItem(index, item) : { hash: undefined, range: undefined }
    return [partition, range].map((key) => (key === undefined ? "NULL" : keyLiteral(key)))
  })
  const columns = ["expires", "item", ...indexes.flatMap((_, n) => [`hash${n}`, `range${n}`])]
  const values = [
    keyLiteral(place.hash),
    keyLiteral(place.range),
    String(expiryOf(table, item) ?? "NULL"),
    literal(JSON.stringify(item)),
    ...inIndexes,
  ]
  return `INSERT INTO ${sql} (hash, range, ${columns.join(", ")}) VALUES (${values.join(", ")})
    ON CONFLICT (hash, range) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`
}

const at = ({ hash: partition, range }: Place) =>
  `hash = ${keyLiteral(partition)} AND range = ${keyLiteral(range)}`

/** Finds items, each with its number. */
function selecting(asked: (Located & { at: number })[]): string {
  return asked
    .map(({ table, place, at: n }) => `SELECT ${n} AS at, item FROM ${table.sql} WHERE ${at(place)}`)
    .join(" UNION ALL ")
}

/** The items that were found, by their numbers. */
function found(rows: Answer, count: number): (Item | undefined)[] {
  const items = Array.from<Item | undefined>({ length: count })
  for (const row of rows) items[Number(row.at)] = decoded(row.item!)
  return items
}

function pageOf(table: Table, of: Keyed, { hash: partition, bounds, isDescending, after }: Range): string {
  const n = of === table ? "" : String(table.indexes.indexOf(of as Index))
  const [behind, order] = isDescending ? ["<", "DESC"] : [">", "ASC"]
  const columns = [`hash${n}`, `range${n}`, ...(of === table ? [] : ["hash", "range"])]
  const places = after && (of === table ? [after.place] : [after.place, after.inTable])
  const cursor = places?.flatMap((one) => [one.hash, one.range]).map(keyLiteral)
  const tests = [
    ...(partition === undefined ? [] : [`hash${n} = ${keyLiteral(partition)}`]),
    ...bounds.map(({ by, value }) => `range${n} ${by} ${keyLiteral(value)}`),
    ...(cursor ? [`(${columns.join(", ")}) ${behind} (${cursor.join(", ")})`] : []),
  ]
  const where = tests.length > 0 ? `WHERE ${tests.join(" AND ")}` : ""
  const ordered = columns.map((column) => `${column} ${order}`).join(", ")
  return `SELECT item FROM ${table.sql} ${where} ORDER BY ${ordered}`
}

function defining({ definition }: Table): string {
  return `INSERT INTO bridge_tables VALUES (${literal(definition.TableName)}, ${literal(JSON.stringify(definition))})
    ON CONFLICT (name) DO UPDATE SET definition = excluded.definition`
}

function using({ token }: Once): string {
  return `SELECT content FROM bridge_tokens WHERE token = ${literal(token)} AND at > now() - interval '${tokenLife}'`
}

function noting({ token, content }: Once): string {
  return `INSERT INTO bridge_tokens VALUES (${literal(token)}, ${literal(content)}, now())
    ON CONFLICT (token) DO UPDATE SET content = excluded.content, at = excluded.at`
}

/** Whether this request was carried out already. @throws Refusal if another was, under its token */
function isDone(uses: Answer | undefined, { content }: Once): boolean {
  const [use] = uses ?? []
  if (use && use.content !== content) throw mismatch()
  return use !== undefined
}

/** The number by which PostgreSQL locks a name. Two names with one number wait for each other, no more. */
const lockOf = (name: string) => hash("sha1", name, "buffer").readBigInt64BE()
const byNumber = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b))

/** An item as this store has written it. */
const decoded = (text: string) => JSON.parse(text) as Item
