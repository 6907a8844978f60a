import { nouns } from "./with-billing.ts"

/**
 * The operator's verbs that are about a service, wherever it runs. The others are about a data folder of one
 * machine.
 */
export function operatorsVerbs(): string[] {
  const all = Object.entries(nouns).flatMap(([noun, verbs]) =>
    Object.entries(verbs).flatMap(([name, { isOfFolder }]) => (isOfFolder ? [] : [`${noun} ${name}`])),
  )
  return all.toSorted()
}
