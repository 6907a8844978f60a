import { randomBytes } from "node:crypto"

// Files as phones and programs write them. Sounds are silent, and the pictures of a video are noise.

/** Ogg with this in it, a page for each second: 50 packets, each of 20 ms. */
export function ogg(codec: "opus" | "vorbis", seconds: number): Buffer {
  const heads = {
    opus: [
      Buffer.from("OpusHead\x01\x01\x00\x00\x80\xbb\0\0\0\0\0", "latin1"),
      Buffer.from("OpusTags\0\0\0\0\0\0\0\0"),
    ],
    vorbis: [Buffer.from("\x01vorbis\0\0\0\0\x01\x80\xbb\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xb8\x01", "latin1")],
  }[codec]
  const frame = Buffer.of(0xf8, 0xff, 0xfe)
  return Buffer.concat([
    ...heads.map((head, n) => page([head], n, 0, n === 0 ? 2 : 0)),
    ...Array.from({ length: seconds }, (_, n) =>
      page(Array<Buffer>(50).fill(frame), heads.length + n, (n + 1) * 48_000, n + 1 === seconds ? 4 : 0),
    ),
  ])
}

/** RFC 3533, 6. */
function page(packets: Buffer[], sequence: number, granule: number, flags: number): Buffer {
  const head = Buffer.alloc(27)
  head.write("OggS")
  head[5] = flags
  head.writeBigUInt64LE(BigInt(granule), 6)
  head.writeUInt32LE(1, 14)
  head.writeUInt32LE(sequence, 18)
  head[26] = packets.length
  const whole = Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
  whole.writeUInt32LE(oggChecksum(whole), 22)
  return whole
}

function oggChecksum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 24
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  }
  return sum >>> 0
}

/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz, one channel: frames of 1,152 samples. */
export function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(417)
  frame.writeUInt32BE(0xfffb90c4)
  return Buffer.concat(Array<Buffer>(Math.ceil((seconds * 44_100) / 1152)).fill(frame))
}

/** PCM, one channel, 8,000 samples of a byte each second. */
export function wav(seconds: number): Buffer {
  const size = 8000 * seconds
  const file = Buffer.alloc(44 + size, 0x80)
  file.write("RIFF", 0, "latin1")
  file.writeUInt32LE(36 + size, 4)
  file.write("WAVEfmt ", 8, "latin1")
  Buffer.from("1000000001000100401f0000401f000001000800", "hex").copy(file, 16)
  file.write("data", 36, "latin1")
  file.writeUInt32LE(size, 40)
  return file
}

interface Track {
  kind: "vide" | "soun"
  width?: number
  height?: number
  /** By a quarter, as a phone does that was held upright. */
  isTurned?: boolean
}

/** In fixed point. */
const one = 0x10000
const straight = [one, 0, 0, 0, one, 0, 0, 0, 0x40000000]

/** ISO 14496-12, with these tracks. */
export function mp4(seconds: number, ...tracks: Track[]): Buffer {
  return Buffer.concat([
    box("ftyp", Buffer.from("isom\0\0\x02\0isomiso2avc1mp41", "latin1")),
    box(
      "moov",
      box("mvhd", numbers(0, 0, 0, 1000, 1000 * seconds, one, 0, 0, 0, ...straight, 0, 0, 0, 0, 0, 0, 2)),
      ...tracks.map(trackBox),
    ),
    box("mdat", randomBytes(5000)),
  ])
}

function trackBox({ kind, width = 0, height = 0, isTurned = false }: Track): Buffer {
  const matrix = isTurned ? [0, one, 0, -one, 0, 0, 0, 0, 0x40000000] : straight
  const head = numbers(7, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...matrix, width * one, height * one)
  return box(
    "trak",
    box("tkhd", head),
    box("mdia", box("hdlr", numbers(0, 0), Buffer.from(kind), Buffer.alloc(13))),
  )
}

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([numbers(8 + body.length), Buffer.from(type), body])
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, n) => bytes.writeInt32BE(value | 0, 4 * n))
  return bytes
}
