import type { z } from "@hono/zod-openapi"
import type { getGroup, listGroups } from "#contract/group.ts"
import { isLid, isPhoneJid, userOf, withoutDevice } from "#core/message/jid.ts"
import { wholeNumber } from "../content/mapped.ts"
import type { Connection } from "../network/connection.ts"
import type { Own } from "../network/happening.ts"
import { type Stanza, child, childrenOf, textOf } from "../network/stanza.ts"

export type Group = z.infer<
  (typeof listGroups.responses)[200]["content"]["application/json"]["schema"]
>[number]
type Whole = z.infer<(typeof getGroup.responses)[200]["content"]["application/json"]["schema"]>

/** The account that reads a card, and the connection that finds the numbers which the card does not show. */
interface Reader {
  own: Own
  connection: Pick<Connection, "phonesOf">
}

const roles = new Map([
  ["admin", "admin"],
  ["superadmin", "owner"],
] as const)

/** Groups as their cards from the network describe them, without their members. */
export async function groupsOf(cards: Stanza[], { own, connection }: Reader): Promise<Group[]> {
  const phones = await phonesOf(
    cards.map((card) => card.attrs.creator ?? ""),
    connection,
  )
  return cards.map((card) => {
    const members = childrenOf(card, "participant")
    const creator = withoutDevice(card.attrs.creator_pn ?? card.attrs.creator ?? "")
    return {
      created: wholeNumber(card.attrs.creation),
      jid: jidOf(card),
      name: card.attrs.subject ?? "",
      participants: members.length || wholeNumber(card.attrs.size),
      topic: textOf(child(child(card, "description"), "body")),
      owner: creator === own.lid ? own.jid : (phones.get(creator) ?? creator),
      role: ownRole(card, own),
      write: child(card, "announcement") ? "admins" : "all",
      edit: child(card, "locked") ? "admins" : "all",
      add_members: textOf(child(card, "member_add_mode")) === "all_member_add" ? "all" : "admins",
      approval: child(card, "membership_approval_mode") !== undefined,
      disappearing: wholeNumber(child(card, "ephemeral")?.attrs.expiration),
      is_community: child(card, "parent") !== undefined,
      community: child(card, "linked_parent")?.attrs.jid ?? "",
      is_announcements: child(card, "default_sub_group") !== undefined,
    }
  })
}

/** The account's own role in the group of a card; `""` where it is no member. */
export function ownRole(card: Stanza, own: Own): Group["role"] {
  const isMe = (jid: string) => jid === own.jid || jid === own.lid
  const me = childrenOf(card, "participant").find((member) => addressesOf(member).some(isMe))
  return me ? roleOf(me) : ""
}

export function isAdmin(role: Group["role"]): boolean {
  return role === "admin" || role === "owner"
}

/** A group with its members, in the order of the card. */
export async function wholeGroup(card: Stanza, reader: Reader): Promise<Whole> {
  const [group] = (await groupsOf([card], reader)) as [Group] // one for each card
  const members = childrenOf(card, "participant")
  const phones = await phonesOf(
    members.map(({ attrs }) => (attrs.phone_number ? "" : (attrs.jid ?? ""))),
    reader.connection,
  )
  return {
    ...group,
    members: members.flatMap((member) => {
      const addresses = addressesOf(member)
      const [first = ""] = addresses
      const jid = addresses.find(isPhoneJid) ?? phones.get(first) ?? first
      return jid ? [{ jid, phone: isPhoneJid(jid) ? userOf(jid) : "", role: roleOf(member) }] : []
    }),
  }
}

/** The JID of a card's group. Cards leave out the server. */
function jidOf({ attrs: { id = "" } }: Stanza): string {
  return id.includes("@") ? id : `${id}@g.us`
}

/**
 * The addresses under which a `participant` node names a person, without a device. The one that the group
 * uses comes first.
 */
export function addressesOf({ attrs }: Stanza): string[] {
  const { jid, phone_number, lid } = attrs
  return [jid, phone_number, lid].flatMap((address) => (address ? [withoutDevice(address)] : []))
}

function roleOf({ attrs: { type } }: Stanza) {
  return roles.get(type as "admin") ?? "member" // any word
}

async function phonesOf(jids: string[], connection: Reader["connection"]): Promise<Map<string, string>> {
  const lids = [...new Set(jids.map(withoutDevice))].filter(isLid)
  return lids.length > 0 ? await connection.phonesOf(lids) : new Map<string, string>()
}
