import { TOKEN_MAP } from "@whiskeysockets/baileys/lib/WABinary/constants.js"
import { repairCurve } from "./curve.ts"
import { repairLoginPayload } from "./login-counts.ts"
import { silenceLibsignal } from "./quiet-libsignal.ts"
import { repairRatchets } from "./ratchets.ts"
import { repairVerification } from "./verify-certificates.ts"

let installed = false

/** Repairs Baileys and libsignal, which are one per process; further calls do nothing. */
export function installRepairs() {
  if (installed) return
  installed = true
  repairCurve()
  repairVerification()
  repairRatchets()
  dropInheritedTokens()
  repairLoginPayload()
  silenceLibsignal()
}

/**
 * The encoder looks words up in this object to write them short, and also finds the names that every object
 * inherits. So `constructor`, which any stranger may choose as a message's id, would be written as nothing.
 * Without a prototype, the object inherits nothing.
 */
function dropInheritedTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
