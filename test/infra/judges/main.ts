import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { installSst, run } from "../install-sst.ts"
import { installJudges } from "./install.ts"
import { type Finding, judges, type Said } from "./judges.ts"
import { listed } from "./listed.ts"

const measurements = fileURLToPath(new URL("../../../docs/measurements.md", import.meta.url))

/**
 * `npm run infra:judges`: what implementations that nobody here wrote say of our calls and of what a deploy
 * asks for. Prints a line for each judge, and fails for a finding that `listed` does not explain, and for an
 * explanation that nothing needs any more. `-- dynoxide moto`: these judges alone.
 */
async function main(wanted: string[]): Promise<number> {
  installSst()
  installJudges()
  // A check leaves the graph of production behind.
  const check = ["--config", "test/infra/vitest.config.ts", "test/infra/checks/permissions.check.ts"]
  run("npx", ["--no", "--", "vitest", "run", ...check], 300)
  const rows: string[][] = []
  let isOk = true
  for (const [name, judge] of Object.entries(judges)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const said = await judge()
    const { unexplained, needless } = held(said, name as keyof typeof judges)
    isOk &&= unexplained.length === 0 && needless.length === 0
    for (const { where, what } of unexplained) console.error(`${name}: ${where}: ${what}`)
    for (const one of needless) console.error(`${name}: nothing needs what is listed as ${one}`)
    rows.push([
      name,
      said.judged,
      String(said.findings.length - unexplained.length),
      String(unexplained.length),
    ])
  }
  const table = tableOf(["judge", "judged", "findings explained", "unexplained"], rows)
  console.log(table)
  if (wanted.length === 0) note(table)
  if (isOk) console.log("judges: ok")
  return isOk ? 0 : 1
}

/** The findings that no explanation fits, and the explanations that fit no finding. */
function held({ findings }: Said, judge: keyof typeof judges) {
  const explained = listed[judge]
  return {
    unexplained: findings.filter((one) => !explained.some((entry) => fits(one, entry))),
    needless: explained
      .filter((entry) => !findings.some((one) => fits(one, entry)))
      .map(([pattern]) => String(pattern)),
  }
}

function fits({ where, what }: Finding, [pattern]: readonly [RegExp, string]): boolean {
  return pattern.test(`${where}: ${what}`)
}

function tableOf(head: string[], rows: string[][]): string {
  const all = [head, ...rows]
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)))
  const line = (cells: string[], fill = " ") =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!, fill)).join(" | ")} |`
  return [
    line(head),
    line(
      head.map(() => ""),
      "-",
    ),
    ...rows.map((row) => line(row)),
  ].join("\n")
}

/** Puts the table where the page of measurements has the last one. */
function note(table: string): void {
  const page = readFileSync(measurements, "utf8")
  const section = /(## Judges of the deployment\n[\s\S]*?\n)\|[\s\S]*?\|\n(?=\n|$)/
  writeFileSync(
    measurements,
    page.replace(section, (_, before: string) => `${before}${table}\n`),
  )
}

process.exitCode = await main(process.argv.slice(2))
