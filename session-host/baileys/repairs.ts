import { repairVerification } from "./certificates.ts"
import { repairContactActions } from "./people.ts"
import { repairRatchets } from "./ratchet-repairs.ts"
import { silenceLibsignal } from "./silence.ts"
import { repairTokens } from "./tokens.ts"

let installed = false

/** Repairs Baileys and libsignal, which are one per process; further calls do nothing. */
export function installRepairs() {
  if (installed) return
  installed = true
  repairVerification()
  repairRatchets()
  repairContactActions()
  repairTokens()
  silenceLibsignal()
}
