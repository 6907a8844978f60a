import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { beyondSchemas } from "#test/support/beyond-schemas.ts"
import { startService } from "#test/support/service/service.ts"

const version = "4.32.5"

/** Calls whose success takes away what the others need, or that never end. */
const leftOut = ["removeBridge", "logout", "streamLogs"]

/** Calls about a bridge that nothing else uses: a proxy or a pacing would be in the others' way. */
const onSpare = ["PATCH /api/instances/{customer_ref}", "POST /api/instances/{customer_ref}/proxy/passkey"]

/**
 * What is checked of each answer. `service_takes_what_fits` is our own (`schemathesis_hooks.py`), in place
 * of `positive_data_acceptance`, which knows no codes.
 */
const checks = [
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
  "service_takes_what_fits",
]

const Report = z.object({ tests: z.coerce.number(), failures: z.coerce.number(), errors: z.coerce.number() })

/**
 * Has Schemathesis compare the document with the running service: it makes values at the edges of each
 * schema, and others that do not fit. It is installed from PyPI, into a folder of its own.
 * @param examples how many requests it makes for each route beside those at the edges
 * @returns how many failures it found; it tells of each by itself
 */
export async function compareWithDocument({ examples, seed }: { examples: number; seed: number }) {
  const folder = mkdtempSync(join(tmpdir(), "schemathesis-"))
  const service = await startService()
  try {
    const own = join(folder, "bin/python")
    succeed("python3", ["-m", "venv", folder])
    succeed(own, [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      `schemathesis==${version}`,
    ])
    const { key, linked, call } = await service.customer("ours", { bridges: 3 })
    await linked("shop", (await service.network.create("Owner")).number)
    await call("PATCH", "/instances/shop", { keep: 30 })
    await call("POST", "/instances", { customer_ref: "spare" })
    writeFileSync(join(folder, "schemathesis.toml"), settings(key))
    const report = join(folder, "report.xml")
    const st =
      `run ${service.baseUrl}/api/openapi.json --phases examples,coverage,fuzzing --continue-on-failure
      --checks ${checks.join()} --max-examples ${examples} --seed ${seed} --suppress-health-check all
      --request-timeout 60 --warnings off --report junit --report-junit-path ${report}
      --exclude-operation-id ${leftOut.join(" --exclude-operation-id ")}`.split(/\s+/)
    const child = spawn(join(folder, "bin/st"), st, {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
      env: {
        ...process.env,
        PYTHONPATH: import.meta.dirname,
        SCHEMATHESIS_HOOKS: "schemathesis_hooks",
        BEYOND_SCHEMAS: JSON.stringify(beyondSchemas.flatMap(({ sentences }) => sentences.map(String))),
      },
    })
    const [code] = (await once(child, "close")) as [number]
    const { failures, errors } = Report.parse(attributesOf(readFileSync(report, "utf8")))
    // It also ends with an error when it could not begin.
    return Math.max(failures + errors, code === 0 ? 0 : 1)
  } finally {
    await service.stop()
    service.remove()
    rmSync(folder, { recursive: true })
  }
}

function settings(key: string): string {
  const operations = onSpare.map(
    (name) => `[[operations]]\ninclude-name = "${name}"\nparameters = { customer_ref = "spare" }\n`,
  )
  return [
    `headers = { Authorization = "Bearer ${key}" }`,
    "[parameters]",
    'customer_ref = "shop"',
    ...operations,
  ].join("\n")
}

/** The attributes of the first element that has the sums. */
function attributesOf(xml: string): Record<string, string> {
  const [, attributes = ""] = /<testsuites([^>]*)>/.exec(xml) ?? []
  return Object.fromEntries(
    [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}

/** @throws Error when the command fails */
function succeed(command: string, args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: the lines above say why`)
}
