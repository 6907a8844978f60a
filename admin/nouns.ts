import type { Environment } from "#core/platform/config.ts"
import type { Verb } from "./verb.ts"

/** The nouns, each with what loads its verbs. A verb without a name is the noun itself. */
export type Nouns = Record<string, () => Promise<Record<string, Verb>>>

/**
 * Every noun of `npm run admin`, with those that are given in their place. The code of each noun is loaded
 * only for its own verbs.
 * @param environment what this program was started with, for verbs that have settings of their own
 */
export const nounsWith = (environment: Environment, given: Nouns): Nouns => ({
  account: async () => (await import("./account.ts")).account,
  key: async () => (await import("./key.ts")).key,
  bridge: async () => (await import("./bridge.ts")).bridge,
  host: async () => (await import("./host.ts")).host,
  events: async () => (await import("./events.ts")).events,
  ...given,
  wrapping: async () => (await import("./wrapping.ts")).wrapping,
  backup: async () => (await import("./backup.ts")).backup(environment),
  export: async () => ({ "": (await import("./move.ts")).exporting(environment) }),
  import: async () => ({ "": (await import("./move.ts")).importing(environment) }),
  "undo-import": async () => ({ "": (await import("./move.ts")).undoImport }),
  "take-back": async () => ({ "": (await import("./move.ts")).takeBack }),
  "login-link": async () => ({ "": (await import("./account.ts")).loginLink }),
  doctor: async () => ({ "": (await import("./doctor.ts")).doctor(environment) }),
})

/** The verbs of all these nouns. */
export async function verbsOf(nouns: Nouns): Promise<Record<string, Record<string, Verb>>> {
  const loaded = Object.entries(nouns).map(async ([noun, load]) => [noun, await load()] as const)
  return Object.fromEntries(await Promise.all(loaded))
}
