import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import postgres from "postgres"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { alreadyMoved, hasMoved, movedName, mustBeAtRest, type OpenFiles } from "./at-rest.ts"

/** A row: its values by the names of their columns. */
export type Row = Record<string, string | number | boolean | Uint8Array | null>

/** A database of another program, which is read and never written. */
export interface Database {
  /** Where it is, for a person, without a password. */
  place: string
  /** Its file; undefined: it is on a server. */
  file?: string
  tables: ReadonlySet<string>
  /** The rows of a query, whose values are named `$1`, `$2` and so on. */
  rows: (query: string, ...values: (string | number)[]) => AsyncIterable<Row>
  /** @throws Unusable unless nobody else uses it, as far as one can see */
  mustRest: (open: OpenFiles) => Promise<void>
  close: () => Promise<void>
}

/** Whether this is the address of a database on a server, and no path. */
export function isPostgres(where: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(where) && URL.canParse(where)
}

/** SQLite's code for a file that is something else. */
const noDatabase = 26

/**
 * Opens a copy of a file of SQLite, so that the file stays as it is. What a program that was killed has left
 * beside it belongs to it.
 * @throws Unusable when it is none, or damaged
 */
export function openSqlite(file: string): Database {
  const parts = ["", "-wal", "-journal"].map((end) => `${file}${end}`).filter((part) => existsSync(part))
  const asCopied = parts.map(versionOf)
  const folder = mkdtempSync(join(tmpdir(), "move-in-"))
  try {
    for (const part of parts) copyFileSync(part, join(folder, basename(part)))
    const db = new DatabaseSync(join(folder, basename(file)), { enableForeignKeyConstraints: false })
    // Takes into the copy what lies beside it.
    db.exec("PRAGMA temp_store = memory; PRAGMA journal_mode = delete; PRAGMA query_only = on")
    const found = db.prepare("PRAGMA quick_check(1)").get()?.quick_check
    if (found !== "ok") throw new Error(String(found))
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return {
      place: file,
      file,
      tables: new Set(names.map(({ name }) => String(name))),
      async *rows(query, ...values) {
        const named = Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]))
        yield* db.prepare(query).iterate(named) as Iterable<Row> // no number is read as a BigInt
      },
      async mustRest(open) {
        if (hasMoved(file)) throw alreadyMoved(file.slice(0, -movedName("").length))
        mustBeAtRest(parts, open)
        if (parts.some((part, at) => versionOf(part) !== asCopied[at]))
          throw new Unusable(`${file} was changed while it was read: stop what writes it, and begin again`)
      },
      async close() {
        db.close()
      },
    }
  } catch (error) {
    const { code, errcode } = error as { code?: string; errcode?: number }
    if (code === "ENOSPC")
      throw new Unusable(`${tmpdir()} has no room for a copy of ${file}: TMPDIR names another folder`)
    const isNone = errcode === noDatabase
    const what = isNone ? "is no database of SQLite" : "is damaged, as SQLite says"
    throw new Unusable(`${file} ${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  } finally {
    // The copy is open, and has no name from here on: it is gone when this process is.
    rmSync(folder, { recursive: true })
  }
}

function versionOf(path: string): string {
  const { size, mtimeMs } = statSync(path)
  return `${size} ${mtimeMs}`
}

/** Renames a file of SQLite whose sessions are all here. May be repeated. */
export function setAside(file: string): void {
  if (hasMoved(file)) return
  for (const end of ["-wal", "-shm", "-journal", ""])
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${movedName(file)}${end}`)
}

/** Parameters in the addresses of Evolution that only Prisma, its database client, understands. */
const toPrisma = ["pgbouncer", "connection_limit", "pool_timeout", "connect_timeout", "socket_timeout"]

/** An address as PostgreSQL takes it, and the schema that it names: where tables are looked for. */
export function placeInPostgres(address: string): { address: string; schema: string | undefined } {
  const url = new URL(address)
  const schema = url.searchParams.get("schema") ?? undefined
  for (const name of ["schema", ...toPrisma]) url.searchParams.delete(name)
  return { address: url.href, schema }
}

/** How many rows a server gives at a time. */
const atOnce = 100

/** @throws Unusable when it cannot be reached */
export async function openPostgres(given: string): Promise<Database> {
  const { address, schema } = placeInPostgres(given)
  const { host, pathname } = new URL(address)
  const place = `${host}${pathname}`
  const sql = postgres(address, {
    max: 1,
    onnotice() {},
    fetch_types: false,
    connect_timeout: 10,
    connection: {
      application_name: "move-in",
      default_transaction_read_only: true,
      ...(schema !== undefined && { search_path: schema }),
    },
  })
  const rows: Database["rows"] = async function* (query, ...values) {
    for await (const some of sql.unsafe(query, values).cursor(atOnce)) yield* some
  }
  try {
    const named =
      "SELECT table_name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))"
    const tables = new Set<string>()
    for await (const { table_name: name } of rows(named)) tables.add(String(name))
    return { place, tables, rows, mustRest: () => mustBeAlone(place, rows), close: () => sql.end() }
  } catch (error) {
    await sql.end()
    throw new Unusable(`${place} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

async function mustBeAlone(place: string, rows: Database["rows"]): Promise<void> {
  const others = `SELECT count(*) AS n, max(application_name) AS name FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  for await (const { n, name } of rows(others))
    if (Number(n) > 0)
      throw new Unusable(
        `${place} is in use by ${String(n)} other connections${name ? ` (${String(name)})` : ""}: stop the gateway first`,
      )
}
