import { isPhoneJid, userOf } from "#core/message/jid.ts"
import { wholeNumber } from "../content/mapped.ts"
import type { Connection } from "../network/connection.ts"
import { NetworkRejected, NoAnswer } from "../network/errors.ts"
import { type Stanza, child, childrenOf, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import { addressesOf, type Group, groupsOf } from "./group.ts"
import { orGroupRefusal, orLinkRefusal } from "./refusals.ts"

/** The public address of all links. */
const prefix = "https://chat.whatsapp.com/"

type Asking = Pick<Connection, "ask">

/** The link of a group, or a new one. @throws ApiError `not_found`, `not_admin`. NetworkRejected, NoAnswer */
export async function askForInvite(
  connection: Asking,
  to: string,
  isNew: boolean,
): Promise<{ link: string }> {
  const type = isNew ? "set" : "get"
  const asked = connection.ask({ xmlns: "w:g2", type, to, children: [el("invite")] })
  const { code } = child(await orGroupRefusal(asked), "invite")?.attrs ?? {}
  if (!code) throw new NoAnswer("the network gave no code")
  return { link: `${prefix}${code}` }
}

/**
 * The group that a link leads to.
 * @throws ApiError `not_found`, `invite_revoked`. NetworkRejected, NoAnswer
 */
export async function findGroupBehind({ connection, own }: ConnectedSession, link: string): Promise<Group> {
  const answer = await orLinkRefusal(askWith(connection, "get", link))
  const card = child(answer, "group")
  if (!card?.attrs.id) throw new NoAnswer("the network showed no group")
  const [group] = (await groupsOf([card], { own, connection })) as [Group] // one for each card
  return group
}

/**
 * Joins a group by its link, or asks to join it. An account that is already in the group has joined.
 * @throws ApiError `not_found`, `invite_revoked`, `join_refused`, `group_full`. NetworkRejected, NoAnswer
 */
export async function joinByLink(
  connected: ConnectedSession,
  link: string,
): Promise<{ jid: string; joined: boolean }> {
  const { connection } = connected
  try {
    const answer = await orLinkRefusal(askWith(connection, "set", link))
    const asked = child(answer, "membership_approval_request")
    const jid = (asked ?? child(answer, "group"))?.attrs.jid
    if (jid) return { jid, joined: asked === undefined }
  } catch (error) {
    if (!(error instanceof NetworkRejected) || error.networkCode !== 409) throw error
    return { jid: (await findGroupBehind(connected, link)).jid, joined: true }
  }
  throw new NoAnswer("the network does not say which group it is")
}

/** The people who ask to join. @throws ApiError `not_found`, `not_admin`. NetworkRejected, NoAnswer */
export async function askForJoinRequests({ connection }: ConnectedSession, to: string) {
  const tag = "membership_approval_requests"
  const answer = await orGroupRefusal(connection.ask({ xmlns: "w:g2", type: "get", to, children: [el(tag)] }))
  const requests = childrenOf(child(answer, tag), "membership_approval_request")
  const addresses = requests.map(addressesOf)
  const phones = await connection.phonesOf(
    addresses.flatMap((of) => (of.some(isPhoneJid) ? [] : of.slice(0, 1))),
  )
  return requests.flatMap(({ attrs }, n) => {
    const [first = ""] = addresses[n]!
    const jid = addresses[n]!.find(isPhoneJid) ?? phones.get(first) ?? first
    if (jid === "") return []
    return [{ jid, phone: isPhoneJid(jid) ? userOf(jid) : "", requested_at: wholeNumber(attrs.request_time) }]
  })
}

function askWith(connection: Asking, type: "get" | "set", link: string): Promise<Stanza> {
  const code = /^[\w-]+/.exec(link.replace(/^https?:\/\/chat\.whatsapp\.com\/(?:invite\/)?/, ""))?.[0] ?? ""
  return connection.ask({ xmlns: "w:g2", type, to: "@g.us", children: [el("invite", { code })] })
}
