import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { ServeSettings, settingNames, Settings } from "#one-machine/service/settings.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** The settings that a Zod schema reads: its fields. */
const fields = (path: string) =>
  [...read(path).matchAll(/^ +([A-Z][A-Z0-9_]+): /gm)].map((match) => match[1]!)

/** The variables that `infra/` reads, and those that it passes on. */
const atDeploy = [
  ...read("infra/stage/settings.ts").matchAll(/process\.env\.([A-Z_]+)/g),
  ...read("infra/stage/passed-on.ts").matchAll(/^ {2}([A-Z_]+): \//gm),
].map((match) => (match[1] ?? match[2])!)

/** The items of the page's lists: what stands before the colon, and the default within parentheses there. */
const items = read("docs/settings.md")
  .replaceAll("\n  ", " ")
  .split("\n")
  .filter((line) => line.startsWith("- "))
  .map((line) => ({
    names: /^- ((?:`[A-Z_]+`(?:, )?)+)/.exec(line)?.[1] ?? line,
    value: /^- `[A-Z_]+` \(([^)]*)\)/.exec(line)?.[1] ?? "",
  }))

/**
 * Settings that the service itself, AWS or a trial gives to a process. No operator sets them, so the page
 * leaves them out.
 */
const told = new Set(
  `STAGE LOCAL_PARENT METRICS_SERVICE LOG_FILE LOG_DIR LOG_GROUP STORAGE_DIR SOCKET_DIR
  ACCOUNTS_TABLE LEASES_TABLE SESSIONS_TABLE EVENTS_TABLE REQUESTS_TABLE
  DOORBELL_URL MEDIA_BUCKET
  AWS_ENDPOINT_URL_CLOUDWATCH_LOGS AWS_ENDPOINT_URL_DYNAMODB AWS_ENDPOINT_URL_ECS AWS_ENDPOINT_URL_KMS
  AWS_ENDPOINT_URL_LAMBDA AWS_ENDPOINT_URL_S3 AWS_ENDPOINT_URL_SESV2 AWS_ENDPOINT_URL_SQS
  HOST_TOKEN_SECRET HOST_TOKEN_SECRET_BEFORE ROUTER_SECRET ROUTER_SECRET_BEFORE
  PHONE_SECRET SESSION_WRAPPING_KEY DELIVERY_WRAPPING_KEY
  HOST_ID HOST_ADDRESS HOST_BIND HOST_PORT SIMULATOR_URL SIMULATOR_ROOT_KEY SIMULATOR_CONTROL_URL
  LEASE_BEAT_MS DELIVERY_CLAIM_S FAILING_PLACES KEY_CLAIM_S BELL_TRUSTS_MS
  HOST_SPOT API_FUNCTION CALLS_FUNCTION ECS_CLUSTER ECS_TASK_DEFINITION ECS_SUBNETS ECS_SECURITY_GROUPS
  ECS_CONTAINER_METADATA_URI_V4 AWS_LAMBDA_FUNCTION_NAME`.split(/\s+/),
)

test("docs/settings.md names every setting that a person makes, and no other", () => {
  // The AWS SDK itself reads the region.
  const inCode = new Set([
    ...fields("core/platform/config.ts").filter((name) => !told.has(name)),
    ...fields("one-machine/service/settings.ts"),
    ...atDeploy,
    "AWS_REGION",
  ])
  expect(new Set(fields("core/platform/config.ts")).isSupersetOf(told)).toBe(true)
  const named = items.flatMap(({ names }) => names.match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g) ?? [])
  expect([...new Set(named)].toSorted()).toEqual([...inCode].toSorted())
})

test("the service knows each setting of one machine that docs/settings.md names", () => {
  const [ofOneMachine] = read("docs/settings.md").split("## At a deploy")
  const named = ofOneMachine!.match(/(?<=^- .*`)[A-Z][A-Z0-9_]+(?=`.*[):,])/gm)!
  expect(named.filter((name) => !settingNames.has(name))).toEqual([])
})

test("the numbers that docs/settings.md gives are the code's own", () => {
  const required = { PUBLIC_URL: "https://wa.example.com", OPERATOR_EMAIL: "operator@example.com" }
  const inCode: Record<string, unknown> = {
    ...config,
    ...ServeSettings.parse(required),
    ...Settings.parse({}),
  }
  const numbers = items.filter(({ value }) => /^\d+$/.test(value))
  expect(numbers.length).toBeGreaterThan(7)
  for (const { names, value } of numbers)
    expect(`${names}: ${value}`).toBe(`${names}: ${String(inCode[names.replaceAll("`", "")])}`)
})
