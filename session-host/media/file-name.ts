/**
 * Matches the parameters of a header field, one after another (RFC 6266, 4.1). Everything else is passed
 * over.
 */
const parameters = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** The name of a file in the Content-Disposition of an answer, by RFC 6266; `""` without one. */
export function nameInHeader(header: unknown): string {
  if (typeof header !== "string") return ""
  const given = new Map<string, string>()
  for (const [, name = "", quoted, bare = ""] of header.matchAll(parameters))
    given.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? bare.trim())
  return nameInPath(extended(given.get("filename*") ?? "")) || nameInPath(inUtf8(given.get("filename") ?? ""))
}

/** The value of an `ext-value` (RFC 8187): charset, language, percent-encoded bytes. */
function extended(value: string): string {
  const [, charset = "", encoded = ""] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? []
  try {
    const bytes = Buffer.from(
      encoded.replaceAll(/%([\da-f]{2})/gi, (_, hex) => byte(hex)),
      "latin1",
    )
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    // The charset is unknown, or the bytes are not in it: the plain name counts.
    return ""
  }
}

function byte(hex: string): string {
  return String.fromCodePoint(Number.parseInt(hex, 16))
}

/**
 * The value read as UTF-8: many servers write UTF-8 where only ASCII is allowed, and headers are read as
 * Latin-1.
 */
function inUtf8(value: string): string {
  if (/[^\0-\xFF]/.test(value)) return value
  try {
    return new TextDecoder("utf8", { fatal: true }).decode(Buffer.from(value, "latin1"))
  } catch {
    return value
  }
}

const mostBytes = 255

/** Control characters, and the marks that can hide how a name ends. */
const hidden = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** The last part of a path, as a name. */
export function nameInPath(path: string): string {
  return safeName(path.split(/[/\\]/).at(-1)!)
}

/**
 * A name for a file under which anybody can save it: without invisible characters, and with `_` where it
 * would lead into a folder. `""` for a name that has nothing else.
 */
export function safeName(name: string): string {
  const shown = name.toWellFormed().replaceAll(hidden, "").replaceAll(/[/\\]/g, "_").trim()
  return /^\.*$/.test(shown) ? "" : shortened(shown)
}

/** A name has at most 255 bytes on most disks. Its ending stays, since it says what opens the file. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= mostBytes) return name
  const ending = /\.[^.\s]{1,15}$/u.exec(name)?.[0] ?? ""
  const room = Buffer.from(name).subarray(0, mostBytes - Buffer.byteLength(ending))
  // A character that was cut is left out.
  return new TextDecoder().decode(room, { stream: true }) + ending
}
