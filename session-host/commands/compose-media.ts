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
import { safeName } from "../media/file-name.ts"
import { inTurn } from "../media/in-turn.ts"
import type { Kind } from "../media/kind-and-content-type.ts"
import { makePng, makeSticker, readPicture } from "../media/picture.ts"
import { makeVideo, type Played, readPlayed } from "../media/played.ts"
import { toVoice, type Voice } from "../media/voice.ts"
import type { MessageContent } from "../network/connection.ts"
import type { ConnectedSession } from "../session/connected-session.ts"

interface Asked extends Source {
  as_sticker?: boolean | undefined
  as_voice?: boolean | undefined
  as_document?: boolean | undefined
  gif_playback?: boolean | undefined
  video_note?: boolean | undefined
  view_once?: boolean | undefined
  caption?: string | undefined
  /** Of a status: a sound becomes a voice note, and only kinds that phones show as a status are taken. */
  isStatus?: boolean
  /** The colour behind a sound, as `#RRGGBB`. */
  background?: string | undefined
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
  const {
    caption,
    filename,
    background,
    video_note: isNote,
    view_once: viewOnce,
    gif_playback = false,
  } = input
  const isGif = file.isGif || gif_playback
  const fileName = safeName(filename ?? "") || file.fileName
  return toMedia({ ...file, isGif, isNote, background, caption, fileName, viewOnce }, context)
}

async function sentFile(input: Asked, connected: ConnectedSession): Promise<UploadedFile> {
  const { sentFiles } = connected
  const { file, as_sticker, as_voice, as_document, isStatus } = input
  const name = file && [file, ...[as_sticker, as_voice, as_document, isStatus].map(Boolean)].join(" ")
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
    const toVoice = asVoice || (input.isStatus === true && fetched.kind === "audio")
    const { path, kind, ...more } = await withPreview(await converted(fetched, toVoice, owner), owner)
    mustFit(kind, input)
    const { path: sealed, ...keys } = await encryptFile(path, kind)
    const where = await connected.connection.upload({
      path: sealed,
      kind,
      fileEncSha256: keys.fileEncSha256,
    })
    return { ...keys, ...where, ...more, kind, fileName: fetched.name }
  })
}

type File = Pick<Fetched, "path" | "kind" | "mimetype"> & Partial<Voice> & { isGif?: boolean }

/**
 * The file in the form in which it is sent: a voice note or a sticker if that is wanted, and a GIF as phones
 * send it.
 */
async function converted({ path, kind, mimetype }: Fetched, asVoice: boolean, owner: string): Promise<File> {
  const isVoice = asVoice || (kind === "voice" && mimetype !== "audio/ogg")
  if (isVoice) return { ...(await toVoice(path, owner)), kind: "voice", mimetype: "audio/ogg" }
  if (kind === "video" && mimetype === "image/gif") return await convertedGif(path, owner)
  const isRaw = kind === "sticker" && mimetype !== "image/webp"
  return isRaw
    ? { path: await makeSticker(path, owner), kind, mimetype: "image/webp" }
    : { path, kind, mimetype }
}

/** @throws ApiError as `makeVideo` and `readPicture` do */
async function convertedGif(path: string, owner: string): Promise<File> {
  const { isAnimated } = await readPicture(path, owner)
  return isAnimated
    ? { path: await makeVideo(path, owner), kind: "video", mimetype: "video/mp4", isGif: true }
    : { path: await makePng(path, owner), kind: "image", mimetype: "image/png" }
}

/** The file with what phones show of it before it is opened. */
async function withPreview(file: File, owner: string): Promise<File & Played> {
  const { path, kind } = file
  if (kind === "document" || file.waveform) return file
  if (kind === "image" || kind === "sticker") return { ...file, picture: await readPicture(path, owner) }
  return { ...file, ...(await readPlayed(file, owner)) }
}

/** @throws ApiError `media_type_mismatch` */
function mustFit(kind: Kind, input: Asked): void {
  if (input.isStatus && !maySeeOnce(kind))
    throw new ApiError("media_type_mismatch", "a status is a text, a picture, a video or a sound")
  if (input.background && kind !== "voice")
    throw new ApiError("media_type_mismatch", "only a text or a sound has a background")
  if (input.caption && !mayHaveCaption(kind))
    throw new ApiError("media_type_mismatch", "only an image, a video or a document has a caption")
  if (input.view_once && !maySeeOnce(kind))
    throw new ApiError("media_type_mismatch", "only an image, a video or a voice note can be opened once")
  if (input.gif_playback && kind !== "video")
    throw new ApiError("media_type_mismatch", "only a video or an animated GIF plays as one")
  if (input.video_note && kind !== "video")
    throw new ApiError("media_type_mismatch", "only a video is shown as a video note")
}
