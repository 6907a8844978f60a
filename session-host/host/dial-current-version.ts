import type { Connect } from "../uplink/dialler.ts"
import type { Version, WebVersion } from "./web-version.ts"

type Dial = (input: Parameters<Connect>[0] & { version?: Version }) => ReturnType<Connect>

/**
 * Dials as the current version of WhatsApp Web. If the network finds that version outdated, the current one is looked
 * up at once. The end of the connection is reported only afterwards, so the next dial already uses it.
 */
export function dialCurrentVersion(dial: Dial, webVersion: Pick<WebVersion, "current" | "refused">): Connect {
  return (input) => {
    const version = webVersion.current
    return dial({
      ...input,
      ...(version && { version }),
      onHappening(happening) {
        const isOutdated = happening.kind === "closed" && happening.objection === "outdated"
        if (!isOutdated) return input.onHappening(happening)
        // It never rejects: a failed look-up is logged there.
        void webVersion.refused().finally(() => input.onHappening(happening))
      },
    })
  }
}
