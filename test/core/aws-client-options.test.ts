import { expect, test } from "vitest"
import { isOnThisMachine, serviceAt } from "#core/platform/aws-client-options.ts"

test.for([
  ["http://127.0.0.1:4566", true],
  ["http://localhost:8000/", true],
  ["http://[::1]:8000", true],
  ["http://kms.sock", true],
  ["https://sqs.eu-central-1.amazonaws.com", false],
  ["http://127.0.0.1.example.com", false],
  ["http://dynamodb:8000", false],
] as const)("%s is on this machine: %s", ([url, expected]) => {
  expect(isOnThisMachine(new URL(url))).toBe(expected)
})

test("only what is on this machine is asked without a signature, credentials or region", () => {
  expect(serviceAt(undefined)).toEqual({})
  const endpoint = "https://sqs.eu-central-1.amazonaws.com"
  expect(serviceAt(endpoint)).toEqual({ endpoint })
  const here = serviceAt("http://127.0.0.1:4566")
  expect(here).toMatchObject({ endpoint: "http://127.0.0.1:4566", region: "local" })
  expect(here).toHaveProperty("httpAuthSchemes")
})
