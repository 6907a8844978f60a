import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Unexpected } from "#one-machine/api-client.ts"
import { readCommands } from "./commands-in-page.ts"
import { lookAfter } from "./looks.ts"
import { Machine } from "./machine.ts"

/**
 * `npm run one-machine:try`: every command of docs/one-machine.md, in its order, on this machine; over https
 * by Debian's Caddy, on the simulated network. In between, what the page promises is looked at. The commit
 * that is checked out is installed. Ends with `one machine: ok`.
 */
const folder = mkdtempSync(join(tmpdir(), "one-machine-"))
const machine = await Machine.make(folder)
try {
  const about = { machine }
  for (const command of readCommands("docs/one-machine.md")) {
    console.log(`$ ${command}`)
    const said = command.includes("admin import")
      ? await machine.runAtAnother(command)
      : await machine.run(command)
    if (said !== "") console.log(said.replaceAll(/^/gm, "  "))
    await lookAfter(command)?.(said, about)
  }
  console.log("one machine: ok")
} catch (error) {
  if (!(error instanceof Unexpected)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await machine.close()
  rmSync(folder, { recursive: true, force: true })
}
