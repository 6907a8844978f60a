import { execFile } from "node:child_process"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { z } from "zod"
import type { Environment } from "#core/platform/config.ts"
import { CannotStart, MayPass } from "#dynamodb-on-sqlite/cannot-start.ts"
import "#core/platform/faster-node-crypto.ts"
import { Unexpected } from "./api-client.ts"
import { askedToStop } from "./asked-to-stop.ts"
import { makeFolder, refuseFolder } from "./service/data-folder.ts"
import { misspelt } from "./service/misspelt.ts"
import type { Given, Service } from "./service/service.ts"
import type { Settings } from "./service/settings.ts"

/** `EX_CONFIG` of sysexits.h: the unit is not started again. */
const wrongSetting = 78

/**
 * Runs the whole service until it is asked to stop.
 * @param given its environment, the settings that this has, and billing, if it is not left out
 * @param started is called once the service answers; its signal is aborted when the service is asked to stop
 * @returns the exit code: 1 for what may pass, and 78 for what a person has to mend. What is wrong is said on
 * stderr
 */
export async function runUntilAsked<Its extends Settings>(
  given: Pick<Given, "environment" | "billing"> & { schema: z.ZodType<Its> },
  started: (service: Service, settings: Its, stopping: AbortSignal) => Promise<void>,
): Promise<number> {
  // Whatever this process and its children write is for their user alone: data, logs, compiled code,
  // temporary files.
  process.umask(0o077)
  try {
    const settings = given.schema.parse(given.environment)
    refuseMisspelt(given.environment, settings)
    // A supervisor waits, and then kills; a person wants their terminal back.
    const asked = askedToStop({ patienceMs: settings.serving ? Infinity : 10_000 })
    refuseFolder(settings)
    makeFolder(settings.DATA_DIR)
    // With compiled code kept, later starts load the rest in half the time.
    enableCompileCache(join(settings.DATA_DIR, "compiled"))
    const { startService } = await import("./service/service.ts")
    const service = await startService({ ...given, settings })
    const stopping = new AbortController()
    try {
      await started(service, settings, stopping.signal)
      tellSystemd(given.environment)
      await asked
      stopping.abort()
      console.log("stopping...")
    } finally {
      await service.stop()
    }
    return 0
  } catch (error) {
    console.error(sentenceOf(error))
    return error instanceof MayPass || error instanceof Unexpected ? 1 : wrongSetting
  }
}

/** Whoever only tries the service has variables of other programs. @throws CannotStart */
function refuseMisspelt(environment: Environment, { serving }: Settings): void {
  const found = misspelt(environment).map(({ name, meant }) => `${name}: is no setting; ${meant} is one`)
  if (found.length === 0) return
  if (serving) throw new CannotStart(found.join("\n"))
  console.error(found.join("\n"))
}

/** Where systemd waits until the unit is up (`Type=notify`), it is. */
function tellSystemd({ NOTIFY_SOCKET }: Environment): void {
  if (NOTIFY_SOCKET === undefined) return
  execFile("systemd-notify", ["--ready"], (error) => error && console.error(error.message))
}

/** One line that says what to change. @throws any error that is our own bug. */
function sentenceOf(error: unknown): string {
  if (error instanceof CannotStart) return error.message
  // The service itself refuses, as for want of room.
  if (error instanceof Unexpected && error.status === 503) return error.message
  if (error instanceof z.ZodError)
    return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n")
  throw error
}
