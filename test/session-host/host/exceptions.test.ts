import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const program = fileURLToPath(new URL("../../support/throwing-process.ts", import.meta.url))

test("an uncaught error ends the session that it belongs to; one that belongs to none ends the process", async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; lines: string[] }>()
  const env = { ...process.env, NODE_OPTIONS: "", LOG_LEVEL: "silent" }
  execFile(process.execPath, [program], { env }, (error, stdout) =>
    resolve({ code: error?.code, lines: stdout.trim().split("\n") }),
  )
  const { code, lines } = await promise
  expect(lines).toEqual([
    "second failed: Error: rejected",
    expect.stringMatching(/^first failed: SyntaxError/),
    "the process lives",
  ])
  expect(code).toBe(1)
})
