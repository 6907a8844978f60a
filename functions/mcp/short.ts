import { isGroup } from "#core/message/jid.ts"
import { iso } from "#core/platform/clock.ts"

// What an agent is shown of the API's answers: what it needs to know and to act, since it pays for each word.
// With `detail` it is shown all fields.

type Fields = Record<string, unknown>

/** All fields of an item, with its times in ISO 8601. */
export function inDetail(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((part) => inDetail(part))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inDetail(part, key)]))
  const isTime = typeof value === "number" && value > 0 && value < 1e11 && times.test(name)
  return isTime ? iso(value * 1000).replace(".000", "") : value
}

/** The names of fields that are times, in Unix seconds. */
const times = /^(?:at|timestamp|since|scheduled_for|(?:muted|handover)_until|.*_(?:at|time))$/

/** A message, as a list or an event of it has it. `isOfOneChat`: the agent has asked for this chat alone. */
export function shortMessage(item: unknown, isOfOneChat = false): Fields {
  const { event, ...bare } = item as Fields
  const {
    event: _,
    message_id: id,
    chat_id,
    contact_id,
    from_me,
    name,
    timestamp: at,
    type,
    body: text,
    media_type,
    file,
    quoted,
    reaction,
    target_id,
    ...rest
  } = (event ?? bare) as Fields
  const { emoji, message_id: reactsTo } = (reaction ?? {}) as Fields
  const isBetweenTwo = isOfOneChat && !isGroup(String(chat_id))
  const other = isBetweenTwo ? "them" : spelt(contact_id)
  return tidy({
    id,
    chat: isOfOneChat ? undefined : spelt(chat_id),
    from: from_me === true ? "me" : other,
    name: from_me !== true && !isBetweenTwo && name,
    at,
    type: type !== "text" && type !== "media" && type,
    text: reaction === undefined && text,
    file: (type === "media" || file !== undefined) && { kind: media_type, ...only(file, aboutFile) },
    quotes: (quoted as Fields | undefined)?.message_id,
    emoji: reaction === undefined ? undefined : emoji || "taken back",
    to: reactsTo ?? target_id,
    ...without(rest, tellsLittle),
  })
}

const aboutFile = ["name", "content_type", "size", "seconds", "pages"]
const tellsLittle = [
  "phone",
  "chat_lid",
  "username",
  "is_group",
  "caption",
  "preview",
  "offline",
  "disappears_after",
  "verified_business",
]

export function shortChat(item: unknown): unknown {
  const { chat_id, last_message_at: last, is_group: _, ...rest } = item as Fields
  return tidy({ chat: spelt(chat_id), ...rest, last_message_at: last })
}

export function shortPerson(item: unknown): Fields {
  const { jid, full_name, name, verified_name, business_name, username, registered } = item as Fields
  const called = [full_name, name, verified_name, business_name].find((one) => one)
  return tidy({ chat: spelt(jid), name: called, username, is_registered: registered === false ? "no" : "" })
}

export function shortGroup(item: unknown): unknown {
  const { jid, name, participants, topic, role, is_community, community, is_announcements } = item as Fields
  return tidy({
    chat: jid,
    name,
    topic,
    people: participants,
    role,
    is_community,
    community,
    is_announcements,
  })
}

/** A vote on a poll: who, for what, and when. */
export function shortVote(item: unknown): unknown {
  const { contact_id, from_me, name, selected_options, timestamp } = (item as { event: Fields }).event
  return tidy({
    who: from_me === true ? "me" : spelt(contact_id),
    name,
    votes_for: (selected_options as unknown[]).length === 0 ? "nothing any more" : selected_options,
    at: timestamp,
  })
}

/** An event that waits, or was given up. */
export function shortEvent(item: unknown): unknown {
  const { event_id, state, created_at, event } = item as Fields
  const { event: type } = event as Fields
  return { ...tidy({ event_id, state, created_at, event: type }), ...shortMessage({ event }) }
}

/** A bridge: its phone, how it stands, and whether messages are kept. */
export function shortNumber(bridge: unknown): unknown {
  const { customer_ref, explanation, reported, keep } = bridge as Fields
  const { phone, since } = (reported ?? {}) as Fields
  return tidy({ number: customer_ref, phone, explanation, since, keeps_messages_for_days: keep ?? "none" })
}

/** A person by their number where it is known, a group by its JID: each is a `chat`. */
function spelt(jid: unknown): unknown {
  return typeof jid === "string" ? jid.replace(/@s\.whatsapp\.net$/, "") : jid
}

/** Without what says nothing. */
function tidy(fields: Fields): Fields {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null && value !== "" && value !== false && value !== 0,
  )
  return inDetail(Object.fromEntries(said.filter(([, value]) => !isEmpty(value)))) as Fields
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function only(item: unknown, names: string[]): Fields {
  return tidy(Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => names.includes(name))))
}

function without(item: Fields, names: string[]): Fields {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))
}
