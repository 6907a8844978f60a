import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { BinaryNode } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { StanzaSkeleton } from "#core/message/stanza-skeleton.ts"
import { nowMs } from "#core/platform/clock.ts"

/** Takes every frame that comes in. */
export type Recorder = (frame: BinaryNode) => void

/** More facts than any network has. The limit keeps a stranger from filling the disk. */
const mostFacts = 50_000

/**
 * Records the structure of stanzas, without their content (`core/message/stanza-skeleton.ts`): each fact
 * once, in a file of this process. `npm run simulator:compare` reads the folder.
 */
export function newRecorder(folder: string, log: Pick<Logger, "warn">): Recorder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${nowMs()}-${process.pid}.txt`)
  const known = new Set<string>()
  return (frame) => {
    const found = StanzaSkeleton.factsOf(frame).filter((fact) => !known.has(fact))
    if (found.length === 0 || known.size > mostFacts) return
    for (const fact of found) known.add(fact)
    try {
      appendFileSync(file, `${found.join("\n")}\n`, { mode: 0o600 })
    } catch (error) {
      log.warn({ error }, "what the network sends was not recorded")
    }
  }
}
