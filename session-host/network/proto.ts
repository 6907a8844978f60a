/** The protocol's messages, as Baileys generates them from WhatsApp Web's own. */
export { proto, unpadRandomMax16 } from "@whiskeysockets/baileys"
