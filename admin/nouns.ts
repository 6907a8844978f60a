import { pluggedVerbs } from "./plugged-in.ts"
import type { Verb } from "./verb.ts"

type Verbs = Record<string, Verb>

/**
 * Every noun of `npm run admin`, with its verbs. A verb without a name is the noun itself. The code of each
 * noun is loaded only for its own verbs.
 */
export const nouns: Record<string, () => Promise<Verbs>> = {
  account: async () => (await import("./account.ts")).account,
  key: async () => (await import("./key.ts")).key,
  bridge: async () => (await import("./bridge.ts")).bridge,
  host: async () => (await import("./host.ts")).host,
  events: async () => (await import("./events.ts")).events,
  ...Object.fromEntries(Object.entries(pluggedVerbs).map(([noun, verbs]) => [noun, async () => verbs])),
  wrapping: async () => (await import("./wrapping.ts")).wrapping,
  backup: async () => (await import("./backup.ts")).backup,
  export: async () => ({ "": (await import("./move.ts")).exporting }),
  import: async () => ({ "": (await import("./move.ts")).importing }),
  "undo-import": async () => ({ "": (await import("./move.ts")).undoImport }),
  "take-back": async () => ({ "": (await import("./move.ts")).takeBack }),
  "login-link": async () => ({ "": (await import("./account.ts")).loginLink }),
  doctor: async () => ({ "": (await import("./doctor.ts")).doctor }),
}

/** The verbs of all nouns. */
export async function allNouns(): Promise<Record<string, Verbs>> {
  const loaded = Object.entries(nouns).map(async ([noun, load]) => [noun, await load()] as const)
  return Object.fromEntries(await Promise.all(loaded))
}
