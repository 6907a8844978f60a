import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { looksIntoTheStore } from "#test/support/other-store.ts"
import type { Resource } from "../evaluate.ts"
import { graphOf } from "../graph.ts"
import { asCloudFormation } from "./as-cloudformation.ts"
import { programs, startMoto } from "./install.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Something that a judge does not accept: of which resource, test or policy, and what. */
export interface Finding {
  where: string
  what: string
}

/** A judge's word: how much it has judged, in a few words, and what it does not accept. */
export interface Said {
  judged: string
  findings: Finding[]
}

/**
 * The judges, each of which needs those before it for nothing: a DynamoDB whose authors hold it against
 * Amazon's, another stand-in for AWS, and three readers of what a deploy asks for.
 */
export const judges = {
  dynoxide: async () => testsOnAnotherStore(),
  moto: async () => await actsOnMoto(),
  "cfn-lint": async () => await templateByCfnLint(),
  parliament: async () => await policiesByParliament(),
  checkov: async () => await templateByCheckov(),
} satisfies Record<string, () => Promise<Said>>

/** Our tests of `core/` and `functions/`, with dynoxide as their store. */
function testsOnAnotherStore(): Said {
  const files = ["--project", "shared", "test/core", "test/functions"]
  const { passed, failed } = tests(files, { OTHER_STORE: programs.dynoxide })
  const looking = failed.filter(({ what }) => what.includes(looksIntoTheStore))
  return {
    judged: `${passed} tests; ${looking.length} more control or look into the embedded store`,
    findings: failed.filter((one) => !looking.includes(one)),
  }
}

/** A stage's first hour with moto for DynamoDB, SQS, S3, KMS and Logs, and what production asks for. */
async function actsOnMoto(): Promise<Said> {
  const moto = await startMoto()
  try {
    const acts = ["--config", "test/infra/rehearsal/vitest.config.ts", "first-hour"]
    const { passed, failed } = tests(acts, { STAND_INS: moto.endpoint })
    const apply = spawnSync(programs.python, ["test/infra/judges/apply-to-moto.py"], { cwd: root })
    const lines = apply.stdout.toString().trim().split("\n")
    const [applied = "nothing applied"] = (lines[0] ?? "").split(":")
    const refused = apply.status === 0 ? [] : lines.slice(2)
    return {
      judged: `${passed} acts; ${applied} resources`,
      findings: [...failed, ...refused.map((what) => ({ where: "production", what }))],
    }
  } finally {
    moto.stop()
  }
}

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z
            .array(z.string())
            .nullish()
            .transform((all) => all ?? []),
        }),
      ),
    }),
  ),
})

/** Runs tests of ours in an environment. @returns how many passed, and each that did not */
function tests(args: string[], env: Record<string, string>): { passed: number; failed: Finding[] } {
  const folder = mkdtempSync(join(tmpdir(), "judged-"))
  const file = join(folder, "report.json")
  const vitest = ["--no", "--", "vitest", "run", ...args, "--reporter", "default", "--reporter", "json"]
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: "inherit" as const }
  spawnSync("npx", [...vitest, `--outputFile=${file}`], options)
  const files = Report.parse(JSON.parse(readFileSync(file, "utf8"))).testResults
  rmSync(folder, { recursive: true })
  const all = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((one) => ({ ...one, where: `${relative(root, name)}: ${one.fullName}` })),
  )
  const failed = all
    .filter(({ status }) => status === "failed")
    .map(({ where, failureMessages }) => ({ where, what: failureMessages.join("\n") }))
  const unread = files
    .filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== "")
    .map(({ name, message }) => ({ where: relative(root, name), what: message }))
  return { passed: all.filter(({ status }) => status === "passed").length, failed: [...failed, ...unread] }
}

function production(): Resource[] {
  const file = join(root, ".sst/graph/production.json")
  return JSON.parse(readFileSync(file, "utf8")) as Resource[] // as `infra:check` has written it
}

/** What a deploy asks for, as a CloudFormation template in a file of its own. */
async function withTemplate<T>(use: (file: string, judged: string) => T): Promise<T> {
  const { template, count, left } = asCloudFormation(production())
  const folder = mkdtempSync(join(tmpdir(), "judged-"))
  const file = join(folder, "production.json")
  writeFileSync(file, JSON.stringify(template, undefined, 2))
  const judged = `${count} resources of ${count + left}`
  try {
    return use(file, judged)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const Lint = z.array(
  z.object({
    Message: z.string(),
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullish() }),
  }),
)

async function templateByCfnLint(): Promise<Said> {
  return await withTemplate((file, judged) => {
    const args = ["--format", "json", "--regions", "eu-central-1", "--template", file]
    const found = Lint.parse(json(programs.cfnLint, args))
    const findings = found.map(({ Message, Rule, Location }) => ({
      where: (Location.Path ?? []).slice(1).join("."),
      what: `${Rule.Id} ${Message}`,
    }))
    return { judged, findings }
  })
}

const Checks = z.object({
  summary: z.object({ passed: z.number() }),
  results: z.object({
    failed_checks: z.array(z.object({ check_id: z.string(), check_name: z.string(), resource: z.string() })),
  }),
})

async function templateByCheckov(): Promise<Said> {
  return await withTemplate((file, judged) => {
    const args = ["--file", file, "--framework", "cloudformation", "--output", "json", "--quiet", "--compact"]
    const { summary, results } = Checks.parse(json(programs.checkov, args))
    return {
      judged: `${judged}; ${summary.passed} checks passed`,
      findings: results.failed_checks.map((one) => ({
        where: one.resource,
        what: `${one.check_id} ${one.check_name}`,
      })),
    }
  })
}

const Faults = z.object({ issue: z.string(), detail: z.unknown(), location: z.unknown() })

async function policiesByParliament(): Promise<Said> {
  const graph = graphOf(production())
  const inline = graph.all("iam/role:Role").flatMap(({ name, inputs }) => {
    const { inlinePolicies } = Inline.parse(inputs)
    return inlinePolicies.map(({ policy }) => ({ name, policy }))
  })
  const managed = graph
    .all("iam/policy:Policy")
    .map(({ name, inputs }) => ({ name, policy: String(inputs.policy) }))
  const all = [...inline, ...managed]
  const findings = all.flatMap(({ name, policy }) => {
    const { stdout } = spawnSync(programs.parliament, ["--string", policy, "--json"])
    const lines = stdout.toString().split("\n").filter(Boolean)
    return lines
      .map((line) => Faults.parse(JSON.parse(line)))
      .map(({ issue, detail }) => ({ where: name, what: `${issue} ${JSON.stringify(detail)}` }))
  })
  return { judged: `${all.length} policies`, findings }
}

const Inline = z.object({ inlinePolicies: z.array(z.object({ policy: z.string() })).default([]) })

/** What a program prints, which has findings where it does not end with 0. */
function json(program: string, args: string[]): unknown {
  const { stdout, stderr } = spawnSync(program, args, { maxBuffer: 2 ** 28 })
  if (stdout.length === 0) throw new Error(`${program} said nothing: ${stderr.toString()}`)
  return JSON.parse(stdout.toString())
}
