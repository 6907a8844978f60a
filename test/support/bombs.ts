import { crc32 } from "node:zlib"

/** A PNG whose header claims 60,000 by 60,000 pixels. */
export function hugePng(png: Buffer): Buffer {
  const bomb = Buffer.from(png)
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29)
  return bomb
}

/** A JPEG whose frame header claims 65,500 by 65,500 pixels. */
export function hugeJpeg(jpeg: Buffer): Buffer {
  const bomb = Buffer.from(jpeg)
  const frame = bomb.indexOf(Buffer.of(0xff, 0xc0))
  bomb.writeUInt16BE(65_500, frame + 5)
  bomb.writeUInt16BE(65_500, frame + 7)
  return bomb
}

/**
 * A WebP whose canvas claims 16,384 by 16,384 pixels. It must be in the extended format, as animations are.
 */
export function hugeWebp(webp: Buffer): Buffer {
  const bomb = Buffer.from(webp)
  const header = bomb.indexOf("VP8X")
  bomb.writeUIntLE(16_383, header + 12, 3)
  bomb.writeUIntLE(16_383, header + 15, 3)
  return bomb
}

/**
 * A grey JPEG (ITU-T T.81) with these components in each scan: blocks of two bits that say only "as before".
 */
export function flatJpeg(width: number, height: number, scans: number[][]): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  const scanOf = (components: number[]) =>
    Buffer.concat([
      segment(0xda, [components.length, ...components.flatMap((id) => [id, 0]), 0, 63, 0]),
      Buffer.alloc(Math.ceil((blocks * components.length * 2) / 8)),
    ])
  const components = [1, 2, 3].flatMap((id) => [id, 0x11, 0])
  const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 3, ...components]
  // A single code of one bit.
  const codes = (kind: number) => segment(0xc4, [kind, 1, ...Array.from({ length: 16 }, () => 0)])
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    segment(0xc0, frame),
    codes(0x00),
    codes(0x10),
    ...scans.map(scanOf),
    Buffer.of(0xff, 0xd9),
  ])
}

function segment(marker: number, bytes: number[]): Buffer {
  const length = bytes.length + 2
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...bytes])
}
