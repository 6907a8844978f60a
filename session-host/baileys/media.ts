import type { WASocket } from "@whiskeysockets/baileys"
import { NoAnswer } from "../network.ts"
import type { Kind } from "../media/kind.ts"

/** How long a connection may carry nothing during an upload, ms. */
const idleMs = 8_000

/** What the network keeps encrypted files under. */
const places = {
  image: "image",
  sticker: "sticker",
  video: "video",
  audio: "audio",
  voice: "audio",
  document: "document",
} as const

/** Uploads an encrypted file. @throws NoAnswer when no host of the network took it */
export async function upload(
  sock: Pick<WASocket, "waUploadToServer">,
  file: { path: string; kind: Kind; fileEncSha256: Uint8Array },
): Promise<{ url: string; directPath: string }> {
  const sending = sock.waUploadToServer(file.path, {
    mediaType: places[file.kind],
    fileEncSha256B64: Buffer.from(file.fileEncSha256).toString("base64"),
    timeoutMs: idleMs,
  })
  const { mediaUrl, directPath } = await sending.catch((error: unknown) => {
    // Baileys tells why in its log alone.
    throw new NoAnswer("the upload failed", { cause: error })
  })
  return { url: mediaUrl, directPath }
}

/** `host[:port]` where the network keeps files. A message names one too, but that is a stranger's word. */
export async function mediaHost(sock: Pick<WASocket, "refreshMediaConn">): Promise<string> {
  const { hosts } = await sock.refreshMediaConn(false)
  const [first] = hosts
  if (!first) throw new Error("the network names no host for media")
  return first.hostname
}
