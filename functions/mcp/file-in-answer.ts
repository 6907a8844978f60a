import type { CallToolResult } from "@modelcontextprotocol/server"
import type { File } from "../http/own-api.ts"

/**
 * The largest file that an agent is shown, in bytes. As Base64 it fits into what Lambda takes from a function
 * (`AnswerInBucket.longestInline`).
 */
export const longestFile = 1_500_000

/** A text is shown in parts of so many characters, and so many of them. */
const shown = { characters: 2000, parts: 10 }

/** What agents' programs take as a picture. */
const pictures = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"])

interface InAnswer {
  /** What the file is. */
  about: { content_type: string; size: number; not_shown?: string }
  /** Of a text: its words, in order. */
  parts: string[]
  content: CallToolResult["content"]
}

/**
 * A file as MCP hands it on: a picture or a sound as such, a text as words, anything else as a resource that
 * comes along.
 */
export function fileInAnswer({ type, size, bytes }: File, id: string): InAnswer {
  const about = { content_type: type, size }
  if (!bytes) {
    const not_shown = `only files of up to ${longestFile} bytes are shown`
    return { about: { ...about, not_shown }, parts: [], content: [] }
  }
  if (isText(type)) return { about, parts: partsOf(bytes.toString("utf8")), content: [] }
  return { about, parts: [], content: [contentOf(type, bytes.toString("base64"), id)] }
}

function contentOf(mimeType: string, data: string, id: string): CallToolResult["content"][number] {
  if (pictures.has(mimeType)) return { type: "image", data, mimeType }
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType }
  return {
    type: "resource",
    resource: { uri: `message://${encodeURIComponent(id)}/file`, mimeType, blob: data },
  }
}

function isText(type: string): boolean {
  return type.startsWith("text/") || /^application\/(?:json|xml|.*\+(?:json|xml))$/.test(type)
}

function partsOf(text: string): string[] {
  const { characters, parts } = shown
  const all = Array.from({ length: Math.ceil(text.length / characters) }, (_, at) =>
    text.slice(at * characters, (at + 1) * characters),
  )
  const left = text.length - characters * parts
  return left > 0 ? [...all.slice(0, parts), `… (${left} characters more)`] : all
}
