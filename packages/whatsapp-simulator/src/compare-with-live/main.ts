import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { knownFactsFile, missingIn, knownFacts, recordedFacts } from "./facts.ts"

const usage = `npm run simulator:compare -- <folder>          what was recorded there that the simulated network never sends
npm run simulator:compare -- --keep <folder>   takes what was recorded there, on the simulated network, for what it sends`

const say = (line: string) => void process.stdout.write(`${line}\n`)

const { values, positionals } = parseArgs({
  options: { keep: { type: "boolean", default: false } },
  allowPositionals: true,
})
const [folder] = positionals
if (folder === undefined || positionals.length > 1) {
  process.stderr.write(`${usage}\n`)
  process.exit(2)
}

const facts = recordedFacts(folder)
if (values.keep) {
  const all = [...new Set([...knownFacts(), ...facts])].toSorted()
  writeFileSync(knownFactsFile, `${all.join("\n")}\n`)
  say(`${facts.size} facts, ${all.length} in all`)
} else {
  const missing = missingIn(knownFacts(), facts)
  for (const fact of missing) say(fact)
  say(`${facts.size} facts recorded, ${missing.length} that the simulated network never sends`)
}
