import * as contact from "#core/contract/contact.ts"
import * as profile from "#core/contract/profile.ts"
import { toJid } from "#core/jid.ts"
import { avatarOf } from "../media/avatar.ts"
import { type Command, type CommandContext, paramOf } from "./command.ts"

export const contactAvatar: Command = {
  route: contact.contactAvatar,
  run: async (c) => {
    const jid = toJid(paramOf(c, contact.contactAvatar.request.params, "jid"))
    return answer(c, await c.var.session.use(({ connection }) => avatarOf(connection, jid)))
  },
}

export const ownAvatar: Command = {
  route: profile.ownAvatar,
  run: async (c) =>
    answer(c, await c.var.session.use(({ connection, own }) => avatarOf(connection, own.jid))),
}

function answer(c: CommandContext, picture: Uint8Array<ArrayBuffer>) {
  return c.body(picture, 200, { "content-type": "image/jpeg" })
}
