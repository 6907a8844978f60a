import type { Environment } from "#core/platform/config.ts"
import type { Verb } from "./verb.ts"

export const doctor = (environment: Environment): Verb => ({
  takes: "",
  says: "what is missing or weak on this machine for `npm run serve`: settings, clock, disk, limits, name, port, certificate, mail",
  isOfFolder: true,
  run: async () => {
    const { examine } = await import("#one-machine/serve/doctor.ts")
    const findings = await examine(environment)
    if (findings.some(({ is }) => is === "bad")) process.exitCode = 1
    return findings.map(({ what, is, says }) => ({ [what]: is, says }))
  },
})
