import { createReadStream, existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { z } from "zod"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { readJson } from "#session-host/whatsapp/take-login.ts"
import { credsIn, keysIn, keysInFolder } from "./baileys.ts"
import { type Database, isPostgres, openPostgres, placeInPostgres } from "./database.ts"
import type { FindSessions, FoundSession } from "./found-session.ts"
import { isRedis, openRedis, type Redis } from "./redis.ts"

/*
 * Evolution API 2 keeps a session's credentials in the table "Session" of its PostgreSQL, by the id of the
 * instance; and its keys in a folder `instances/<id>/`, or, where CACHE_REDIS_ENABLED is set, in Redis.
 * Where CACHE_REDIS_SAVE_INSTANCES is set, the credentials are there, too.
 */

/** The rows of the tables, by their ids. The credentials of a session are JSON, written as JSON once more. */
interface Tables {
  /** Names of instances, by their ids. */
  names: Map<string, string>
  creds: Map<string, string>
  webhooks: Map<string, string>
  database: Database | undefined
  /** The schema that the database's address names. */
  schema: string | undefined
}

const wanted = ["Instance", "Session", "Webhook"]

/**
 * Finds the sessions of Evolution.
 * @param where its database (an address, or a plain dump of `pg_dump`), and where its keys are: the folder
 * `instances`, or the address of its Redis
 */
export const findEvolution: FindSessions = async (where) => {
  const [tablesAt, ...others] = where.filter((one) => isPostgres(one) || one.endsWith(".sql"))
  const [keysAt, ...more] = where.filter((one) => one !== tablesAt && !others.includes(one))
  if (!tablesAt || !keysAt || others.length + more.length > 0)
    throw new Unusable(
      "name Evolution's database (postgresql://… or a dump called <name>.sql) and where its keys are: its folder instances, or redis://…",
    )
  const redis = isRedis(keysAt) ? await openRedis(keysAt) : undefined
  let tables: Tables | undefined
  const close = async () => {
    await Promise.all([redis?.close(), tables?.database?.close()])
  }
  try {
    tables = isPostgres(tablesAt) ? await fromDatabase(tablesAt) : await fromDump(resolve(tablesAt))
    const found = { sessions: [] as FoundSession[], refused: [] as { name: string; why: string }[], close }
    const hashes = redis && (await hashesIn(redis))
    const place = tables.database?.place ?? tablesAt
    for (const [id, name] of tables.names) {
      const hash = hashes?.get(id)
      const folder = join(resolve(keysAt), id)
      if (redis ? hash : existsSync(folder))
        found.sessions.push(sessionOf(id, tables, redis && hash ? { redis, hash } : { folder }))
      else
        found.refused.push({ name, why: `its keys are not in ${redis?.place ?? keysAt}: there is no ${id}` })
    }
    const count = tables.names.size
    if (count === 0)
      throw new Unusable(
        `${place} has no instance of Evolution: perhaps its tables are in another schema, as ?schema=evolution_api`,
      )
    if (found.sessions.length === 0)
      throw new Unusable(
        `${redis?.place ?? keysAt} has the keys of none of the ${count} instances in ${place}: is it Evolution's folder instances, or its Redis?`,
      )
    return found
  } catch (error) {
    await close()
    throw error
  }
}

type Keys = { folder: string } | { redis: Redis; hash: string }

function sessionOf(
  id: string,
  { names, creds, webhooks, database, schema }: Tables,
  keys: Keys,
): FoundSession {
  const name = names.get(id) ?? id
  const webhook = webhooks.get(id)
  const place = "redis" in keys ? `${keys.redis.place} ${keys.hash}` : keys.folder
  const found = "redis" in keys ? keysInRedis(keys.redis, keys.hash) : keysInFolder(keys.folder)
  return {
    name,
    webhookUrls: webhook ? [webhook] : [],
    place,
    async creds() {
      const row = creds.get(id) ?? ("redis" in keys ? await keys.redis.field(keys.hash, "creds") : undefined)
      if (!row) throw new Unusable(`${name} has no credentials: it was logged out, or never linked`)
      return credsIn(once(row), place)
    },
    keys: found.keys,
    async mustRest(open) {
      await database?.mustRest(open)
      await found.mustRest(open)
    },
    mark: async () => toDo(schema ? `${schema}."Session"` : `"Session"`),
  }
}

function keysInRedis(redis: Redis, hash: string): Pick<FoundSession, "keys" | "mustRest"> {
  return {
    async *keys(onCut) {
      for await (const [field, value] of redis.fields(hash)) {
        if (field === "creds") continue
        try {
          yield* keysIn({ [field]: readJson(once(value)) })
        } catch {
          onCut(field)
        }
      }
    },
    mustRest: redis.mustRest,
  }
}

/** Evolution writes JSON as JSON: this is what it has written first. */
function once(text: string): string {
  try {
    const inner: unknown = JSON.parse(text)
    return typeof inner === "string" ? inner : text
  } catch {
    // The reader says that it was cut.
    return text
  }
}

/** The hashes with keys of instances, by their ids: `<prefix>:instance:<id>`. */
async function hashesIn(redis: Redis): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const hash of redis.keys("*:instance:*")) found.set(hash.split(":").at(-1) ?? "", hash)
  return found
}

function toDo(table: string): string {
  return `Evolution's database still has the sessions that are here. Once all of them are, so that Evolution cannot come back by accident: ALTER TABLE ${table} RENAME TO "Session_moved"`
}

async function fromDatabase(address: string): Promise<Tables> {
  const database = await openPostgres(address)
  const { schema } = placeInPostgres(address)
  const tables = { names: new Map(), creds: new Map(), webhooks: new Map(), database, schema }
  try {
    for (const table of wanted)
      if (database.tables.has(table))
        for await (const row of database.rows(`SELECT * FROM "${table}"`)) take(tables, table, row)
    return tables
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Reads the tables from a plain dump of `pg_dump`. @throws Unusable */
async function fromDump(file: string): Promise<Tables> {
  if (!existsSync(file)) throw new Unusable(`there is no ${file}`)
  const none = { database: undefined, schema: undefined }
  const tables = { names: new Map(), creds: new Map(), webhooks: new Map(), ...none }
  let copy: { table: string; columns: string[] } | undefined
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line.startsWith("PGDMP"))
      throw new Unusable(`${file} is no plain dump: \`pg_restore -f <new>.sql\` makes one of it`)
    const [, table, columns] = /^COPY (?:\S+\.)?"(\w+)" \((.*)\) FROM stdin;$/.exec(line) ?? []
    if (table && columns)
      copy = { table, columns: columns.split(", ").map((name) => name.replaceAll('"', "")) }
    else if (line === "\\.") copy = undefined
    else if (copy && wanted.includes(copy.table)) take(tables, copy.table, rowIn(line, copy.columns))
  }
  return tables
}

/** The attributes of a line that follows `COPY … FROM stdin`. */
function rowIn(line: string, columns: string[]): Record<string, unknown> {
  const values = line
    .split("\t")
    .map((value) => (value === "\\N" ? undefined : value.replaceAll(/\\(.)/g, unescaped)))
  return Object.fromEntries(columns.map((name, at) => [name, values[at]]))
}

function unescaped(_: string, letter: string): string {
  return { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }[letter] ?? letter
}

const text = z.string().nullish()
const Row = z.object({
  id: z.string(),
  name: text,
  integration: text,
  sessionId: text,
  creds: text,
  url: text,
  instanceId: text,
})

function take({ names, creds, webhooks }: Tables, table: string, row: Record<string, unknown>): void {
  const its = Row.parse(row)
  // The id of an instance is the name of its folder.
  if (!/^[\w-]+$/.test(its.id)) throw new Unusable(`${its.id} in the table ${table} is no id of Evolution's`)
  if (table === "Instance" && its.name && its.integration !== "WHATSAPP-BUSINESS") names.set(its.id, its.name)
  if (table === "Session" && its.sessionId && its.creds) creds.set(its.sessionId, its.creds)
  if (table === "Webhook" && its.instanceId && its.url) webhooks.set(its.instanceId, its.url)
}
