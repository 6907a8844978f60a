import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/**
 * The sources of this checkout at another path, as somebody has them whose umask is this, and with other
 * contents in some of the files.
 */
export function aCheckout({
  umask = 0o022,
  changed = {},
}: {
  umask?: number
  changed?: Record<string, string>
}) {
  const folder = mkdtempSync(join(tmpdir(), "checkout-"))
  for (const path of git(["ls-files", "-z", "-co", "--exclude-standard"], root).split("\0").slice(0, -1)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true, mode: 0o777 & ~umask })
    cpSync(join(root, path), join(folder, path))
    const isProgram = path.endsWith("/build-ffmpeg")
    chmodSync(join(folder, path), (isProgram ? 0o777 : 0o666) & ~umask)
  }
  for (const [path, content] of Object.entries(changed)) writeFileSync(join(folder, path), content)
  git(["init", "-q"], folder)
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

function git(args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
