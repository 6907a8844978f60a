import { account, loginLink } from "./account.ts"
import { plugged } from "#plugged-in/admin.ts"
import { backup } from "./backup.ts"
import { bridge } from "./bridge.ts"
import { doctor } from "./doctor.ts"
import { events } from "./events.ts"
import { host } from "./host.ts"
import { key } from "./key.ts"
import { exporting, importing, takeBack, undoImport } from "./move.ts"
import { wrapping } from "./wrapping.ts"
import type { Verb } from "./verb.ts"

export type Nouns = Record<string, Record<string, Verb>>

/** Every verb of `npm run admin`, by what it is about. One without a name is the noun itself. */
export const nouns: Nouns = {
  account,
  key,
  bridge,
  host,
  events,
  ...plugged,
  wrapping,
  backup,
  export: { "": exporting },
  import: { "": importing },
  "undo-import": { "": undoImport },
  "take-back": { "": takeBack },
  "login-link": { "": loginLink },
  doctor: { "": doctor },
}
