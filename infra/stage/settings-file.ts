import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

/**
 * Takes the settings of a stage from `stages/<stage>.env` in the project's folder into the environment. Where
 * both have a setting, the environment wins.
 */
export function readSettings(stage: string, folder = projectOf(process.cwd())): void {
  const file = join(folder, "stages", `${stage}.env`)
  if (existsSync(file) && !isNodeTooOld()) process.loadEnvFile(file)
}

/** The operator's own Node evaluates the deploy. `process.loadEnvFile` is there since Node 20.12. */
function isNodeTooOld(): boolean {
  return typeof process.loadEnvFile !== "function"
}

/**
 * @throws where nothing may be deployed, whatever the settings: with `sst dev`, with an old Node, or without
 * a region
 */
export function refuseBeforeAll(stage: string, { isDev }: { isDev: boolean }): void {
  if (isDev)
    throw new Error(
      "sst dev would replace this stage's functions by stubs: run the service on this machine with npm start, or deploy a stage of your own",
    )
  if (isNodeTooOld())
    throw new Error(`a deploy needs Node 20.12 or newer, and this is ${process.version}: install a newer one`)
  if (!process.env.AWS_REGION)
    throw new Error(
      `AWS_REGION is not set, and the region of your profile may be another than the stage's: set it in stages/${stage}.env`,
    )
}

/** @throws where there is a file of settings that SST reads itself, and lets win over the environment */
export function refuseEnvFiles(stage: string, folder = projectOf(process.cwd())): void {
  for (const name of [".env", `.env.${stage}`])
    if (existsSync(join(folder, name)))
      throw new Error(
        `what ${name} says would win over the environment: move its settings to stages/${stage}.env`,
      )
}

/**
 * @throws in a shell that has a stage's settings for `npm run admin`: several have the same names as settings
 * of a deploy, and would win
 */
export function refuseAdminShell(): void {
  if (!process.env.ACCOUNTS_TABLE) return
  throw new Error(
    "this shell has the settings of a stage for npm run admin (ACCOUNTS_TABLE is set), and the deploy would take some of them " +
      "for its own: deploy from another shell",
  )
}

/** SST may be called in any folder of the project, and runs the first part of its configuration there. */
function projectOf(folder: string): string {
  if (existsSync(join(folder, "sst.config.ts"))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error("there is no sst.config.ts here, nor in a folder above")
  return projectOf(parent)
}
