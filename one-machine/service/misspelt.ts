import type { Environment } from "#core/platform/config.ts"
import { settingNames } from "./settings.ts"

/** A shorter name is near to too many words of other programs. */
const shortest = 6

/**
 * The variables that are no settings, and so near to one that it must be meant: a case, an underscore or a
 * letter or two are wrong.
 */
export function misspelt(environment: Environment): { name: string; meant: string }[] {
  const others = Object.keys(environment).filter((name) => !settingNames.has(name))
  return others.flatMap((name) => {
    const meant = [...settingNames].find((one) => isNear(plain(name), plain(one)))
    return meant === undefined ? [] : [{ name, meant }]
  })
}

const plain = (name: string) => name.toUpperCase().replaceAll(/[_-]/g, "")

function isNear(word: string, setting: string): boolean {
  if (setting.length < shortest) return false
  return distance(word, setting) <= (setting.length < 10 ? 1 : 2)
}

/** How many letters are put in, taken out, changed, or swapped with the next (optimal string alignment). */
function distance(word: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let at = 1; at <= word.length; at++) {
    const row = [at]
    for (let its = 1; its <= other.length; its++) {
      const cost = word[at - 1] === other[its - 1] ? 0 : 1
      const isSwapped = word[at - 1] === other[its - 2] && word[at - 2] === other[its - 1]
      const swapped = isSwapped ? rows[at - 2]![its - 2]! + 1 : Infinity
      row.push(Math.min(rows[at - 1]![its]! + 1, row[its - 1]! + 1, rows[at - 1]![its - 1]! + cost, swapped))
    }
    rows.push(row)
  }
  return rows.at(-1)!.at(-1)!
}
