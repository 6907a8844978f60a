import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import type { BackupSettings } from "../service/settings.ts"
import { makeBackup, ownBackups } from "./backup.ts"

const everyMs = 3_600_000
/** How soon a backup that failed is tried again. */
const againMs = 600_000
/** From when on the operator is told, in ms. */
export const alertAfterMs = 3 * everyMs

/**
 * Backs a service up each hour, for as long as it runs. A backup that fails disturbs nothing but the next
 * alert.
 */
export class HourlyBackups {
  readonly #input: BackupSettings & { dataDir: string }
  readonly #beganMs = nowMs()
  #failedMs: number | undefined
  #latestMs: number | undefined
  #looking: Promise<void> | undefined

  constructor(input: BackupSettings & { dataDir: string }) {
    this.#input = input
  }

  /** Looks at the backups that there are, and begins one if it is time, without waiting for it. */
  backUpIfDue(): void {
    this.#looking ??= this.#backUpIfDue().finally(() => (this.#looking = undefined))
  }

  /**
   * The age of the latest backup in seconds, also of one that an operator made by hand; Infinity without a
   * backup.
   */
  get ageS(): number {
    return since(this.#latestMs) / 1000
  }

  /** Whether the last try failed. */
  get hasFailed(): boolean {
    return this.#failedMs !== undefined
  }

  /** Whether the operator has to look. A service that has just begun gets time for its first backup. */
  get isOld(): boolean {
    return Math.min(this.ageS * 1000, since(this.#beganMs)) > alertAfterMs
  }

  /** Resolves when no backup is under way. */
  async settled(): Promise<void> {
    await this.#looking
  }

  async #backUpIfDue(): Promise<void> {
    const { dataDir, dir } = this.#input
    try {
      this.#latestMs = (await ownBackups(dataDir, dir)).at(-1)?.madeMs
    } catch (error) {
      log.error({ error }, "the folder of the backups cannot be read")
    }
    if (since(this.#failedMs) >= againMs && this.ageS * 1000 >= everyMs) await this.#make()
  }

  async #make(): Promise<void> {
    // Twice the reserve stays free, as for anything that the service can do without.
    const reserveMb = 2 * config.STORAGE_RESERVE_MB
    const startMs = performance.now()
    try {
      const { path, madeMs } = await makeBackup({ ...this.#input, reserveMb })
      this.#latestMs = madeMs
      this.#failedMs = undefined
      log.info({ path, tookMs: Math.round(performance.now() - startMs) }, "backed up")
    } catch (error) {
      this.#failedMs = nowMs()
      log.error({ error }, "no backup was made: those that are there stay")
    }
  }
}

/**
 * How long ago a time was, in ms; Infinity if there is none, or if it is in the future: the clock was set
 * back since.
 */
function since(ms: number | undefined): number {
  return ms === undefined || ms > nowMs() ? Infinity : nowMs() - ms
}
