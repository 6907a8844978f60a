import { Transmission } from "#session-host/whatsapp/send/transmission.ts"

/** A message on its way out, to which nothing has happened yet. */
export function aTransmission(outgoing = { messageId: "3EB0", chat: "1@lid", message: Buffer.from("x") }) {
  return new Transmission(outgoing, false)
}
