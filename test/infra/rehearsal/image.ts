import { spawnSync } from "node:child_process"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const dockerfile = readFileSync(join(root, "session-host/Dockerfile"), "utf8")

/** Does in a folder, without Docker, what the host's Dockerfile says: its copies and its installation. */
export function buildImage(
  folder: string,
  TARGETARCH = process.arch === "x64" ? "amd64" : process.arch,
): void {
  const copies = [...dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)].map((match) => match[1]!.split(" "))
  for (const copy of copies)
    for (const source of copy.slice(0, -1))
      cpSync(join(root, source), join(folder, source), { recursive: true })
  const installation = /^RUN (.+)$/m.exec(dockerfile)![1]!
  const env = { ...process.env, TARGETARCH }
  const installed = spawnSync("sh", ["-c", installation], {
    cwd: folder,
    encoding: "utf8",
    timeout: 240_000,
    env,
  })
  if (installed.status !== 0) throw new Error(`${installation}: ${installed.stderr}`)
}

/** The image's command: its arguments to Node. */
export function commandOfImage(): string[] {
  const [, ...args] = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)![1]!) as string[] // a JSON list of strings
  return args
}
