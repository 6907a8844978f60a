import type { Connect } from "../uplink/dialler.ts"
import type { Version, WebVersion } from "./web-version.ts"

type Dial = (input: Parameters<Connect>[0] & { version?: Version }) => ReturnType<Connect>

/**
 * Dials as the current version of WhatsApp Web. Where the network finds it outdated, the current one is asked for at once,
 * and the end of that connection is told when it is known: whoever dials then dials as it.
 */
export function asCurrentVersion(dial: Dial, webVersion: Pick<WebVersion, "current" | "refused">): Connect {
  return (input) => {
    const version = webVersion.current
    return dial({
      ...input,
      ...(version && { version }),
      onHappening(happening) {
        const isOutdated = happening.kind === "closed" && happening.objection === "outdated"
        if (!isOutdated) return input.onHappening(happening)
        // It fails for nobody: what could not be asked is logged there.
        void webVersion.refused().finally(() => input.onHappening(happening))
      },
    })
  }
}
