import { expect, test } from "vitest"
import { isOnThisMachine, signedUnlessOnThisMachine } from "#core/platform/aws-client-options.ts"

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

test("only what is on this machine is asked without a signature", () => {
  expect(signedUnlessOnThisMachine(undefined)).toEqual({})
  expect(signedUnlessOnThisMachine("https://sqs.eu-central-1.amazonaws.com")).toEqual({})
  expect(signedUnlessOnThisMachine("http://127.0.0.1:4566")).toHaveProperty("httpAuthSchemes")
})
