import { execFile } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Simulator } from "#simulator/spawn.ts"
import { type Postgres, postgresPrograms, startPostgres } from "#test/support/postgres.ts"
import { evolutionTables } from "./evolution-database.ts"
import { type Command, type Program, startProgram } from "./program.ts"

/** The kinds of gateways that `admin import` knows. */
export const gatewayKinds = ["evolution", "waha", "gowa", "baileys", "whatsmeow"] as const
export type Kind = (typeof gatewayKinds)[number]

/** A gateway that numbers leave: a program, and all that it keeps. */
export interface Gateway {
  start: () => Promise<Program>
  /** What `admin import <kind>` is given. */
  where: string[]
  /** Where it writes down what it is told. */
  told: string
  /** Its files are as old as those of a gateway that was stopped two minutes ago. */
  rest: () => void
  /** Copies its files; the function that is returned puts them back. A database stays as it is. */
  backUp: () => () => void
  /** The names of its files of keys that it has left empty: it empties them before it writes. */
  cutFiles: () => string[]
  /** The keys of others' groups are gone: what must be noticed. */
  dropSenderKeys: () => Promise<void>
}

/** What gateways of some kinds run on. */
export interface Ground {
  newGateway: (kind: Kind, folder: string) => Promise<Gateway>
  stop: () => Promise<void>
}

const run = promisify(execFile)
const restedMs = 120_000
const usesPostgres = new Set<Kind>(["evolution", "whatsmeow"])
const usesGo = new Set<Kind>(["gowa", "whatsmeow"])

/**
 * Prepares this machine for these kinds: builds what is in Go, and starts a PostgreSQL.
 * @throws Error in one sentence when it cannot be done here
 */
export async function groundFor(wanted: Kind[], dir: string, network: Simulator): Promise<Ground> {
  const inGo = wanted.filter((kind) => usesGo.has(kind))
  const program = inGo.length > 0 ? await buildWhatsmeow(inGo, dir) : ""
  const inPostgres = wanted.filter((kind) => usesPostgres.has(kind))
  const postgres = inPostgres.length > 0 ? await postgresFor(inPostgres) : undefined
  return {
    newGateway: async (kind, folder) => await newGateway(kind, folder, { network, program, postgres }),
    stop: async () => await postgres?.stop(),
  }
}

async function buildWhatsmeow(wanted: Kind[], dir: string): Promise<string> {
  const program = join(dir, "gateway-on-whatsmeow")
  const cwd = fileURLToPath(new URL("whatsmeow", import.meta.url))
  await run("go", ["build", "-o", program, "."], { cwd }).catch((cause: unknown) => {
    const why = `Go does not build trials/move-in/whatsmeow, so there is no program of the kind ${wanted.join(", ")} here`
    throw new Error(`${why}: install Go, or name other --kinds`, { cause })
  })
  return program
}

async function postgresFor(wanted: Kind[]): Promise<Postgres> {
  const programs = postgresPrograms()
  if (programs) return await startPostgres(programs)
  const why = `PostgreSQL is not installed, and the kind ${wanted.join(", ")} keeps its logins in it`
  throw new Error(`${why}: install Debian's postgresql, or name other --kinds`)
}

interface Means {
  network: Simulator
  /** Built in Go; `""` if none is wanted. */
  program: string
  postgres: Postgres | undefined
}

let databases = 0

async function newGateway(kind: Kind, dir: string, means: Means): Promise<Gateway> {
  mkdirSync(dir, { recursive: true })
  const database = usesPostgres.has(kind)
    ? await means.postgres!.newDatabase(`gateway_${++databases}`) // started for this kind
    : undefined
  const { folder, where } = layoutOf(kind, dir, database)
  if (kind === "evolution") await sql(database!, evolutionTables) // made above
  const { url, tlsUrl, rootKey } = means.network
  const told = join(dir, "told.jsonl")
  const given = JSON.stringify({ url, tlsUrl, rootKey, folder, database, layout: layouts.get(kind), told })
  const command: Command = usesGo.has(kind)
    ? { file: means.program, args: [given] }
    : { file: process.execPath, args: [baileys, given] }
  return {
    start: async () => await startProgram(command, join(dir, "output")),
    where,
    told,
    rest: () => age(dir),
    backUp: () => {
      cpSync(dir, `${dir}-copy`, { recursive: true })
      return () => {
        rmSync(dir, { recursive: true })
        cpSync(`${dir}-copy`, dir, { recursive: true })
      }
    },
    cutFiles: () =>
      readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
        (name) => /(?:session|sender-key)-.*\.json$/.test(name) && statSync(join(dir, name)).size === 0,
      ),
    dropSenderKeys: async () => await dropSenderKeys(kind, folder, database),
  }
}

const baileys = fileURLToPath(new URL("processes/baileys.ts", import.meta.url))

/** The layouts of `whatsmeow/main.go`. */
const layouts = new Map<Kind, string>([
  ["gowa", "gowa"],
  ["whatsmeow", "wuzapi"],
])

/** Where a gateway keeps what it has, and what of it an operator names. */
function layoutOf(
  kind: Kind,
  dir: string,
  database: string | undefined,
): { folder: string; where: string[] } {
  switch (kind) {
    case "evolution":
      return { folder: join(dir, "instances"), where: [database!, join(dir, "instances")] } // it has one
    case "waha":
      return { folder: join(dir, ".sessions", "noweb"), where: [join(dir, ".sessions")] }
    case "gowa":
      return { folder: join(dir, "storages"), where: [join(dir, "storages")] }
    case "baileys":
      return { folder: join(dir, "auth"), where: [join(dir, "auth")] }
    case "whatsmeow":
      return { folder: dir, where: [database!] } // it has one
  }
}

function age(dir: string): void {
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    const path = join(dir, name)
    const then = (statSync(path).mtimeMs - restedMs) / 1000
    utimesSync(path, then, then)
  }
}

async function dropSenderKeys(kind: Kind, folder: string, database: string | undefined): Promise<void> {
  const drop = "DELETE FROM whatsmeow_sender_keys"
  if (kind === "whatsmeow") return await sql(database!, drop) // it has one
  if (kind === "gowa") return new DatabaseSync(join(folder, "whatsapp.db")).exec(drop)
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (/(?:^|\/)sender-key-(?!memory)/.test(name)) rmSync(join(folder, name))
}

async function sql(database: string, statement: string): Promise<void> {
  await run("psql", ["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", statement, database])
}
