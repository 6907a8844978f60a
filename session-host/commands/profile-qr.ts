import * as contract from "#core/contract/profile.ts"
import { sessionUnavailable } from "#core/error.ts"
import { child, el } from "../network/stanza.ts"
import type { Command } from "./command.ts"

export const profileQr: Command = {
  route: contract.profileQr,
  run: async (c) => {
    const answer = await c.var.session.use(({ connection }) =>
      connection.ask({
        xmlns: "w:qr",
        type: "set",
        children: [el("qr", { type: "contact", action: "get" })],
      }),
    )
    const code = child(answer, "qr")?.attrs.code
    if (!code) throw sessionUnavailable("the network gave no code: try again")
    // Built as WhatsApp Web and whatsmeow build it.
    return c.json({ link: linkOf(code) }, 200, { "cache-control": "no-store" })
  },
}

/** The network returns either the whole link, as whatsmeow reads it, or only the code. */
function linkOf(code: string): string {
  return code.startsWith("https://") ? code : `https://wa.me/qr/${code}`
}
