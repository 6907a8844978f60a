/** `npm run fuzz -- --runs N --seed S`: valid and mutated requests to every route of a whole running service. */
import { optionsFrom } from "./options.ts"
import { type Finding, run } from "./run.ts"
import { startWorld } from "./world.ts"

const options = optionsFrom(process.argv.slice(2))
console.log(`seed ${options.seed}: ${options.runs} requests from number ${options.from}`)
const started = performance.now()
const world = await startWorld()
const { findings, statuses, succeeded } = await outcome()

for (const finding of findings.slice(0, 20)) console.log(sentencesOf(finding))
if (findings.length > 20) console.log(`and ${findings.length - 20} more`)
const seconds = Math.round((performance.now() - started) / 1000)
const { runs, seed } = options
console.log(JSON.stringify({ runs, findings: findings.length, statuses, succeeded, seed, seconds }))
process.exitCode = findings.length > 0 ? 1 : 0

async function outcome() {
  try {
    return await run(world, options)
  } finally {
    await world.stop()
  }
}

function sentencesOf({ number, request, answer, faults }: Finding): string {
  return [`--- number ${number}`, ...faults.map((fault) => `!!! ${fault}`), request, `=> ${answer}`, ""].join(
    "\n",
  )
}
