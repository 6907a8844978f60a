import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import {
  type MessageContext,
  type UploadedFile,
  mayHaveCaption,
  maySeeOnce,
  toMedia,
} from "../content/compose.ts"
import { encryptFile } from "../media/encrypt.ts"
import { type Fetched, fetchCustomerFile, type Source } from "../media/fetch.ts"
import { inTurn } from "../media/in-turn.ts"
import type { Kind } from "../media/kind-and-content-type.ts"
import { makeSticker, readPicture } from "../media/picture.ts"
import { toVoice } from "../media/voice.ts"
import type { MessageContent } from "../network/connection.ts"
import type { ConnectedSession } from "../session/connected-session.ts"

interface Asked extends Source {
  as_sticker?: boolean | undefined
  as_voice?: boolean | undefined
  as_document?: boolean | undefined
  view_once?: boolean | undefined
  caption?: string | undefined
  /** A file of another kind is refused. */
  kind?: Kind
}

/**
 * Makes the message that leads to a file. The file goes to the network first, unless the session has sent
 * this upload before.
 */
export async function composeMedia(
  input: Asked,
  connected: ConnectedSession,
  context: MessageContext,
): Promise<MessageContent> {
  const file = await sentFile(input, connected)
  const { caption, filename, view_once: viewOnce } = input
  return toMedia({ ...file, caption, fileName: filename ?? file.fileName, viewOnce }, context)
}

async function sentFile(input: Asked, connected: ConnectedSession): Promise<UploadedFile> {
  const { sentFiles } = connected
  const { file, as_sticker, as_voice, as_document } = input
  const name = file && [file, as_sticker, as_voice, as_document].map(String).join(" ")
  const known = name ? sentFiles.get(name) : undefined
  if (known) {
    mustFit(known.kind, input)
    return known
  }
  const sent = await encryptedAndUploaded(input, connected)
  if (name) sentFiles.set(name, sent)
  return sent
}

/** Fetches a file and uploads it encrypted. */
function encryptedAndUploaded(input: Asked, connected: ConnectedSession): Promise<UploadedFile> {
  return inTurn(connected, async (folder) => {
    const { bridgeId } = connected
    const owner = await Bridge.accountOf(bridgeId)
    const {
      as_sticker: asSticker = false,
      as_voice: asVoice = false,
      as_document: asDocument = false,
    } = input
    const fetched = await fetchCustomerFile({ ...input, bridgeId, asSticker, asVoice, asDocument, folder })
    const { path, kind, mimetype, ...more } = await converted(fetched, asVoice, owner)
    mustFit(kind, input)
    const isPicture = kind === "image" || kind === "sticker"
    const picture = isPicture ? await readPicture(path, owner) : undefined
    const { path: sealed, ...keys } = await encryptFile(path, kind)
    const where = await connected.connection.upload({
      path: sealed,
      kind,
      fileEncSha256: keys.fileEncSha256,
    })
    return { ...keys, ...where, ...more, kind, mimetype, picture, fileName: fetched.name || "file" }
  })
}

/** The file as it is sent: a sound as a voice note, a picture as a sticker, if that is wanted. */
async function converted({ path, kind, mimetype }: Fetched, asVoice: boolean, owner: string) {
  const isVoice = asVoice || (kind === "voice" && mimetype !== "audio/ogg")
  if (isVoice) return { ...(await toVoice(path, owner)), kind: "voice" as const, mimetype: "audio/ogg" }
  const isRaw = kind === "sticker" && mimetype !== "image/webp"
  return isRaw
    ? { path: await makeSticker(path, owner), kind, mimetype: "image/webp" }
    : { path, kind, mimetype }
}

/** @throws ApiError `media_type_mismatch` */
function mustFit(kind: Kind, input: Asked): void {
  if (input.kind && input.kind !== kind)
    throw new ApiError("media_type_mismatch", `this takes an ${input.kind} alone`)
  if (input.caption && !mayHaveCaption(kind))
    throw new ApiError("media_type_mismatch", "only an image, a video or a document has a caption")
  if (input.view_once && !maySeeOnce(kind))
    throw new ApiError("media_type_mismatch", "only an image, a video or a voice note can be opened once")
}
