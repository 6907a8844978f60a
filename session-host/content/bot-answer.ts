import type { MessageContent } from "../network/connection.ts"
import type { AIRichResponseSubMessage } from "../network/message-proto/types.ts"
import { lines, text } from "./everyday.ts"
import type { Reading } from "./reading.ts"

/**
 * Reads a bot's answer: the words of its paragraphs, code, tables, formulas, pictures and maps, a line each.
 */
export function botAnswer({ submessages }: NonNullable<MessageContent["richResponseMessage"]>): Reading {
  return text(lines((submessages ?? []).map(wordsOf)))
}

function wordsOf(part: AIRichResponseSubMessage): string {
  const { codeMetadata, tableMetadata, latexMetadata, mapMetadata } = part
  // One line of code may consist of several blocks, each with its colour.
  const code = codeMetadata?.codeBlocks?.map(({ codeContent }) => codeContent ?? "").join("")
  const table = tableMetadata?.rows?.map(({ items }) => (items ?? []).join(" | ")) ?? []
  const formulas = latexMetadata?.expressions?.map(({ latexExpression }) => latexExpression) ?? []
  const places = mapMetadata?.annotations?.flatMap(({ title, body }) => [title, body]) ?? []
  const reels = part.contentItemsMetadata?.itemsMetadata?.map(({ reelItem }) => reelItem?.title) ?? []
  return lines([
    part.messageText,
    code,
    tableMetadata?.title,
    ...table,
    ...(latexMetadata?.text ? [latexMetadata.text] : formulas),
    part.imageMetadata?.imageText,
    ...places,
    ...reels,
  ])
}
