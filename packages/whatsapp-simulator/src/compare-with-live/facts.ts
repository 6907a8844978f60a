import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The facts of all recordings in a folder (`RECORD`), sorted. @throws Error where there is no such folder */
export function recordedFacts(folder: string): Set<string> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".txt"))
  return new Set(files.flatMap((name) => linesOf(join(folder, name))).toSorted())
}

/** Everything that this network is known to send: the facts of recordings made on it. */
export function knownFacts(): Set<string> {
  return new Set(linesOf(knownFactsFile))
}

/** The file that `knownFacts` reads. */
export const knownFactsFile = new URL("known-facts.txt", import.meta.url).pathname

/** The facts that are not known. Of a part that is missing as a whole, only the topmost fact. */
export function missingIn(known: ReadonlySet<string>, facts: ReadonlySet<string>): string[] {
  const missing = [...facts].filter((fact) => !known.has(fact))
  return missing.filter((fact) => !missing.some((top) => isBelow(fact, top)))
}

function isBelow(fact: string, top: string): boolean {
  return fact.startsWith(`${top}/`) || fact.startsWith(`${top} `)
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
}
