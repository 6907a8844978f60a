/** The protocol's messages, as Baileys generates them from WhatsApp Web's own. */
export { proto } from "@whiskeysockets/baileys"
