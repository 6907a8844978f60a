import { TOKEN_MAP } from "@whiskeysockets/baileys/lib/WABinary/constants.js"

/**
 * The encoder looks words up in this object to write them short, and what every object inherits it takes for such words:
 * `constructor`, which any stranger may call a message, would be written as nothing. Without a prototype it inherits
 * nothing.
 */
export function repairTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
