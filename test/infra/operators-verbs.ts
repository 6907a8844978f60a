import { allNouns } from "#admin/nouns.ts"

/**
 * The operator's verbs that are about a service, wherever it runs. The others are about a data folder of one
 * machine.
 */
export async function operatorsVerbs(): Promise<string[]> {
  const all = Object.entries(await allNouns()).flatMap(([noun, verbs]) =>
    Object.entries(verbs).flatMap(([name, { isOfFolder }]) => (isOfFolder ? [] : [`${noun} ${name}`])),
  )
  return all.toSorted()
}
