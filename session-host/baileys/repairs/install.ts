import { repairVerification } from "./certificates.ts"
import { repairContactActions } from "../app-state/people.ts"
import { repairRatchets } from "./ratchets.ts"
import { silenceLibsignal } from "./quiet-libsignal.ts"
import { repairTokens } from "./token-prototype.ts"

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
