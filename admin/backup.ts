import { iso, nowMs } from "#core/platform/clock.ts"
import { config, type Environment } from "#core/platform/config.ts"
import { makeBackup, ownBackups } from "#one-machine/backup/backup.ts"
import { restoreBackup } from "#one-machine/backup/restore.ts"
import { BackupSettings, DataDir } from "#one-machine/service/settings.ts"
import { argument, orRefused, Refused, type Verb } from "./verb.ts"
import { settingsOfStage } from "./which-service.ts"

export const backup = (environment: Environment): Record<string, Verb> => ({
  make: {
    takes: "",
    says: "on this machine: back the service up now, as happens each hour (docs/backup.md)",
    isOfFolder: true,
    run: async () =>
      await orRefused(async () => {
        const { dir, ...settings } = settled(environment)
        if (dir === "") throw new Refused("BACKUP_DIR is not set: it is where backups are made")
        const input = {
          ...settings,
          dir,
          dataDir: dataDir(environment),
          reserveMb: 2 * config.STORAGE_RESERVE_MB,
        }
        const { path, madeMs } = await makeBackup(input)
        return [{ made_at: iso(madeMs), path }]
      }),
  },
  list: {
    takes: "",
    says: "on this machine: the backups of the service in this data folder, the oldest first",
    isOfFolder: true,
    run: async () =>
      await orRefused(async () => {
        const all = await ownBackups(dataDir(environment), settled(environment).dir)
        return all.map(({ path, madeMs }) => ({ made_at: iso(madeMs), path }))
      }),
  },
  restore: {
    takes: "<file> [replace]",
    says: "on this machine: put a backup into the data folder, in the place of what is there; no number has to be linked again",
    isOfFolder: true,
    run: async (args) =>
      await orRefused(async () => {
        const path = argument(args, 0, "file")
        const [, word] = args
        if (word !== undefined && word !== "replace") throw new Refused(`what is \`${word}\`?`)
        mustBeOfThisMachine(environment)
        const { passphrase } = settled(environment)
        const folder = dataDir(environment)
        const { madeMs, bridges } = await restoreBackup({
          dataDir: folder,
          path,
          passphrase,
          replaces: word === "replace",
        })
        console.error(lossesSince(madeMs))
        return [{ restored: folder, made_at: iso(madeMs), bridges }]
      }),
  },
})

/** What a restored service does not know. */
function lossesSince(madeMs: number): string {
  const minutes = Math.max(0, Math.round((nowMs() - madeMs) / 60_000))
  return `This is the service as it was at ${iso(madeMs)}, ${minutes} minutes ago. What it does not know of the time since:
  - what had come in and was not delivered is lost, as are answers to polls and event messages that had come in
  - what was delivered around that time may be delivered again: by its event id, or as a message that comes once more
  - a retry under an Idempotency-Key that was new since then sends a second message
  - keys that were revoked since then are valid again; accounts, bridges, webhooks and settings are as they were
  - numbers that were linked since then have to be linked again; all others stay linked, and make new keys by themselves
Never start the service on the lost data folder again, should it come back.`
}

/** @throws Refused */
function mustBeOfThisMachine(environment: Environment): void {
  const named = settingsOfStage.find((name) => name.endsWith("_TABLE") && environment[name])
  if (named) throw new Refused(`${named} names a stage on AWS: use a new shell, without its settings`)
}

function dataDir(environment: Environment): string {
  return DataDir.parse(environment.DATA_DIR)
}

/** The settings that say where backups are, and what they are sealed with. @throws Refused */
function settled(environment: Environment): BackupSettings {
  const settings = BackupSettings.parse(environment)
  if (!settings)
    throw new Refused("BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE, is not set: backups are sealed under it")
  return settings
}
