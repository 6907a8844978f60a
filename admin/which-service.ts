import { globSync } from "node:fs"
import { resolve } from "node:path"
import type { Environment } from "#core/platform/config.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { DataDir } from "#one-machine/service/settings.ts"
import { Refused } from "./verb.ts"

/** The settings that identify a deployed stage (infra/admin.ts). */
export const settingsOfStage = [
  "ACCOUNTS_TABLE",
  "LEASES_TABLE",
  "SESSIONS_TABLE",
  "EVENTS_TABLE",
  "REQUESTS_TABLE",
  "DOORBELL_URL",
  "SESSION_WRAPPING_KEY",
  "DELIVERY_WRAPPING_KEY",
  "LOG_GROUP",
  "STAGE",
  "API_KEY_PEPPER",
  "PHONE_SECRET",
  "DASHBOARD_URL",
] as const

export interface Service {
  /** A sentence that tells the person which service it is, before anything is done. */
  says: string
  /** The settings that reach it, in addition to the present environment. */
  environment: Record<string, string>
}

/**
 * Which service is meant: the one running on this machine's data folder, or the stage that the environment
 * names. Unless `DATA_DIR` names the folder, it is the one of the project's folders `.data*` on which a
 * service runs.
 * @param project the folder of the project
 * @throws Refused when there are several, or none, or the stage's settings are incomplete.
 */
export async function whichService(environment: Environment, project = "."): Promise<Service> {
  const named = environment.DATA_DIR === undefined ? undefined : DataDir.parse(environment.DATA_DIR)
  const folders = named === undefined ? globSync(".data*", { cwd: project }).toSorted() : []
  const found = await runningOn(named === undefined ? folders.map((name) => resolve(project, name)) : [named])
  const [{ running, dataDir } = { running: undefined, dataDir: named ?? resolve(project, ".data") }] = found
  if (found.length > 1)
    throw new Refused(
      `which service? Several run on this machine: DATA_DIR says which one, as ${found.map(({ dataDir: dir }) => dir).join(" or ")}`,
    )
  const missing = settingsOfStage.filter((name) => !environment[name])
  const isNamed = settingsOfStage.some((name) => name.endsWith("_TABLE") && environment[name])
  const stage = isNamed ? `the stage "${environment.STAGE ?? ""}" on AWS` : undefined
  if (running && stage)
    throw new Refused(
      `which service? One runs on this machine (${running.baseUrl}, ${dataDir}), and the environment names ${stage}: ` +
        "stop the one, or use a new shell, without the settings of the other",
    )
  if (running) {
    // Passkeys do not work at an address, so people are led to the name.
    const dashboard = running.baseUrl.replace("127.0.0.1", "localhost")
    const environment = { DASHBOARD_URL: dashboard, ...running.environment }
    return { says: `on this machine: ${running.baseUrl}, ${dataDir}`, environment }
  }
  if (!stage)
    throw new Refused(
      `no service runs on ${dataDir}: start it with \`npm start\` or \`systemctl start messaging-bridge\` (DATA_DIR says which folder), ` +
        "or take over a stage's settings (docs/deploy.md)",
    )
  if (missing.length > 0) throw new Refused(`${stage}: ${missing.join(", ")} not set (docs/deploy.md)`)
  return {
    says: `on ${stage}, ${environment.AWS_REGION ?? "in the region of your profile"}`,
    environment: {},
  }
}

/** The services that run on these data folders. */
async function runningOn(dataDirs: string[]) {
  const all = await Promise.all(
    dataDirs.map(async (dataDir) => ({ dataDir, running: await findRunning(dataDir) })),
  )
  return all.flatMap(({ dataDir, running }) => (running ? [{ dataDir, running }] : []))
}
