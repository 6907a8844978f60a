import { z } from "zod"
import { iso } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { makeBackup, ownBackups } from "#local/backup/backup.ts"
import { Unusable } from "#local/backup/unusable.ts"
import { BackupSettings, CannotStart, DataDir } from "#local/service/settings.ts"
import { Refused, type Verb } from "./verb.ts"

export const backup: Record<string, Verb> = {
  make: {
    takes: "",
    says: "on this machine: back the service up now, as happens each hour (docs/backup.md)",
    isOfFolder: true,
    run: async () =>
      await orRefused(async () => {
        const { dir, ...settings } = settled()
        if (dir === "") throw new Refused("BACKUP_DIR is not set: it is where backups are made")
        const input = { ...settings, dir, dataDir: dataDir(), reserveMb: 2 * config.STORAGE_RESERVE_MB }
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
        const all = await ownBackups(dataDir(), settled().dir)
        return all.map(({ path, madeMs }) => ({ made_at: iso(madeMs), path }))
      }),
  },
}

function dataDir(): string {
  return DataDir.parse(process.env.DATA_DIR)
}

/** The settings that say where backups are, and what they are sealed with. @throws Refused */
function settled(): BackupSettings {
  const settings = BackupSettings.parse(process.env)
  if (!settings)
    throw new Refused("BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE, is not set: backups are sealed under it")
  return settings
}

/** @throws Refused in place of what a person can put right */
async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Unusable || error instanceof CannotStart) throw new Refused(error.message)
    if (error instanceof z.ZodError)
      throw new Refused(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"))
    throw error
  }
}
