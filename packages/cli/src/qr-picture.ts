import { inflateSync } from "node:zlib"

/** A QR code: whether each module is dark, row by row, without the quiet zone. */
export type Modules = boolean[][]

/** Bytes of a pixel, by PNG's type of colour: grey, RGB, grey and alpha, RGBA. */
const bytesPerPixel: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 }

/**
 * The modules of a code that fills a PNG (8 bits, not interlaced), as the service makes it. The first dark
 * run of the first dark row is a finder pattern, seven modules wide.
 * @throws Error for another picture
 */
export function modulesOf(png: Uint8Array): Modules {
  const isDark = pixelsOf(Buffer.from(png))
  const top = isDark.findIndex((row) => row.includes(true))
  const first = isDark[top]
  if (!first) throw new Error("the picture of the code is empty")
  const left = first.indexOf(true)
  const width = first.lastIndexOf(true) - left + 1
  const about = (width * 7) / (first.indexOf(false, left) - left)
  // A code has 17 modules and 4 more for each version.
  const count = 17 + 4 * Math.round((about - 17) / 4)
  const middle = (at: number) => Math.floor(((at + 0.5) * width) / count)
  return Array.from({ length: count }, (_, y) =>
    Array.from({ length: count }, (_, x) => isDark[top + middle(y)]?.[left + middle(x)] ?? false),
  )
}

function pixelsOf(png: Buffer): Modules {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const each = bytesPerPixel[png[25]!]
  if (png[24] !== 8 || each === undefined || png[28] !== 0)
    throw new Error("the picture of the code is of another kind")
  const rows = unfiltered(inflateSync(dataOf(png)), width * each, each)
  return rows.slice(0, height).map((row) => Array.from({ length: width }, (_, x) => row[x * each]! < 128))
}

/** The chunks of data, joined. */
function dataOf(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  return Buffer.concat(parts)
}

/** PNG, section 9.2: each byte was stored as the difference from what its neighbours foretell. */
function unfiltered(data: Buffer, width: number, each: number): Buffer[] {
  const rows: Buffer[] = []
  for (let at = 0; at + width < data.length; at += width + 1) {
    const row = Buffer.from(data.subarray(at + 1, at + 1 + width))
    const above = rows.at(-1)
    for (let x = 0; x < width; x++) {
      const [left, up, corner] = [row[x - each] ?? 0, above?.[x] ?? 0, above?.[x - each] ?? 0]
      row[x]! += foretold(data[at]!, left, up, corner)
    }
    rows.push(row)
  }
  return rows
}

function foretold(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return up
    case 3:
      return (left + up) >> 1
    case 4: {
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
      return a <= b && a <= c ? left : b <= c ? up : corner
    }
    default:
      return 0
  }
}

/**
 * Two rows to a line, black on white whatever the terminal's colours are, with a quiet zone of two modules.
 */
export function inTerminal(code: Modules): string {
  const quiet = 2
  const dark = (x: number, y: number) => code[y - quiet]?.[x - quiet] ?? false
  const size = code.length + 2 * quiet
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) => {
    const cells = Array.from({ length: size }, (_, x) => {
      const [upper, lower] = [dark(x, 2 * line), dark(x, 2 * line + 1)]
      return upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
    })
    return `\u001b[30;107m${cells.join("")}\u001b[0m`
  })
  return lines.join("\n")
}
