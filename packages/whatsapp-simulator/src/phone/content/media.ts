import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto"
import { hkdf, type proto } from "@whiskeysockets/baileys"
import { now } from "../../clock.ts"
import type { Network } from "../../network/network.ts"

/** The ways in which a file can be sent. */
export const mediaKinds = ["image", "video", "audio", "document", "sticker"] as const

type MediaKind = (typeof mediaKinds)[number]

/** A file to send. */
export interface Attachment {
  kind: MediaKind
  data: Buffer
  mimetype: string
  caption?: string | undefined
  filename?: string | undefined
  /** Audio only: a voice note. */
  voice?: boolean | undefined
}

/** The word with which the keys of each kind are derived; stickers count as images. */
const words = { image: "Image", sticker: "Image", video: "Video", audio: "Audio", document: "Document" }

/** Encrypts and uploads a file. @returns the message that carries it */
export function attach(network: Network, file: Attachment): proto.IMessage {
  const common = {
    ...sealAndUpload(network, file.kind, words[file.kind], file.data),
    mimetype: file.mimetype,
  }
  switch (file.kind) {
    case "image":
      return { imageMessage: { ...common, caption: file.caption } }
    case "video":
      return { videoMessage: { ...common, caption: file.caption } }
    case "audio":
      return { audioMessage: { ...common, ptt: file.voice ?? false, seconds: 1 } }
    case "document":
      return {
        documentMessage: { ...common, caption: file.caption, fileName: file.filename, title: file.filename },
      }
    case "sticker":
      return { stickerMessage: common }
  }
}

/**
 * Encrypts and uploads a file.
 * @returns what a client needs to fetch and open it
 * @param word the one with which its keys are derived
 */
export function sealAndUpload(network: Network, kind: string, word: string, data: Buffer) {
  const mediaKey = randomBytes(32)
  const { iv, cipherKey, macKey } = keysOf(mediaKey, word)
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv)
  const encrypted = Buffer.concat([cipher.update(data), cipher.final()])
  const sealed = Buffer.concat([encrypted, mac(macKey, iv, encrypted)])
  const fileEncSha256 = sha256(sealed)
  const directPath = network.media.put(kind, fileEncSha256.toString("base64url"), sealed)
  if (!directPath) throw new Error("a file is not named by its own hash")
  return {
    url: network.media.url(directPath),
    directPath,
    mediaKey,
    fileEncSha256,
    fileSha256: sha256(data),
    fileLength: data.length,
    mediaKeyTimestamp: now(),
  }
}

/** The part of a message that carries a file. */
export function filePartOf(message: proto.IMessage) {
  const inner = message.documentWithCaptionMessage?.message ?? message
  if (inner.ptvMessage) return { kind: "video" as const, part: inner.ptvMessage }
  for (const kind of mediaKinds) {
    const part = inner[`${kind}Message`]
    if (part) return { kind, part }
  }
  return undefined
}

/**
 * The file a message carries; undefined when it carries none or the network has forgotten it. @throws when it
 * is damaged.
 */
export function fetchFile(
  network: Network,
  message: proto.IMessage,
): { data: Buffer; mimetype: string } | undefined {
  const { kind, part } = filePartOf(message) ?? {}
  if (!kind || !part?.mediaKey || !part.directPath) return undefined
  const sealed = network.media.get(part.directPath)
  if (!sealed) return undefined
  const { iv, cipherKey, macKey } = keysOf(part.mediaKey, words[kind])
  const encrypted = sealed.subarray(0, -10)
  if (!mac(macKey, iv, encrypted).equals(sealed.subarray(-10))) throw new Error("the file's MAC is wrong")
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv)
  const data = Buffer.concat([decipher.update(encrypted), decipher.final()])
  if (!sha256(data).equals(Buffer.from(part.fileSha256 ?? []))) throw new Error("the file's hash is wrong")
  return { data, mimetype: part.mimetype ?? "application/octet-stream" }
}

function keysOf(mediaKey: Uint8Array, word: string) {
  const keys = Buffer.from(hkdf(mediaKey, 112, { info: `WhatsApp ${word} Keys` }))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}

function mac(key: Buffer, iv: Buffer, encrypted: Buffer) {
  return createHmac("sha256", key).update(iv).update(encrypted).digest().subarray(0, 10)
}

const sha256 = (data: Buffer) => createHash("sha256").update(data).digest()
