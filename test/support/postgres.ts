import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { listen, stopListening } from "#one-machine/listen.ts"
import { until } from "./until.ts"

const run = promisify(execFile)

/** The folder of PostgreSQL's programs; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  const [found] = globSync(["/usr/lib/postgresql/*/bin/initdb", "/usr/local/bin/initdb", "/usr/bin/initdb"])
  return found && dirname(found)
}

export interface Postgres {
  /** The address of a new, empty database. */
  newDatabase: (name: string) => Promise<string>
  stop: () => Promise<void>
}

/** A PostgreSQL of our own, on a free port, in a folder that goes with it. `isSynced`: with `fsync`. */
export async function startPostgres(programs: string, isSynced = false): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"))
  const password = randomBytes(12).toString("hex")
  writeFileSync(join(folder, "password"), password)
  const owner = await ownerOf(folder)
  const data = join(folder, "data")
  const access = ["--auth=scram-sha-256", "--username=gateway", `--pwfile=${join(folder, "password")}`]
  const how = [`--pgdata=${data}`, "--encoding=UTF8", "--no-sync", ...access]
  await run(join(programs, "initdb"), how, { ...owner, cwd: folder })
  const port = await freePort()
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    `fsync=${isSynced ? "on" : "off"}`,
  ]
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])]
  // It ends with its input, and so with us, however we end.
  const server = spawn(
    "sh",
    ["-c", '"$@" & read _; kill -INT $!; wait', "sh", join(programs, "postgres"), ...args],
    {
      ...owner,
      cwd: folder,
      stdio: ["pipe", "ignore", "ignore"],
    },
  )
  const ended = once(server, "exit")
  const urlOf = (database: string) => `postgresql://gateway:${password}@127.0.0.1:${port}/${database}`
  await until(
    async () => await run("psql", ["-c", "SELECT 1", urlOf("postgres")]).catch(() => false as const),
  )
  return {
    newDatabase: async (name) => {
      await run("psql", ["--no-psqlrc", "--quiet", "-c", `CREATE DATABASE ${name}`, urlOf("postgres")])
      return urlOf(name)
    },
    stop: async () => {
      server.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user that Debian makes for it. */
async function ownerOf(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (userInfo().uid !== 0) return {}
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (which) => Number((await run("id", [which, "postgres"])).stdout)),
  )
  for (const path of [folder, join(folder, "password")]) chownSync(path, uid!, gid!) // two were asked for
  return { uid: uid!, gid: gid! }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await stopListening(server)
  return port
}
