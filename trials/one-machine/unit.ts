import { Unexpected } from "#one-machine/api-client.ts"
import { until } from "#test/support/until.ts"
import type { Booted } from "./booted.ts"
import { isServedDuring, must } from "./looks.ts"
import type { LinkedNumber } from "./number.ts"

const install = "sudo /opt/messaging-bridge/one-machine/install"
const restart = "sudo systemctl restart messaging-bridge"

/** What no command of the page shows: the unit after a reboot, with wrong settings, with other folders. */
export async function tryUnit(machine: Booted, number: LinkedNumber): Promise<void> {
  await machine.reboot()
  await number.receives("after a reboot")
  console.log("it is up after a reboot")

  const settings = machine.settings
  for (const wrong of ["LISTEN=nowhere", "BACKUP_DIRR=/mnt"]) {
    machine.settings = `${settings}\n${wrong}\n`
    for (const command of [restart, install]) {
      const said = await refused(machine, command)
      must(command === restart || said.includes(wrong.split("=")[0]!), `${wrong}: ${said}`)
    }
    const state = await machine.run("systemctl is-failed messaging-bridge || true")
    must(state === "failed", `with ${wrong} the unit is ${state}`)
  }
  machine.settings = settings
  await machine.run(restart)
  await number.receives("after a wrong setting was mended")
  console.log("a wrong and a misspelt setting fail at once, and the unit says failed")

  const backups = "install -d -o messaging-bridge -g messaging-bridge -m 0700 /mnt/backups"
  await machine.run(
    `${backups} && sed -i s,^BACKUP_DIR=.*,BACKUP_DIR=/mnt/backups, /etc/messaging-bridge.env`,
  )
  await machine.run(restart)
  const said = await refused(machine, "sudo /opt/messaging-bridge/one-machine/admin doctor")
  must(/backups=bad.*one-machine\/install/.test(said), said)
  const seen = await isServedDuring(machine, async () => await machine.run(install))
  const isBackedUp = async () => (await machine.run("ls /mnt/backups")).includes(".backup")
  await until(isBackedUp, { what: "a backup in another folder" })
  console.log("the doctor says that a new BACKUP_DIR needs an install, after which backups are made there")
  console.log(`during that install ${seen}`)

  machine.settings = `${machine.settings}\nDATA_DIR=/srv/bridge/data\n`
  await machine.run(
    "systemctl stop messaging-bridge && mkdir /srv/bridge && mv /var/lib/messaging-bridge /srv/bridge/data",
  )
  await machine.run(install)
  await number.receives("in another data folder")
  const found = await machine.admin("doctor")
  must(found.includes("the service answers") && found.includes("may open 65536 files"), found)
  console.log("the data is where DATA_DIR says, and the doctor tells the unit's limits")
}

/** What a command says that has to fail. */
async function refused(machine: Booted, command: string): Promise<string> {
  const said = await machine.run(command).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Unexpected) return error.message
      throw error
    },
  )
  if (said === undefined) throw new Unexpected(`${command} did not fail`)
  return said
}
