import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { configure } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"

const disk = canMount() ? mountSmallDisk(1) : undefined
afterAll(() => disk?.remove())

test("a process whose log cannot be written goes on", () => {
  const script = `const { log } = await import("./core/platform/log.ts")
    for (let at = 0; at < 3; at++) log.info("a line")
    console.log("it goes on")`
  const args = ["--input-type=module-typescript", "-e", script]
  const said = execFileSync(process.execPath, args, { env: { LOG_FILE: "/dev/full" }, encoding: "utf8" })
  expect(said).toBe("it goes on\n")
})

test.skipIf(!disk)("lines that find the disk full are written when there is room, whole and in order", () => {
  const file = join(disk!.folder, "logs", "service.log")
  configure({ LOG_FILE: file, LOG_LEVEL: "info" })
  const padding = "x".repeat(3000)
  log.info("before")
  disk!.fill(0)
  for (let at = 0; at < 5; at++) log.info({ padding }, `while it is full ${at}`)
  expect(readFileSync(file, "utf8")).not.toContain("while it is full 4")
  disk!.free()
  log.info("afterwards")
  const said = readFileSync(file, "utf8").trim().split("\n")
  const messages = said.map((line) => (JSON.parse(line) as { msg: string }).msg)
  const meanwhile = Array.from({ length: 5 }, (_, at) => `while it is full ${at}`)
  expect(messages).toEqual(["before", ...meanwhile, "afterwards"])
})
