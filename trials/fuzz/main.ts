/**
 * `npm run fuzz -- --runs N --seed S`: valid and mutated requests to every route of a whole running service.
 */
import { optionsFrom } from "../options.ts"
import { Options } from "./options.ts"
import { run } from "./run.ts"
import { startTenants } from "./tenants.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const { runs, seed, from } = options
console.log(`seed ${seed}: ${runs} requests from number ${from}`)
const started = performance.now()
const tenants = await startTenants()
const { findings, statuses, succeeded } = await outcome()
const seconds = Math.round((performance.now() - started) / 1000)
console.log(JSON.stringify({ runs, findings: findings.length, statuses, succeeded, seed, seconds }))
process.exitCode = findings.length > 0 ? 1 : 0

async function outcome() {
  try {
    return await run(tenants, options, (line) => console.log(line))
  } finally {
    await tenants.stop()
  }
}
