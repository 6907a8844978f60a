import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { readSettings, refuseEnvFiles } from "#infra/stage/settings-file.ts"

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "project-"))
  mkdirSync(join(project, "stages"))
  // Taken back after the test, also where the file sets them.
  for (const name of ["DOMAIN", "SANDBOX"]) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(project, { recursive: true })
})

test("the settings of a stage are those of its file; the environment wins", () => {
  writeFileSync(join(project, "stages/blue.env"), "DOMAIN=api.example.com\nSANDBOX=1\n")
  writeFileSync(join(project, "stages/green.env"), "DOMAIN=other.example.com\n")
  process.env.SANDBOX = ""
  readSettings("blue", project)
  expect(process.env).toMatchObject({ DOMAIN: "api.example.com", SANDBOX: "" })
})

test("a stage without a file has what the environment says", () => {
  process.env.DOMAIN = "api.example.com"
  readSettings("blue", project)
  expect(process.env.DOMAIN).toBe("api.example.com")
})

test.for([".env", ".env.blue"])("%s is refused: SST would let it win over the environment", (name) => {
  writeFileSync(join(project, name), "DOMAIN=api.example.com\n")
  expect(() => refuseEnvFiles("blue", project)).toThrow(
    `what ${name} says would win over the environment: move its settings to stages/blue.env`,
  )
})
