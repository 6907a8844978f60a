import { crc32 } from "node:zlib"

/** A PNG whose header says 60,000 by 60,000. */
export function hugePng(png: Buffer): Buffer {
  const bomb = Buffer.from(png)
  bomb.writeUInt32BE(60_000, 16)
  bomb.writeUInt32BE(60_000, 20)
  bomb.writeUInt32BE(crc32(bomb.subarray(12, 29)), 29)
  return bomb
}

/** A JPEG whose frame header says 65,500 by 65,500. */
export function hugeJpeg(jpeg: Buffer): Buffer {
  const bomb = Buffer.from(jpeg)
  const frame = bomb.indexOf(Buffer.of(0xff, 0xc0))
  bomb.writeUInt16BE(65_500, frame + 5)
  bomb.writeUInt16BE(65_500, frame + 7)
  return bomb
}

/** A WebP whose canvas is said to be 16,384 by 16,384: it has to be of the extended format, as animations are. */
export function hugeWebp(webp: Buffer): Buffer {
  const bomb = Buffer.from(webp)
  const header = bomb.indexOf("VP8X")
  bomb.writeUIntLE(16_383, header + 12, 3)
  bomb.writeUIntLE(16_383, header + 15, 3)
  return bomb
}
