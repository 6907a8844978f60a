import type { z } from "@hono/zod-openapi"
import type { updateGroup } from "#contract/group.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { newMessageId } from "#core/message/message-id.ts"
import type { Connection } from "../network/connection.ts"
import { inSteps } from "../network/in-steps.ts"
import { type Stanza, child, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import { askForGroupCard } from "./group-card.ts"
import { type Group, groupsOf, isAdmin } from "./group.ts"
import { orGroupRefusal, notInGroup } from "./refusals.ts"

type Wanted = z.output<(typeof updateGroup)["request"]["body"]["content"]["application/json"]["schema"]>
type Field = keyof Wanted

/**
 * After this time no further change is begun, ms: each may take the network fifteen seconds, and a caller
 * waits for fifty.
 */
const beginWithinMs = 25_000

/**
 * Changes the settings that differ from the wanted ones, one after another.
 * @throws ApiError `not_found`, `not_admin`: nothing was changed then. If a later change fails, its sentence
 * names the earlier ones. NetworkRejected, NoAnswer
 */
export async function changeGroup(
  { connection, own }: ConnectedSession,
  group: string,
  wanted: Wanted,
): Promise<Group> {
  const startMs = performance.now()
  const card = await askForGroupCard(connection, group)
  if (!card) throw notInGroup()
  const [before] = (await groupsOf([card], { own, connection })) as [Group] // one for each card
  const fields = (Object.keys(wanted) as Field[]).filter((field) => wanted[field] !== before[field])
  mayChange(before, fields)
  const change = async (field: Field) => {
    if (performance.now() - startMs > beginWithinMs)
      throw sessionUnavailable("the network is slow: try again")
    await orGroupRefusal(askForGroupChange(connection, group, stanzaOf(field, wanted, card)))
  }
  await inSteps(fields.map((field) => ({ field, run: () => change(field) })))
  const { name = before.name, ...settings } = wanted
  return { ...before, ...withoutAbsent(settings), name }
}

/** Asks for a change of a group. @throws NetworkRejected, NoAnswer */
export async function askForGroupChange(
  connection: Pick<Connection, "ask">,
  to: string,
  change: Stanza,
): Promise<Stanza> {
  return await connection.ask({ xmlns: "w:g2", type: "set", to, children: [change] })
}

/** Fields that members who are no admins may change, unless `edit` says that admins alone may. */
const everybodys = new Set<Field>(["name", "topic", "disappearing"])

/**
 * Checks that the account may change these fields. The network would refuse, too, but only after it had made
 * the earlier changes.
 */
function mayChange({ role, edit, is_community }: Group, fields: Field[]): void {
  if (isAdmin(role) || fields.length === 0) return
  if (is_community || edit === "admins" || fields.some((field) => !everybodys.has(field)))
    throw new ApiError("not_admin")
}

function stanzaOf(field: Field, wanted: Wanted, card?: Stanza): Stanza {
  switch (field) {
    case "name":
      return el("subject", {}, wanted.name)
    case "topic":
      return topicStanza(wanted.topic ?? "", child(card, "description")?.attrs.id)
    case "write":
      return el(wanted.write === "admins" ? "announcement" : "not_announcement")
    case "edit":
      return el(wanted.edit === "admins" ? "locked" : "unlocked")
    case "add_members":
      return el("member_add_mode", {}, wanted.add_members === "all" ? "all_member_add" : "admin_add")
    case "approval":
      return el("membership_approval_mode", {}, [el("group_join", { state: wanted.approval ? "on" : "off" })])
    case "disappearing":
      return wanted.disappearing
        ? el("ephemeral", { expiration: String(wanted.disappearing) })
        : el("not_ephemeral")
  }
}

/** A change of a topic names the former topic, or is refused as a conflict. */
function topicStanza(topic: string, prev: string | undefined): Stanza {
  const before: Stanza["attrs"] = prev ? { prev } : {}
  if (topic === "") return el("description", { ...before, delete: "true" })
  return el("description", { id: newMessageId(), ...before }, [el("body", {}, topic)])
}

/**
 * The settings that a new group is made with. As in WhatsApp Web (`WAWebGroupCreateJob`), they include the
 * timer, who adds members, whether people ask before they join, and who shares earlier messages, even if
 * these settings are the default.
 */
export function settingStanzas({ disappearing = 0, ...wanted }: Omit<Wanted, "name">): Stanza[] {
  const asWanted: Wanted = { add_members: "all", approval: false, ...withoutAbsent(wanted) }
  const settings = (Object.keys(asWanted) as Field[])
    .map((field) => stanzaOf(field, asWanted))
    .filter(({ tag, attrs }) => !byItself.has(tag) && attrs.delete === undefined)
  const trigger: Stanza["attrs"] = disappearing > 0 ? { trigger: setForChat } : {}
  return [
    ...settings,
    el("ephemeral", { expiration: String(disappearing), ...trigger }),
    el("member_share_group_history_mode", {}, "admin_share"),
  ]
}

/** Settings that a group has by default. */
const byItself = new Set(["not_announcement", "unlocked"])

/** Why a group has a timer: it was set for this chat, and not for the whole account. */
const setForChat = "1"

function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  // These are the same fields, only fewer.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
