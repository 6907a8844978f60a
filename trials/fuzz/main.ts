/**
 * `npm run fuzz -- --runs N --seed S`: valid and mutated requests to every route of a whole running service.
 * `npm run fuzz -- --schemas`: values at the edges of each schema; does the service do as its document says?
 */
import { optionsFrom } from "../options.ts"
import { Options } from "./options.ts"
import { routes } from "./routes.ts"
import { run } from "./run.ts"
import { compareWithDocument } from "./schemathesis.ts"
import { startTenants } from "./tenants.ts"

const options = optionsFrom(Options, process.argv.slice(2))
const findings = options.schemas ? await ofSchemas() : await ofRequests()
process.exitCode = findings > 0 ? 1 : 0

async function ofSchemas(): Promise<number> {
  const { runs, seed } = options
  const count = await compareWithDocument({ examples: Math.ceil(runs / routes.length), seed })
  console.log(`findings: ${count}`)
  return count
}

async function ofRequests(): Promise<number> {
  const { runs, seed, from } = options
  console.log(`seed ${seed}: ${runs} requests from number ${from}`)
  const started = performance.now()
  const tenants = await startTenants()
  try {
    const { findings: found, statuses, succeeded } = await run(tenants, options, (line) => console.log(line))
    const seconds = Math.round((performance.now() - started) / 1000)
    console.log(JSON.stringify({ runs, findings: found.length, statuses, succeeded, seed, seconds }))
    return found.length
  } finally {
    await tenants.stop()
  }
}
