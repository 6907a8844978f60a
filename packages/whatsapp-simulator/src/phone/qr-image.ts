import jsqr from "jsqr"
import { PNG } from "pngjs"

/** The text of the QR code in a PNG; undefined if it is no PNG or shows none. */
export function readQr(image: Buffer): string | undefined {
  try {
    const picture = PNG.sync.read(image)
    // A module is usually several pixels wide. Then every other pixel is enough, and takes a fraction of the
    // time.
    return textIn(picture, 2) ?? textIn(picture, 1)
  } catch {
    // Not a PNG that can be read.
    return undefined
  }
}

/** Reads one pixel in `step`, of each row and each column. */
function textIn({ data, width, height }: PNG, step: number): string | undefined {
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)]
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const taken = new Uint32Array(columns * rows).map(
    (_, at) => pixels[Math.floor(at / columns) * step * width + (at % columns) * step]!, // within the picture
  )
  // The package is CommonJS: its function is the default of the default.
  return jsqr.default(new Uint8ClampedArray(taken.buffer), columns, rows)?.data
}
