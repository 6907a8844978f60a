import type { z } from "@hono/zod-openapi"
import type * as contract from "#contract/chat.ts"
import { ApiError, invalid } from "#core/error.ts"
import { isGroup } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { type Chat, isBehind, placeName } from "../chats/chats.ts"
import { askForGroups } from "../groups/list.ts"
import { NoAnswer, NetworkRejected } from "../network/errors.ts"
import { contactWire } from "../people/contacts.ts"
import type { Memory } from "../session/memory.ts"
import type { Session } from "../session/session.ts"

type Wire = z.input<typeof contract.Chat>
type Asked = z.output<typeof contract.listChats.request.query>

const purpose = "chats after"
/**
 * How long a group's name is shown without asking again, in seconds. The names of all groups are asked for at
 * once, and the network limits how often.
 */
const nameGoodFor = 86_400

/**
 * A page of the chats, the one with the latest message first, and the `after` of the next page
 * (Contract, "Chats").
 * @throws ApiError `not_kept`, `invalid_request` for an `after` of another bridge; SessionEnded
 */
export async function chatPage(session: Session, asked: Asked): Promise<{ chats: Wire[]; next?: string }> {
  const memory = await session.memory()
  const { chats, store } = memory
  if (!chats.areKept) throw new ApiError("not_kept")
  const behind = asked.after === undefined ? undefined : store.unsealed(purpose, asked.after)
  if (asked.after !== undefined && behind === undefined) throw notItsPage()
  const places = (await chats.places()).filter((place) => behind === undefined || isBehind(place, behind))
  const page = places.slice(0, asked.limit)
  const last = page.at(-1)
  const found = await named(session, memory, await chats.at(page))
  return {
    chats: await Promise.all(found.map((chat) => chatWire(memory, chat))),
    ...(last && places.length > page.length && { next: store.sealed(purpose, placeName(last)) }),
  }
}

function notItsPage(): ApiError {
  const message = "not from a page of this bridge's chats: leave it out to begin with the latest"
  return invalid([{ path: "after", message }])
}

/** The chats, with the present names of groups if the session is connected. */
async function named(session: Session, { chats }: Pick<Memory, "chats">, page: Chat[]): Promise<Chat[]> {
  const old = page.filter(({ jid, namedAt }) => isGroup(jid) && namedAt < now() - nameGoodFor)
  if (old.length === 0 || (await session.status()).status !== "connected") return page
  try {
    const groups = await session.use(askForGroups)
    const names = new Map(groups.map(({ jid, name }) => [jid, name]))
    // A group that the account has left keeps its name.
    const asked = new Map(old.map(({ jid, name }) => [jid, names.get(jid) ?? name]))
    await chats.name(asked)
    return page.map((chat) => ({ ...chat, name: asked.get(chat.jid) ?? chat.name }))
  } catch (error) {
    if (error instanceof NetworkRejected || error instanceof NoAnswer || error instanceof ApiError)
      return page
    throw error
  }
}

/** A chat in the contract's form. A person has the same name as in the list of contacts. */
export async function chatWire(
  { contacts, handovers }: Pick<Memory, "contacts" | "handovers">,
  chat: Chat,
): Promise<Wire> {
  const { jid, name, unread, isMarked, isArchived, isPinned, mutedUntil, lastAt } = chat
  const contact = isGroup(jid) ? undefined : await contacts.get(jid)
  return {
    chat_id: jid,
    name: contact ? contactWire(contact).name : name,
    is_group: isGroup(jid),
    unread,
    marked_unread: isMarked,
    archived: isArchived,
    pinned: isPinned,
    muted: mutedUntil === -1 || mutedUntil > now(),
    muted_until: mutedUntil > now() ? mutedUntil : 0,
    last_message_at: lastAt,
    handover_until: await handovers.until(jid),
  }
}
