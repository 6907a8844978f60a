import type { BinaryNode, WASocket } from "@whiskeysockets/baileys"
import { hasChild } from "../stanza.ts"

/** How many stanzas are asked for at a time. Baileys asks for as many, but only once. */
const batch = 100

/** The pause after which more is asked for although nothing came, in ms: the first pause, and the longest. */
const silenceMs = { least: 5000, most: 60_000 }

export interface Backlog {
  /** Gets every frame that comes in. */
  onFrame: (frame: BinaryNode) => void
  end: () => void
}

/**
 * Asks for more of the backlog until the network says that it is complete. Some servers send no more than
 * they are asked for, and hold new stanzas behind it; others ignore the question.
 */
export function newBacklog(sock: Pick<WASocket, "sendNode">, onError: (error: unknown) => void): Backlog {
  let isComing = false
  /** How many stanzas have come since more were asked for. */
  let arrived = 0
  let waitMs = silenceMs.least
  let timer: NodeJS.Timeout | undefined

  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(ask, waitMs).unref()
  }
  const ask = () => {
    arrived = 0
    waitMs = Math.min(2 * waitMs, silenceMs.most)
    wait()
    const wanted = { tag: "offline_batch", attrs: { count: String(batch) } }
    sock.sendNode({ tag: "ib", attrs: {}, content: [wanted] }).catch(onError)
  }
  const end = () => {
    isComing = false
    clearTimeout(timer)
  }
  return {
    onFrame(frame) {
      if (frame.tag === "ib" && hasChild(frame, "offline_preview")) isComing = true
      if (frame.tag === "ib" && hasChild(frame, "offline")) end()
      if (!isComing || (frame.tag !== "ib" && frame.attrs.offline === undefined)) return
      waitMs = silenceMs.least
      if (frame.attrs.offline !== undefined && ++arrived >= batch) return ask()
      wait()
    },
    end,
  }
}
