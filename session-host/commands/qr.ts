import { toBuffer } from "qrcode"
import * as contract from "#core/contract/session.ts"
import type { Command } from "./command.ts"

/** Contract, "Linking a phone". The quiet zone is four modules, as the standard requires. */
const image = { type: "png", width: 400, margin: 4 } as const

export const qr: Command = {
  route: contract.qr,
  run: async (c) => {
    const code = await c.var.session.code()
    return c.body(new Uint8Array(await toBuffer(code.text, image)), 200, {
      "content-type": "image/png",
      "cache-control": "no-store",
      "x-qr-expires": String(code.expiresAt),
    })
  },
}
