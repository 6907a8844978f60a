import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Puts a newer commit of the same code into a bare repository, which an upgrade brings. */
export async function newerCommit(repository: string): Promise<void> {
  const git = async (...args: string[]) => (await run("git", ["-C", repository, ...args])).stdout.trim()
  const by = ["-c", "user.name=trial", "-c", "user.email=trial@example.com"]
  const commit = await git(...by, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "An upgrade")
  await git("update-ref", "HEAD", commit)
}
