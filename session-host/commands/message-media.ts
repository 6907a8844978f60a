import { ApiError } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { toJid } from "#core/message/jid.ts"
import { mediaOf } from "../content/content.ts"
import { chatOf, type Remembered } from "../content/remembered.ts"
import { unwrap } from "../content/unwrap.ts"
import { bringFile } from "../media/download.ts"
import { inTurn } from "../media/in-turn.ts"
import { contentTypeOf } from "../media/kind-and-content-type.ts"
import { fileNameOf } from "../memory/messages/messages.ts"
import type { Media } from "../network/connection.ts"
import type { Session } from "../session/session.ts"

/** Answers with the place of a message's media in the bucket, from where the bytes go to the customer. */
export async function mediaResponse(
  session: Session,
  asked: { id: string; chat?: string | undefined; card?: number | undefined },
): Promise<Response> {
  const { messages, vault } = await session.memory()
  const names = asked.chat === undefined ? undefined : await vault.namesOf(toJid(asked.chat))
  const { card } = asked
  const withMedia = (await messages.all(asked.id)).filter(
    ({ content, edit }) => edit === "revoke" || mediaOf(unwrap(content), card),
  )
  const chats = await Promise.all(withMedia.map((message) => vault.phoneOf(chatOf(message))))
  const message = withMedia.find((_, at) => names === undefined || names.has(chats[at] ?? ""))
  if (!message) throw new ApiError("not_found", "there is no such message, or it has no media")
  // Also if the bucket still has the file.
  if (message.edit === "revoke")
    throw new ApiError("media_expired", "the message was revoked, and its file with it")
  const name = card === undefined ? fileNameOf(message) : `${fileNameOf(message)}-${card}`
  const key = StoredMedia.keyOf(session.lease.bridgeId, name)
  // The messages were selected for having media.
  const media = mediaOf(unwrap(message.content), card)!
  if (!(await StoredMedia.isFresh(key))) await store(session, { message, media }, key)
  return new Response(null, { headers: AnswerInBucket.pointerTo(key) })
}

interface Wanted {
  message: Remembered
  media: Media
}

async function store(session: Session, wanted: Wanted, key: string): Promise<void> {
  const { media } = wanted
  await session.use((connected) =>
    inTurn(connected, async (folder) => {
      // Another call may have stored the file while this one waited.
      if (await StoredMedia.isFresh(key)) return
      const path = await bringFile(connected.connection, wanted, folder)
      const contentType = contentTypeOf(media.mimetype)
      await StoredMedia.put({ key, path, contentType, fileName: media.fileName })
      session.storedMedia.set(key, true)
    }),
  )
}
