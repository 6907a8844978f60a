/**
 * `npm run dialects:check`: clients of other gateways, which others wrote, call `npm start`'s service in
 * those gateways' languages. A line says for each how many of its calls are in scope, and how many passed.
 * `-- --judge waha-py` runs one alone. n8n's node needs `N8N`, the folder in which n8n 2.41.0 is installed.
 */
import { z } from "zod"
import { optionsFrom } from "../options.ts"
import { evolutionJudges } from "./evolution/judges.ts"
import { setStage } from "./stage.ts"
import { wahaJudges } from "./waha/judges.ts"

const Options = z.object({
  judge: z.string().optional().describe("Runs the judges with this in their name."),
})

const { judge: only } = optionsFrom(Options, process.argv.slice(2))
const judges = [...evolutionJudges, ...wahaJudges].filter(({ name }) => name.includes(only ?? ""))
if (judges.length === 0) throw new Error(`there is no judge with ${only} in its name`)

const stage = await setStage()
let isWrong = false
try {
  for (const { name, run } of judges) {
    const made = await run(stage)
    if (!made) {
      console.log(`${name}: not run, since what it needs is not on this machine`)
      continue
    }
    const failed = made.filter(({ why }) => why !== undefined)
    console.log(`${name}: ${made.length} calls in scope, ${made.length - failed.length} passed`)
    for (const { call, why } of failed) console.log(`  ${call}: ${why}`)
    isWrong ||= failed.length > 0 || made.length === 0
  }
} finally {
  await stage.end()
}
console.log(isWrong ? "dialects: not ok" : "dialects: ok")
process.exitCode = isWrong ? 1 : 0
