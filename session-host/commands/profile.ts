import type { z } from "@hono/zod-openapi"
import * as contract from "#contract/profile.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { userOf } from "#core/message/jid.ts"
import { downloadAvatar } from "../media/avatar.ts"
import { removePicture, setPicture } from "../media/set-picture.ts"
import { askForAbout } from "../network/ask-about-people.ts"
import type { Connection } from "../network/connection.ts"
import { NetworkRejected } from "../network/errors.ts"
import { askMex } from "../network/mex.ts"
import { type Stanza, child, el } from "../network/stanza.ts"
import { peopleOn, askForStatusLists } from "../people/status-audience.ts"
import { command } from "./command.ts"
import { jpegResponse } from "./contacts.ts"

export const profile = {
  getProfile: command(contract.getProfile, async ({ session }) => {
    const about = await session.use(({ connection, own }) => askForAbout(connection, own.jid))
    const { jid, name } = await session.status()
    return { about, jid, name, phone: userOf(jid) }
  }),

  setAbout: command(contract.setAbout, async ({ session, body }) => {
    await session.use(({ connection }) => changeAbout(connection, body.status))
    return { ok: true }
  }),

  setName: command(contract.setName, async ({ session, body: { name } }) => {
    await session.use(async ({ connection }) => {
      // As WhatsApp Web: the one is for the account's devices, the other for everybody else.
      await connection.changeSetting({
        collection: "critical_block",
        index: ["setting_pushName"],
        value: { pushNameSetting: { name } },
        version: 1,
      })
      await connection.showName(name)
    })
    return { ok: true }
  }),

  ownAvatar: command(contract.ownAvatar, async ({ session }) =>
    jpegResponse(await session.use(({ connection, own }) => downloadAvatar(connection, own.jid))),
  ),

  setAvatar: command(contract.setAvatar, ({ session, body }) =>
    session.use((connected) => setPicture(connected, body.url)),
  ),

  removeAvatar: command(contract.removeAvatar, async ({ session }) => {
    await session.use((connected) => removePicture(connected))
    return { ok: true }
  }),

  profileQr: command(contract.profileQr, async ({ session }) => {
    const wanted = el("qr", { type: "contact", action: "get" })
    const answer = await session.use(({ connection }) =>
      connection.ask({ xmlns: "w:qr", type: "set", children: [wanted] }),
    )
    const code = child(answer, "qr")?.attrs.code
    if (!code) throw sessionUnavailable("the network gave no code: try again")
    return Response.json({ link: linkOf(code) }, { headers: { "cache-control": "no-store" } })
  }),

  statusPrivacy: command(contract.statusPrivacy, async ({ session }) => {
    const lists = await session.use(({ connection }) => askForStatusLists(connection))
    return lists.map(privacyOf)
  }),
}

/**
 * Changes the About text. The mutation changes what people see. The older request is answered but changes
 * nothing on most accounts; WhatsApp Web sends it all the same, after the mutation (Baileys 2798). So a
 * refusal of the older request says nothing about the text.
 * @throws ApiError `invalid_request` for a text that the network finds too long. NetworkRejected, NoAnswer
 */
async function changeAbout(connection: Pick<Connection, "ask">, text: string): Promise<void> {
  const input = { text, ephemeral_duration_sec: 0 }
  await askMex(connection, "9152604461510864", { input }).catch((error: unknown) => {
    if (!(error instanceof NetworkRejected) || error.networkCode !== 400) throw error
    throw new ApiError("invalid_request", "the network does not take this text: try a shorter one")
  })
  const about = el("status", {}, text)
  await connection.ask({ xmlns: "status", type: "set", children: [about] }).catch((error: unknown) => {
    if (!(error instanceof NetworkRejected)) throw error
  })
}

/**
 * The link, built as WhatsApp Web and whatsmeow build it: the network returns either the whole link or only
 * its code.
 */
function linkOf(code: string): string {
  return code.startsWith("https://") ? code : `https://wa.me/qr/${code}`
}

function privacyOf(list: Stanza): z.infer<typeof contract.StatusPrivacy> {
  return {
    is_default: list.attrs.default === "true",
    list: peopleOn(list),
    type: list.attrs.type ?? "",
  }
}
