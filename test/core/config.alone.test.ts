import { expect, test } from "vitest"
import { config, configure, need } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"

test("settings are those that a process was started with, until it is given others in place of all", () => {
  process.env.SUPPORT_EMAIL = "help@example.com"
  process.env.HOST_ID = "host"
  expect(config).toMatchObject({ SUPPORT_EMAIL: "help@example.com", HOST_ID: "host" })

  const before = { ...process.env }
  configure({ LOG_LEVEL: "warn", HOST_CAPACITY: "7" })
  expect(config).toMatchObject({ LOG_LEVEL: "warn", HOST_CAPACITY: 7, SUPPORT_EMAIL: "" })
  expect(() => need("HOST_ID")).toThrow("HOST_ID is not set")
  expect(process.env).toEqual(before)
  // What is made at its first use is made with them.
  expect(log.level).toBe("warn")
})

test("settings that are not valid are refused, and those before hold on", () => {
  configure({ HOST_CAPACITY: "7" })
  expect(() => configure({ HOST_CAPACITY: "many" })).toThrow("HOST_CAPACITY")
  expect(config.HOST_CAPACITY).toBe(7)
})
