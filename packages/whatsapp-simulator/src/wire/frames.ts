/** The two bytes every client opens with, "WA"; protocol and dictionary version follow. */
const magic = Buffer.from("WA")

/**
 * Cuts a byte stream into frames: first the header (optionally after routing information, as
 * `ED 0 1 length24 bytes`), then three bytes of length before each frame.
 */
export function newFrameSplitter() {
  let rest: Buffer = Buffer.alloc(0)
  let prologue: Buffer | undefined

  return {
    /** The four bytes of the header, once they have come. */
    get prologue() {
      return prologue
    },
    /** The frames completed by these bytes. @throws when the stream does not open as it must. */
    push(chunk: Buffer): Buffer[] {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      if (!prologue) {
        const header = readHeader(rest)
        if (!header) return []
        prologue = header.prologue
        rest = rest.subarray(header.length)
      }
      const out: Buffer[] = []
      while (rest.length >= 3) {
        const length = rest.readUIntBE(0, 3)
        if (rest.length < 3 + length) break
        out.push(rest.subarray(3, 3 + length))
        rest = rest.subarray(3 + length)
      }
      return out
    },
  }
}

/** A frame with its length before it. */
export function framed(frame: Buffer): Buffer {
  const length = Buffer.alloc(3)
  length.writeUIntBE(frame.length, 0, 3)
  return Buffer.concat([length, frame])
}

function readHeader(data: Buffer): { prologue: Buffer; length: number } | undefined {
  let start = 0
  if (data.length >= 2 && data.subarray(0, 2).equals(Buffer.from("ED"))) {
    if (data.length < 7) return undefined
    start = 7 + data.readUIntBE(4, 3)
  }
  if (data.length < start + 4) return undefined
  const prologue = Buffer.from(data.subarray(start, start + 4))
  if (!prologue.subarray(0, 2).equals(magic)) throw new Error("the stream does not open with WA")
  return { prologue, length: start + 4 }
}
