import { isGroup, isLid } from "#core/message/jid.ts"
import { hasTwoSpellings } from "#core/message/spellings.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Connection, MessageContent, Received } from "../network/connection.ts"
import { decodeBare, decodeWeb, unpad } from "../network/decode.ts"
import type { Own } from "../network/happening.ts"
import type { Say } from "../say-in-log.ts"
import { changedMessage, changeIn, isIgnored } from "./changes.ts"
import { aboutOf, lidsIn, phonesIn } from "./chat-and-sender.ts"
import { changedIn, isForged } from "./forged.ts"
import { fromLost } from "./lost.ts"
import type { Mapped } from "./mapped.ts"
import { fromMessage } from "./message.ts"
import type { Remembered } from "./remembered.ts"
import { stanzaFormOf, resentIn } from "./resent-by-phone.ts"
import { openScheduled } from "./scheduled.ts"
import { openAnswer, sealedIn } from "./sealed-content.ts"
import { unwrap } from "./unwrap.ts"

export interface Lookups {
  /** The connection to ask, if there is one. */
  connection: Pick<Connection, "phonesOf" | "rightsIn"> | undefined
  /** Every remembered message of this id. */
  originals: (id: string) => Promise<Remembered[]>
  say: Say
  log: Logger
}

interface ToAsk {
  connection: Pick<Connection, "phonesOf"> | undefined
  log: Logger
}

type Message = Pick<Received, "attrs" | "verified" | "meta"> & { content: MessageContent; bytes?: Uint8Array }

/**
 * The events of a received message. The mapper is pure: everything that it needs beside the message is looked
 * up here, if there is a connection to ask.
 * @throws Error if the message cannot be read
 */
export async function mapReceived(received: Received, own: Own, lookups: Lookups): Promise<Mapped[]> {
  // The message is decoded once more, since it is taken in as bytes, which can be parked.
  const bytes = unpad(received.plaintext)
  const content = decodeBare(bytes)
  // Our own phone may later send the content of a stanza that had none.
  const resent = resentIn({ attrs: received.attrs, content, own }).map((bytes) => decodeWeb(bytes))
  const messages: Message[] = [
    { ...received, content, bytes },
    ...resent.flatMap((web) => stanzaFormOf(web, own)),
  ]
  const mapped: Mapped[] = []
  for (const message of messages) mapped.push(...(await mapOne(message, own, lookups)))
  return mapped
}

async function mapOne(message: Message, own: Own, lookups: Lookups): Promise<Mapped[]> {
  const { attrs, verified } = message
  const scheduled = openScheduled(unwrap(message.content), message.meta)
  const { content, bytes } = scheduled ?? message
  const phones = phonesIn(attrs, own)
  const inner = unwrap(content)
  const sealed = sealedIn(inner)
  const target = sealed?.id ?? changedIn(inner)?.id
  const originals = target === undefined ? [] : await lookups.originals(target)
  const learn = async (jids: Iterable<string>) => {
    const unknown = [...jids].filter((jid) => !phones.has(jid) && (isLid(jid) || hasTwoSpellings(jid)))
    for (const [lid, phone] of await phonesOf(unknown, lookups, attrs.from)) phones.set(lid, phone)
  }
  await learn([
    ...lidsIn({ attrs, content, own }),
    ...originals.flatMap(({ sender, chat }) => [sender, chat]),
  ])

  const about = aboutOf({ attrs, content, own, phones })
  if (!about) return []
  const opened = sealed && openAnswer(sealed, { about, own, phones, originals })
  if (sealed && !opened) {
    // Phones show a revoked message without its votes, answers and edits.
    if (originals.some(({ edit }) => edit === "revoke")) return []
    lookups.say("warn", "a vote, an answer, a reaction or an edit could not be opened", {
      detail: originals.length === 0 ? ": this session does not know the message that it is about" : "",
      fields: { use: sealed.use, known: originals.length },
    })
  }
  // People do not see an answer to a message that they do not have.
  const isAboutKnown = originals.length > 0
  const readable = opened?.content ?? content
  if (opened?.content) await learn(lidsIn({ attrs, content: readable, own }))
  // Whether the sender may change the poll is known only once the change has been opened.
  const changed = opened?.changed ? undefined : changedIn(unwrap(readable))
  const { connection } = lookups
  const of = changed && changedMessage(changed, { about, originals })
  const change = of && changed.what !== "pin" ? changeIn(unwrap(readable), of, about) : opened?.changed
  if (of && (await isForged(changed, { about, of, originals, connection }))) {
    lookups.log.warn("somebody changed another person's message: no event")
    return []
  }
  if (of && change && isIgnored(of, change)) {
    lookups.log.info("an edit came of a revoked message, or too late: phones do not show it")
    return []
  }
  const mapped = fromMessage({
    attrs,
    content: readable,
    bytes: opened?.content ? undefined : bytes,
    own,
    phones,
    verified,
    answer: opened?.answer,
    ...(sealed && !opened && isAboutKnown && { unopened: sealed.id }),
    scheduledFor: scheduled?.at,
  })
  const isOfKnown = !of || "content" in of
  return change ? mapped.map((each) => ({ ...each, change, isOfKnown })) : mapped
}

/**
 * The event of a message that `mapReceived` cannot read, with what can be found in the bytes. There is no
 * event if people see nothing of the message.
 */
export async function mapUnreadable(
  { attrs, verified, plaintext }: Received,
  own: Own,
  lookups: ToAsk,
): Promise<Mapped[]> {
  return fromMessage({ ...(await knownOf(attrs, own, lookups)), verified, bytes: withoutPadding(plaintext) })
}

function withoutPadding(plaintext: Uint8Array): Uint8Array {
  try {
    return unpad(plaintext)
  } catch {
    return plaintext
  }
}

/**
 * The event of a message that is lost: the phone has not sent it, and only these attributes of it are known.
 */
export async function mapLost(attrs: Received["attrs"], own: Own, lookups: ToAsk): Promise<Mapped[]> {
  return fromLost(await knownOf(attrs, own, lookups))
}

/** What is known of a message by its attributes alone. */
async function knownOf(attrs: Received["attrs"], own: Own, lookups: ToAsk) {
  const input = { attrs, content: {}, own }
  const phones = phonesIn(attrs, own)
  for (const [lid, phone] of await phonesOf([...lidsIn(input)], lookups, attrs.from)) phones.set(lid, phone)
  return { ...input, phones }
}

/**
 * How many LIDs are looked up at most: as many as the largest group has members, since a stranger's message
 * may mention any number of people.
 */
const mostLookedUp = 1_024

/**
 * The phone JIDs of these people (`Connection.phonesOf`), without those that are unknown; none at all if
 * there is no connection to ask. If the chat in which they are named is a group, its members may be asked
 * for.
 */
export async function phonesOf(
  lids: string[],
  { connection, log }: ToAsk,
  chat = "",
): Promise<Map<string, string>> {
  if (!connection || lids.length === 0) return new Map()
  try {
    return await connection.phonesOf(lids.slice(0, mostLookedUp), isGroup(chat) ? chat : undefined)
  } catch (error) {
    // The connection has ended meanwhile. An event without phone numbers is better than none.
    log.info({ error }, "phone numbers could not be looked up")
    return new Map()
  }
}
