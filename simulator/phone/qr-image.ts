import jsqr from "jsqr"
import { PNG } from "pngjs"

/** The text of the QR code in a PNG; undefined if it is no PNG or shows none. */
export function readQr(image: Buffer): string | undefined {
  try {
    const { data, width, height } = PNG.sync.read(image)
    // The package is CommonJS: its function is the default of the default.
    return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
  } catch {
    // Not a PNG that can be read, which is what undefined says.
    return undefined
  }
}
