import { proto } from "@whiskeysockets/baileys"
import { inMode } from "../network/addressing.ts"
import type { Household } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { el } from "../wire/node.ts"
import { compose, type Content } from "./content/compose.ts"
import type { Message } from "./messages.ts"
import type { Phone } from "./phone.ts"
import { jidOfTarget, type Target } from "./target.ts"

/** A role's answer to a message; undefined: none. */
type Answer = (message: proto.IMessage, id: string) => proto.IMessage | Content | undefined

/** A household's owner is played by the user of the sandbox. */
const answers: Record<Household["role"], Answer | undefined> = { owner: undefined, echo, voter }

/** From now on this phone answers what is written to it. */
export function autoReplyAs(phone: Phone, role: Household["role"]) {
  const answer = answers[role]
  if (answer) answerWith(phone, answer)
}

const answering = new WeakMap<Phone, () => void>()

/** Whether a phone of no household sends back what it is sent. */
export function setAutoReply(phone: Phone, isAnswering: boolean) {
  answering.get(phone)?.()
  if (isAnswering) answering.set(phone, answerWith(phone, echo))
  else answering.delete(phone)
}

/** Gives what ends it. */
function answerWith(phone: Phone, answer: Answer): () => void {
  const { handset } = phone
  let last = handset.inbox.last()
  return handset.inbox.listen(() => {
    for (const message of handset.inbox.after(last)) {
      last = message.n
      if (message.from_me || !isForThem(handset.network, message)) continue
      reply(phone, message, answer).catch((error: unknown) =>
        handset.network.log.note(phone.pn, "not answered", { error: String(error) }),
      )
    }
  })
}

/**
 * In a group, members of a household answer their owner alone: otherwise they would answer one another for
 * ever.
 */
function isForThem({ directory }: Network, { chat, from }: Message): boolean {
  return chat === from || directory.user(from)?.household?.role === "owner"
}

/** Reads the message, and sends the answer if there is one. */
async function reply(phone: Phone, message: Message, answer: Answer): Promise<void> {
  const { handset } = phone
  const { directory, groups } = handset.network
  const user = directory.user(message.from)
  const group = groups.find(Jid.parse(message.chat))
  if (!user || (!group && message.chat !== message.from)) return
  const target: Target = group ? { group } : { user, mode: "lid" }
  const to = jidOfTarget(target)
  const participant = group && inMode(group.mode, user)
  handset.submit(el("receipt", { id: message.id, to, type: "read", participant }))
  const said = answer(proto.Message.fromObject(message.content as object), message.id)
  if (!said) return
  await phone.send({ target, content: isContent(said) ? compose(handset, target, said) : said })
}

function isContent(said: proto.IMessage | Content): said is Content {
  return "vote" in said || "rsvp" in said || "text" in said
}

/** Sends the same content back: words, media, places, cards. */
function echo(message: proto.IMessage): proto.IMessage | undefined {
  const text = message.conversation || message.extendedTextMessage?.text
  if (text) return { conversation: text }
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = message
  if (imageMessage) return { imageMessage }
  if (videoMessage) return { videoMessage }
  if (audioMessage) return { audioMessage }
  if (documentMessage) return { documentMessage }
  if (stickerMessage) return { stickerMessage }
  const { locationMessage, contactMessage } = message
  if (locationMessage) return { locationMessage }
  return contactMessage ? { contactMessage } : undefined
}

/** Takes the first option of a poll, comes to every event, and says so in answer to a text. */
function voter(message: proto.IMessage, id: string): Content | undefined {
  const poll = message.pollCreationMessageV3 ?? message.pollCreationMessage ?? message.pollCreationMessageV2
  const [first] = poll?.options ?? []
  if (first?.optionName) return { vote: { message_id: id, options: [first.optionName] } }
  if (message.eventMessage) return { rsvp: { message_id: id, response: "going", guests: 0 } }
  if (message.conversation || message.extendedTextMessage)
    return { text: "I vote on polls and answer event messages: send me one." }
  return undefined
}
