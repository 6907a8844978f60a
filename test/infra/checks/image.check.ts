import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { buildImage } from "../rehearsal/image.ts"

test.for(["arm64", "amd64"])(
  "for %s, built anywhere, comes what is compiled for it, below 150 MB and without packages of Node",
  { timeout: 250_000 },
  (architecture) => {
    const folder = mkdtempSync(join(tmpdir(), "session-host-image-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    buildImage(folder, architecture)
    const modules = join(folder, "node_modules")
    const cpu = architecture === "amd64" ? "x64" : architecture
    expect(readdirSync(join(modules, "@img")).filter((name) => /-linux/.test(name))).toEqual([
      `sharp-libvips-linux-${cpu}`,
      `sharp-linux-${cpu}`,
    ])
    expect(readdirSync(modules).filter((name) => name.startsWith("node-linux"))).toEqual([])
    const megabytes = bytesOf(modules) / 1e6
    console.log(`node_modules of the host image: ${megabytes.toFixed(1)} MB`)
    expect(megabytes).toBeLessThan(150)
  },
)

/** The sum of the files' sizes. */
function bytesOf(path: string): number {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}
