import type { MessageContent, Media } from "../network/connection.ts"
import type { ContextInfo, Message_PollCreationMessage } from "../network/message-proto/types.ts"
import { read } from "./reading.ts"
import { unwrap, wrappersOf } from "./unwrap.ts"

/** `ProtocolMessage.Type`, as far as it changes another message. */
export const changeTypes: Record<"revoke" | "edit", number> = { revoke: 0, edit: 14 }

/** Whether a content can be seen only once. */
export function isSeenOnce(content: MessageContent): boolean {
  const { imageMessage, videoMessage, audioMessage } = unwrap(content)
  return (
    wrappersOf(content).some((name) => name.startsWith("viewOnceMessage")) ||
    (imageMessage ?? videoMessage ?? audioMessage)?.viewOnce === true
  )
}

/** Whether a content is a status of its group. */
export function isGroupStatus(content: MessageContent): boolean {
  return wrappersOf(content).some((name) => name.startsWith("groupStatusMessage"))
}

/** The text of a text message; undefined for every other content. */
export function textOf(content: MessageContent): string | undefined {
  return content.extendedTextMessage?.text ?? content.conversation ?? undefined
}

/** The poll in a content, in any of the forms in which clients have made polls over the years. */
export function pollOf(content: MessageContent): Message_PollCreationMessage | undefined {
  return (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5 ??
    content.pollCreationMessageV6 ??
    undefined
  )
}

/** The file that a content carries, or the card of this place in it. */
export function mediaOf(content: MessageContent, card?: number): Media | undefined {
  const reading = read(content)
  return card === undefined ? reading?.media : reading?.cards?.[card]
}

/** The contract's type of a content; `""` if it has none. */
export function kindOf(content: MessageContent) {
  return read(content)?.said.type ?? ""
}

/** The words of a content: its text, the caption of media, a poll's question; `""` without any. */
export function wordsOf(content: MessageContent): string {
  return read(content)?.said.body ?? ""
}

/** The context of a message of any kind: the message that it refers to, and the people whom it mentions. */
export function contextInfoOf(content: MessageContent): ContextInfo | undefined {
  for (const part of Object.values(content) as unknown[]) {
    // Every part of a message may have a context, under this name.
    const { contextInfo } = (typeof part === "object" && part !== null ? part : {}) as {
      contextInfo?: ContextInfo
    }
    if (contextInfo) return contextInfo
  }
  return undefined
}

/** The contexts of a message and of the one that it quotes. */
export function contextsOf(content: MessageContent): ContextInfo[] {
  const context = contextInfoOf(content)
  const quoted = context?.quotedMessage && contextInfoOf(unwrap(context.quotedMessage))
  return [context, quoted].filter((each) => each !== undefined && each !== null)
}

/** The new content that an unwrapped content brings if it is an edit, unwrapped. */
export function editedIn({ protocolMessage }: MessageContent): MessageContent | undefined {
  const type: number | null | undefined = protocolMessage?.type
  return protocolMessage?.editedMessage && type === changeTypes.edit
    ? unwrap(protocolMessage.editedMessage)
    : undefined
}
