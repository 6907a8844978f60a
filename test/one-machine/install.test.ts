import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"

/** The first step of `npm start`, with Node claiming another version on another platform. */
function installOn(told: { platform: string; version: string }) {
  const lies = Object.entries(told).map(
    ([name, value]) => `Object.defineProperty(process, "${name}", { value: "${value}" });`,
  )
  const script = `${lies.join("")} await import("./one-machine/install-once.mjs")`
  return spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
}

test.for([
  [{ platform: "linux", version: "v18.20.0" }, /^this needs Node 20 or newer .* v18\.20\.0$/],
  [{ platform: "darwin", version: "v22.12.0" }, /^this needs Node 24 here .* darwin .* v22\.12\.0$/],
  [{ platform: "win32", version: "v24.0.0" }, /Linux \(WSL\)$/],
] as const)("%o is told in one sentence what does not fit", ([told, sentence]) => {
  const { status, stderr, stdout } = installOn(told)
  expect({ status, stdout, said: stderr.trim() }).toEqual({
    status: 1,
    stdout: "",
    said: expect.stringMatching(sentence),
  })
})

test("a Node 24 of one's own will do on macOS", () => {
  expect(installOn({ platform: "darwin", version: "v24.1.0" })).toMatchObject({ status: 0, stderr: "" })
})
