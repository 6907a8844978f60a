/**
 * `npm run postgres:check`: what judges the store on SQLite judges it on PostgreSQL, too, and what PostgreSQL
 * alone can do. It says so where PostgreSQL is not installed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { postgresPrograms, startPostgres } from "#test/support/postgres.ts"

const programs = postgresPrograms()
if (programs) await check(programs)
else console.log("postgres:check was not run: PostgreSQL is not installed")

async function check(found: string): Promise<void> {
  const postgres = await startPostgres(found, true)
  const url = await postgres.newDatabase("store")
  const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url))
  const env = { ...process.env, POSTGRES_URL: url }
  const vitest = spawn("vitest", ["run", "--config", config, ...process.argv.slice(2)], {
    env,
    stdio: "inherit",
  })
  const [code] = (await once(vitest, "exit")) as [number | null]
  await postgres.stop()
  process.exitCode = code ?? 1
}
