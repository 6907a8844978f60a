import { readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import { Ajv } from "ajv"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { misspelt } from "#one-machine/service/misspelt.ts"
import { ServeSettings } from "#one-machine/service/settings.ts"

const read = (name: string) => readFileSync(`one-click/${name}`, "utf8")
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string } // of npm's shape

/** Each platform's variables, as it would fill them in. */
const filledIn = (text: string) =>
  text
    .replaceAll(
      /\$SERVICE_URL_BRIDGE(?!_)|https:\/\/\$\{\{RAILWAY_PUBLIC_DOMAIN\}\}/g,
      "https://wa.example.com",
    )
    .replaceAll(
      /\$SERVICE_PASSWORD_64_\w+|\$\{\{secret\(48\)\}\}|\$\$cap_(backup_passphrase|metrics_token)/g,
      "0".repeat(48),
    )
    .replaceAll(/\$\{OPERATOR_EMAIL:\?\}|\$\$cap_operator_email/g, "you@example.com")
    .replaceAll(/\$\{\w+:-\}/g, "")
    .replaceAll("$$cap_appname", "bridge")
    .replaceAll("$$cap_root_domain", "example.com")
    .replaceAll("$$cap_version", version)

/** From caprover.com/docs/reference/one-click-schema. */
const CapRover = z.object({
  captainVersion: z.literal(4),
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.string(),
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
      caproverExtra: z.strictObject({ containerHttpPort: z.string() }),
    }),
  ),
  caproverOneClickApp: z.strictObject({
    variables: z.array(
      z.strictObject({
        id: z.string().startsWith("$$cap_"),
        label: z.string(),
        defaultValue: z.string().optional(),
        description: z.string().optional(),
        validRegex: z.string().regex(/^\/.*\/$/),
      }),
    ),
    instructions: z.strictObject({ start: z.string(), end: z.string() }),
    displayName: z.string(),
    isOfficial: z.boolean(),
    description: z.string().max(200),
    documentation: z.string(),
  }),
})

/** From docs.railway.com/config-as-code/reference. */
const Railway = z.strictObject({
  $schema: z.literal("https://railway.com/railway.schema.json"),
  build: z.strictObject({ builder: z.enum(["RAILPACK", "DOCKERFILE"]), dockerfilePath: z.string() }),
  deploy: z.strictObject({
    numReplicas: z.literal(1),
    sleepApplication: z.literal(false),
    healthcheckPath: z.string(),
    healthcheckTimeout: z.number(),
    overlapSeconds: z.number(),
    drainingSeconds: z.number(),
    restartPolicyType: z.enum(["ON_FAILURE", "ALWAYS", "NEVER"]),
  }),
})

test("Coolify's file is as the Compose Specification wants it, and CapRover's and Railway's as they say", () => {
  const schema = JSON.parse(readFileSync("test/one-machine/compose-spec.json", "utf8")) as object
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false })
  expect(ajv.validate(schema, parse(read("coolify.yaml"))) || ajv.errors).toBe(true)
  const { caproverOneClickApp, services } = CapRover.parse(parse(read("caprover.yml")))
  Railway.parse(JSON.parse(read("railway.json")))
  // Every variable that is used is asked for, or one of CapRover's own.
  const used = JSON.stringify(services).match(/\$\$cap_\w+/g)!
  const asked = new Set([
    "$$cap_appname",
    "$$cap_root_domain",
    ...caproverOneClickApp.variables.map(({ id }) => id),
  ])
  expect(used.filter((one) => !asked.has(one))).toEqual([])
})

const settingsOf: Record<string, () => Record<string, string | undefined>> = {
  Coolify: () => {
    const lines = parse(filledIn(read("coolify.yaml"))).services.bridge.environment as string[]
    return parseEnv(lines.join("\n"))
  },
  CapRover: () => parse(filledIn(read("caprover.yml"))).services.bridge.environment,
  Railway: () => parseEnv(filledIn(/```sh\n([^]*?)```/.exec(read("README.md"))![1]!)),
}

test.for(Object.keys(settingsOf))("what %s sets is what the service takes, behind a proxy", (platform) => {
  const settings = settingsOf[platform]!()
  expect(misspelt(settings)).toEqual([])
  const { listen, serving } = ServeSettings.parse(settings)
  expect(listen).toEqual({ host: "0.0.0.0", port: 8787 })
  expect(serving.TRUST_PROXY).toMatch(/^1[07]/)
  expect(serving.backups).toBeDefined()
})

test("the files name the version of this commit", () => {
  expect(read("coolify.yaml")).toContain(`:${version}\n`)
  expect(read("caprover.yml")).toContain(`defaultValue: ${version}\n`)
})
