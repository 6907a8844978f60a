import { z } from "zod"
import type { Event } from "#contract/event.ts"
import { groupSettings } from "#contract/field-types.ts"
import { isGroup, isPhoneJid, usernameIn, userOf, withoutDevice } from "#core/message/jid.ts"
import { type Stanza, child, childrenOf, textOf } from "../network/stanza.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"
import { type KnownPeople, personLookup } from "./people-in-stanza.ts"

type GroupEvent = Extract<Event, { event: "group" }>
type Kind = GroupEvent["kind"]

/** What a change says besides its kind. */
type GroupChange = { kind: Kind } & Partial<GroupEvent>

/** Whether a stanza is news of a group. */
export function isGroupNews({ tag, attrs }: Pick<Stanza, "tag" | "attrs">): boolean {
  if (tag !== "notification" || !isGroup(attrs.from ?? "")) return false
  return attrs.type === "w:gp2" || attrs.type === "picture"
}

/**
 * `<notification type="w:gp2">` with a child for each change, or `type="picture"`, of a group (whatsmeow,
 * `group.go`; Baileys, `messages-recv.js`). A notification has an id of its own, also when it comes again.
 */
export function fromGroupNews(news: Stanza, known: KnownPeople): Mapped[] {
  const { id, from = "", t, notify, offline } = news.attrs
  if (!id) return []
  const person = personLookup(news, known)
  const actor = withoutDevice(news.attrs.participant ?? authorIn(news))
  const contact = actor === "" ? "" : person(actor)
  const username = usernameIn(news.attrs.participant_username)
  const about = {
    chat_id: from,
    contact_id: contact,
    phone: isPhoneJid(contact) ? userOf(contact) : "",
    name: notify && actor !== "" ? notify : "",
    ...(username && { username }),
    from_me: contact !== "" && contact === known.own.jid,
    timestamp: wholeNumber(t),
    ...(offline !== undefined && { offline: true as const }),
  }
  return news.children.flatMap((change, at): Mapped[] => {
    const said = saidBy(change, { actor, person, own: known.own.jid })
    if (!said) return []
    const { kind, ...more } = said
    const event: GroupEvent = { event: "group", kind, ...about, ...more }
    return [{ identity: ["group", from, id, t ?? "", String(at)], event, mayRepeat: true }]
  })
}

function authorIn(news: Stanza): string {
  return news.children.find(({ attrs }) => attrs.author)?.attrs.author ?? ""
}

interface Who {
  /** Who made the change; `""` if the network does not say. */
  actor: string
  person: (jid: string) => string
  own: string
}

/** The reasons of an `add` or a `create` which say that its people joined by themselves. */
const byThemselves = new Set(["invite", "linked_group_join"])

function saidBy(change: Stanza, who: Who): GroupChange | undefined {
  const { tag, attrs } = change
  const participants = peopleIn(change, who)
  switch (tag) {
    case "create":
      return created(change, who)
    case "add": {
      const isOwnWish = byThemselves.has(attrs.reason ?? "") || isAlone(participants, who)
      return { kind: isOwnWish ? "joined" : "added", participants }
    }
    case "remove":
      return { kind: isAlone(participants, who) ? "left" : "removed", participants }
    case "leave":
      return { kind: "left", participants }
    case "promote":
      return { kind: "promoted", participants }
    case "demote":
      return { kind: "demoted", participants }
    case "subject":
      return { kind: "subject", subject: attrs.subject ?? "" }
    case "description":
      return { kind: "description", description: textOf(child(change, "body")) }
    case "set":
      return { kind: "picture", ...(attrs.id && { picture_id: attrs.id }) }
    case "delete":
      // The deletion of a picture names its owner; the deletion of a group says the reason.
      return { kind: attrs.reason === undefined ? "picture" : "deleted" }
    case "invite":
      return attrs.code ? { kind: "link", link: `https://chat.whatsapp.com/${attrs.code}` } : undefined
    case "created_membership_requests":
      return { kind: "request", participants }
    case "revoked_membership_requests":
      return { kind: "request_over", participants }
    default: {
      const settings = settingsIn(change)
      return settings && { kind: "settings", settings }
    }
  }
}

/** A group is new, or is new to this account, which was added or has joined by a link. */
function created(change: Stanza, who: Who): GroupChange {
  const { type, reason = "" } = change.attrs
  const card = child(change, "group")
  const subject = card?.attrs.subject ?? ""
  if (type === "new") return { kind: "created", subject, participants: peopleIn(card, who) }
  const isOwnWish = byThemselves.has(reason) || who.person(who.actor) === who.own
  return { kind: isOwnWish ? "joined" : "added", subject, participants: [who.own] }
}

function peopleIn(node: Stanza | undefined, { person }: Who): string[] {
  const named = [...childrenOf(node, "participant"), ...childrenOf(node, "requested_user")]
  return named.flatMap(({ attrs }) => (attrs.jid ? [person(attrs.jid)] : []))
}

function isAlone(participants: string[], { actor, person }: Who): boolean {
  return participants.length === 1 && actor !== "" && participants[0] === person(actor)
}

const Settings = z.object(groupSettings).partial()

function settingsIn(change: Stanza): z.infer<typeof Settings> | undefined {
  switch (change.tag) {
    case "announcement":
      return { write: "admins" }
    case "not_announcement":
      return { write: "all" }
    case "locked":
      return { edit: "admins" }
    case "unlocked":
      return { edit: "all" }
    case "member_add_mode":
      return { add_members: textOf(change) === "all_member_add" ? "all" : "admins" }
    case "membership_approval_mode":
      return { approval: child(change, "group_join")?.attrs.state === "on" }
    case "ephemeral":
      return { disappearing: wholeNumber(change.attrs.expiration) }
    case "not_ephemeral":
      return { disappearing: 0 }
    default:
      return undefined
  }
}
