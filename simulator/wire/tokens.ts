import { TOKEN_MAP } from "@whiskeysockets/baileys/lib/WABinary/constants.js"

/**
 * The encoder looks words up in this object to write them short. It takes names that every object inherits for such words:
 * `constructor`, which any stranger may call a message, would be written as nothing. Without a prototype the object inherits
 * nothing.
 */
export function repairTokens(): void {
  Object.setPrototypeOf(TOKEN_MAP, null)
}
