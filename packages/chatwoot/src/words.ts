import type { KeptMessage, MessageEvent } from "../../sdk-typescript/src/index.ts"

/** WhatsApp's bold and struck words as the Markdown that Chatwoot shows. */
export function toMarkdown(text: string): string {
  return text
    .replaceAll(/(?<![\w*])\*(?! )([^*\n]+)(?<! )\*(?![\w*])/g, "**$1**")
    .replaceAll(/(?<![\w~])~([^~\n]+)~(?![\w~])/g, "~~$1~~")
}

/** And back. Chatwoot's editor puts a backslash before a line break and before signs that mean something. */
export function fromMarkdown(text: string): string {
  return text
    .replaceAll(/\\(\n|[\\`*_{}[\]()#+\-.!~>|])/g, "$1")
    .replaceAll(/\*\*([^*\n]+)\*\*/g, "*$1*")
    .replaceAll(/~~([^~\n]+)~~/g, "~$1~")
}

type Said = Pick<
  MessageEvent,
  | "body"
  | "type"
  | "media_type"
  | "location"
  | "contacts"
  | "options"
  | "reaction"
  | "unknown_kind"
  | "event_details"
>

/** What a message says, in words: also of kinds that Chatwoot does not have. `""`: its file says it all. */
export function wordsOf(event: Said): string {
  const { body, location, contacts, options, reaction } = event
  if (reaction) return reaction.emoji
  if (location) {
    const name = [body, location.name, location.address].filter(Boolean)
    return [...new Set(name), `https://maps.google.com/?q=${location.lat},${location.lng}`].join("\n")
  }
  if (contacts) return contacts.map(({ name, phones }) => [name, ...phones].join(" ")).join("\n")
  if (options) return [body, ...options.map((option) => `- ${option}`)].join("\n")
  if (event.event_details)
    return [event.event_details.name, event.event_details.description].filter(Boolean).join("\n")
  if (body !== "") return toMarkdown(body)
  if (event.type === "unknown")
    return `(a message that only the phone shows${event.unknown_kind ? `: ${event.unknown_kind}` : ""})`
  return event.type === "media" && event.media_type === ""
    ? "(a message that can be opened once, on the phone)"
    : ""
}

/** One line for each message, the oldest first, with the time in UTC. */
export function transcriptOf(messages: KeptMessage[]): string {
  return messages
    .map((message) => {
      const time = new Date(message.timestamp * 1000).toISOString().slice(0, 16).replace("T", " ")
      const name = message.from_me ? "we" : message.name || message.phone || message.contact_id
      return `${time} ${name}: ${wordsOf(message) || `(${message.media_type})`}`
    })
    .join("\n\n")
}
