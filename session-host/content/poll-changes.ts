import type { MessageContent } from "../network/connection.ts"
import { encodeBare } from "../network/decode.ts"
import type { Message_PollCreationMessage } from "../network/message-proto/types.ts"
import type { About } from "./chat-and-sender.ts"
import { pollOf } from "./content.ts"
import { isAuthor } from "./forged.ts"
import { wholeNumber } from "./mapped.ts"
import type { Remembered } from "./remembered.ts"
import { unwrap } from "./unwrap.ts"

/**
 * In bytes: WhatsApp's own clients make polls of 12 options of 100 characters. Larger polls do not change,
 * since each change is told and kept with all of the poll, and costs its sender a few bytes.
 */
const largest = 16_384

/**
 * A poll after a change, by the rules of WhatsApp Web (`WAWebProcessEncryptedPollAddOptionMsgs`,
 * `WAWebPollEditDecryptedMsgDataConversion`): its author may add options and change the question, and others
 * may add options if the poll allows it. After the poll's end, it cannot be changed.
 * @returns undefined for a change that no client shows
 */
export function pollAfter(
  change: MessageContent,
  original: Remembered,
  about: About,
): Message_PollCreationMessage | undefined {
  const poll = changedPoll(change, original, about)
  const { name, options } = poll ?? {}
  return encodeBare({ pollCreationMessage: { name, options } }).length <= largest ? poll : undefined
}

function changedPoll(change: MessageContent, original: Remembered, about: About) {
  const poll = pollOf(original.content)
  const endMs = wholeNumber(poll?.endTime)
  if (!poll || (endMs > 0 && about.common.timestamp * 1000 > endMs)) return undefined
  const isByAuthor = isAuthor(about, original)
  const { pollAddOptionMessage, protocolMessage } = unwrap(change)
  const option = pollAddOptionMessage?.addOption?.optionName
  const options = poll.options ?? []
  if (option) {
    const isNew = options.every(({ optionName }) => optionName !== option)
    const isAllowed = isNew && (isByAuthor || poll.allowAddOption)
    return isAllowed ? { ...poll, options: [...options, { optionName: option }] } : undefined
  }
  const name = pollOf(unwrap(protocolMessage?.editedMessage ?? {}))?.name
  return name && isByAuthor ? { ...poll, name } : undefined
}
