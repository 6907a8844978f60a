import type { Agent } from "node:https"
import {
  DEFAULT_CONNECTION_CONFIG,
  getWAUploadToServer,
  type MediaConnInfo,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { Connections } from "#core/fetch/safe-fetch.ts"
import { nowMs, timeLeft } from "#core/platform/clock.ts"
import type { Kind } from "#session-host/media/kind-and-content-type.ts"
import type { Connection } from "#session-host/network/connection.ts"
import { NoAnswer, ifAny } from "#session-host/network/errors.ts"
import { child, childrenOf, el } from "#session-host/network/stanza.ts"
import type { ILogger } from "../quiet-log.ts"
import { answerInTime } from "./ask.ts"

/** How long a connection may carry nothing during an upload, ms. */
const idleMs = 8_000

/** The paths under which the network keeps encrypted files, by kind. */
const places = {
  image: "image",
  sticker: "sticker",
  video: "video",
  audio: "audio",
  voice: "audio",
  document: "document",
} as const

export interface MediaInput {
  ask: Connection["ask"]
  log: ILogger
  /** The agent for uploads, if they go through a proxy. */
  uploadAgent: Agent | undefined
  toFiles: () => Connections
}

/**
 * One connection's way to the network's files. Baileys has a way of its own, but remembers a question that
 * was not answered: from then on, that connection could not upload or fetch any file.
 */
export function newMedia({
  ask,
  log,
  uploadAgent,
  toFiles,
}: MediaInput): Pick<Connection, "upload" | "mediaHost" | "toFiles"> {
  let known: MediaConnInfo | undefined

  const way = async (anew: boolean): Promise<MediaConnInfo> => {
    const ttlMs = (known?.ttl ?? 0) * 1000
    if (known && !anew && timeLeft(known.fetchDate.getTime() + ttlMs, ttlMs, nowMs()) > 0) return known
    known = await askTheWay(ask)
    return known
  }
  return {
    async upload(file: { path: string; kind: Kind; fileEncSha256: Uint8Array }) {
      const first = await way(false)
      const send = getWAUploadToServer(
        { ...DEFAULT_CONNECTION_CONFIG, logger: log, ...(uploadAgent && { fetchAgent: uploadAgent }) },
        async (anew) => (anew ? await way(true) : first),
      )
      const sending = send(file.path, {
        mediaType: places[file.kind],
        fileEncSha256B64: Buffer.from(file.fileEncSha256).toString("base64"),
        timeoutMs: idleMs,
      })
      const { mediaUrl, directPath } = await sending.catch((error: unknown) => {
        // Baileys says the reason in its log alone.
        throw new NoAnswer("the upload failed", { cause: error })
      })
      return { url: mediaUrl, directPath }
    },
    async mediaHost() {
      const [first] = (await way(false)).hosts
      // A message names a host too, but a stranger wrote it.
      if (!first) throw new NoAnswer("the network names no host for media")
      return { host: first.hostname, connections: toFiles }
    },
    toFiles,
  }
}

/** @throws NetworkRejected, NoAnswer */
async function askTheWay(ask: Connection["ask"]): Promise<MediaConnInfo> {
  const answer = await ask({ xmlns: "w:m", type: "set", children: [el("media_conn")] })
  const given = child(answer, "media_conn")
  return {
    auth: given?.attrs.auth ?? "",
    ttl: Number(given?.attrs.ttl),
    hosts: childrenOf(given, "host").map(({ attrs }) => ({
      hostname: attrs.hostname ?? "",
      maxContentLengthBytes: Number(attrs.maxContentLengthBytes),
    })),
    fetchDate: new Date(),
  }
}

/**
 * The address of a picture; undefined if there is none, or none that we may see.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForPictureUrl(
  sock: Pick<WASocket, "profilePictureUrl">,
  jid: string,
): Promise<string | undefined> {
  // Baileys adds the token that opens pictures which people show to contacts alone.
  return await ifAny(answerInTime(sock.profilePictureUrl(jid, "image")))
}
