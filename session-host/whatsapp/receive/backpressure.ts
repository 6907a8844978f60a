import type { BinaryNode } from "@whiskeysockets/baileys"

/**
 * How much may wait before reading from the network stops: stanzas, and bytes in them. Reading goes on at
 * half as much.
 */
const most = { stanzas: 200, bytes: 8_000_000 }

export type Backpressure = ReturnType<typeof newBackpressure>

/**
 * Stops reading from the network while too much of what has arrived is not done yet.
 * @param onFull called when nothing more should be read until the promise resolves
 */
export function newBackpressure(onFull: (until: Promise<void>) => void) {
  /** Stanzas that wait for their turn, and stanzas that are worked at beside them. */
  const [queue, work] = [newLoad(), newLoad()]
  /** The numbers of open questions to the network: those that a message may depend on, and all. */
  const open = { forMessages: 0, all: 0 }
  let full: PromiseWithResolvers<void> | undefined

  const isOver = () => {
    if (open.forMessages > 0) return false
    const share = full ? 1 / 2 : 1
    return queue.isOver(share) || (open.all === 0 && work.isOver(share))
  }
  const holdOrRelease = () => {
    const over = isOver()
    if (over && !full) {
      full = Promise.withResolvers()
      onFull(full.promise)
    }
    if (over || !full) return
    full.resolve()
    full = undefined
  }

  return {
    /** Counts a stanza that waits, from the next `holdOrRelease` until the returned function is called. */
    wait: (node: BinaryNode): (() => void) => queue.add(sizeOf(node)),
    /** Checks whether enough waits to stop reading, or little enough to go on. */
    holdOrRelease,
    /** Works at a stanza that waits for no message. It counts as waiting until the work is done. */
    async whileWorking(node: BinaryNode, done: () => Promise<unknown>): Promise<void> {
      const remove = work.add(sizeOf(node))
      holdOrRelease()
      try {
        await done()
      } finally {
        remove()
        holdOrRelease()
      }
    },
    /** Runs a question on which a message may depend: reading goes on until the network has answered. */
    async whileAsking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      open.forMessages++
      holdOrRelease()
      try {
        return await ask()
      } finally {
        open.forMessages--
        holdOrRelease()
      }
    },
    /**
     * Counts one more open question to the network, or one less (-1). The work beside messages may depend on
     * any of these questions.
     */
    asked(change: 1 | -1): void {
      open.all += change
      holdOrRelease()
    },
    /** Forgets everything. */
    end(): void {
      queue.clear()
      work.clear()
      holdOrRelease()
    },
  }
}

/** Stanzas by their sizes, and the size of all. */
function newLoad() {
  const stanzas = new Set<{ bytes: number }>()
  let total = 0
  return {
    add(bytes: number) {
      const one = { bytes }
      stanzas.add(one)
      total += bytes
      return () => {
        if (stanzas.delete(one)) total -= bytes
      }
    },
    isOver: (share: number) => stanzas.size > share * most.stanzas || total > share * most.bytes,
    clear() {
      stanzas.clear()
      total = 0
    },
  }
}

/** About as many bytes as a stanza has on the wire. */
function sizeOf({ tag, attrs, content }: BinaryNode): number {
  let bytes = tag.length
  for (const [name, value] of Object.entries(attrs)) bytes += name.length + value.length
  if (Array.isArray(content)) for (const child of content) bytes += sizeOf(child)
  else if (content) bytes += content.length
  return bytes
}
