import { Ajv } from "ajv"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { ServeSettings } from "#local/service/settings.ts"

const Service = z.looseObject({
  environment: z.record(z.string(), z.string()),
  stop_grace_period: z.string().optional(),
  networks: z.object({ default: z.object({ ipv4_address: z.string() }) }).optional(),
})
const composed: unknown = parse(readFileSync("compose.yaml", "utf8"), { merge: true })
const { bridge, caddy } = z
  .object({ services: z.object({ bridge: Service, caddy: Service }) })
  .parse(composed).services
const unit = readFileSync("one-machine/messaging-bridge.service", "utf8")

/** The settings that one-machine/settings prints. */
function settled(...args: string[]): Record<string, string> {
  const printed = execFileSync("sh", ["one-machine/settings", ...args], { encoding: "utf8", stdio: "pipe" })
  return parseEnv(printed) as Record<string, string>
}

// compose-spec.json is schema/compose-spec.json of github.com/compose-spec/compose-spec at 170098ba (Apache-2.0).
test("compose.yaml is as the Compose Specification wants it", () => {
  const schema = JSON.parse(readFileSync("test/one-machine/compose-spec.json", "utf8")) as object
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false })
  expect(ajv.validate(schema, composed) || ajv.errors).toBe(true)
})

test("neither container may do more than it needs", () => {
  for (const service of [bridge, caddy])
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      mem_limit: expect.any(String),
      pids_limit: expect.any(Number),
      restart: "always",
      logging: { driver: "local", options: { "max-size": "20m", "max-file": "5" } },
    })
})

test("the service in its container believes Caddy alone about a caller's address", () => {
  const settings = { ...settled("https://wa.example.com", "you@example.com"), ...bridge.environment }
  const { listen, serving } = ServeSettings.parse(settings)
  expect(serving.TRUST_PROXY).toBe(`${caddy.networks!.default.ipv4_address}/32`)
  expect(caddy.environment.LISTEN).toBe(`bridge:${listen.port}`)
})

test("a container is given as long to stop as the unit is", () => {
  expect(bridge.stop_grace_period).toBe(`${/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]}s`)
})

test("new settings have secrets of their own, and are what the service takes", () => {
  const [one, other] = [
    settled("https://wa.example.com/", "a@example.com"),
    settled("https://b.test", "b@example.com"),
  ]
  expect(ServeSettings.parse(one).serving).toMatchObject({
    PUBLIC_URL: "https://wa.example.com",
    OPERATOR_EMAIL: "a@example.com",
    backups: { dir: "/var/backups/messaging-bridge" },
  })
  expect(one.METRICS_TOKEN).toMatch(/^[0-9a-f]{48}$/)
  const secrets = [one, other].flatMap((settings) => [settings.METRICS_TOKEN, settings.BACKUP_PASSPHRASE])
  expect(new Set(secrets).size).toBe(4)
})

test.for([
  { given: [] },
  { given: ["wa.example.com", "you@example.com"] },
  { given: ["https://wa.example.com", "you"] },
])("no settings are made of $given", ({ given }) => {
  expect(() => settled(...given)).toThrow("needs the service's address and yours")
})
