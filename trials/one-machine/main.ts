import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { apart, saying } from "./apart.ts"
import { Booted } from "./booted.ts"
import { readCommands } from "./commands-in-page.ts"
import { lookAfter } from "./looks.ts"
import { Machine } from "./machine.ts"
import type { LinkedNumber } from "./number.ts"
import { tryUnit } from "./unit.ts"

/**
 * `npm run one-machine:try`: every command of docs/one-machine.md, in its order, on this machine; over https
 * by Debian's Caddy, on the simulated network. In between, what the page promises is looked at. The commit
 * that is checked out is installed. Ends with `one machine: ok`. With `-- --systemd` it is a Debian that is
 * booted here, which takes root on Debian; then the unit is tried, and a reboot. The Debian is kept in
 * /var/cache/messaging-bridge-trials.
 */
process.exitCode = process.argv.includes("--systemd")
  ? await apart("one-machine-try", ["mmdebstrap", "systemd-container"], async () => {
      await inFolder(async (folder) => {
        const machine = await Booted.boot(folder)
        try {
          const { number } = await follow(machine)
          await tryUnit(machine, number!)
        } finally {
          await machine.close()
        }
      })
    })
  : await saying(async () => {
      await inFolder(async (folder) => {
        const machine = await Machine.make(folder)
        try {
          await follow(machine)
        } finally {
          await machine.close()
        }
      })
    })

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "one-machine-"))
  try {
    await work(folder)
    console.log("one machine: ok")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function follow(machine: Machine | Booted) {
  const about: { machine: Machine | Booted; number?: LinkedNumber } = { machine }
  for (const command of readCommands("docs/one-machine.md")) {
    const isElsewhere = command.includes("admin import")
    // A second Debian would say no more than the second service of the trial without systemd.
    if (isElsewhere && machine instanceof Booted) continue
    console.log(`$ ${command}`)
    const said =
      isElsewhere && machine instanceof Machine
        ? await machine.runAtAnother(command)
        : await machine.run(command)
    if (said !== "") console.log(said.replaceAll(/^/gm, "  "))
    await lookAfter(command)?.(said, about)
  }
  return about
}
