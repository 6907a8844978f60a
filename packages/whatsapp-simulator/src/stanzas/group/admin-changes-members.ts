import { randomBytes } from "node:crypto"
import { now } from "../../clock.ts"
import { inMode } from "../../network/addressing.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import type { User } from "../../network/directory.ts"
import { type Group, isAdmin, jidOf, mostMembers, type Role, roleOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import { isShown } from "../../network/profiles.ts"
import * as Jid from "../../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../../wire/node.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import { memberNode } from "./card.ts"
import { addMembers, raiseMembersVersion } from "./change-members.ts"

/**
 * For how long a person who has left the group cannot be added, and for how long a personal invitation is
 * valid, in seconds.
 */
const [recently, goodFor] = [86_400, 3 * 86_400]

interface Asked {
  network: Network
  group: Group
  by: string
  node: Node
}

/**
 * The code of why this person cannot be added (whatsmeow, `group.go`; whatsapp-web.js); undefined if they
 * can. People who let only contacts add them accept an admin who shows their token in the stanza.
 */
export function refusalToAdd(
  { profiles }: Network,
  group: Group,
  added: { by: string; pn: string; node: Node },
): number | undefined {
  const { by, pn } = added
  const profile = profiles.get(pn)
  if (roleOf(group, pn)) return 409
  if (profile.blocked.includes(by)) return 401
  const asking = { pn: by, token: bytes(child(added.node, "privacy")) }
  if (!isShown(profile, "groupadd", asking)) return 403
  if (group.left?.some((one) => one.pn === pn && one.at > now() - recently)) return 408
  return group.members.length >= mostMembers ? 419 : undefined
}

/**
 * A personal invitation, which a person gets in place of being added: the admin's client sends it to them.
 */
function invitation(group: Group, by: string, pn: string): Node {
  const made = { pn, by, code: randomBytes(12).toString("base64url"), expiration: now() + goodFor }
  group.invitations = [...(group.invitations ?? []).filter((one) => one.pn !== pn), made]
  return el("add_request", { code: made.code, expiration: made.expiration })
}

/** Adds the people who may be added. Each person's part of the answer says how it went. */
export function add({ network, group, by, node }: Asked) {
  const joined: string[] = []
  const answers = people(network, node).map(({ jid, user, node: named }) => {
    const error = user ? refusalToAdd(network, group, { by, pn: user.pn, node: named }) : 404
    if (user && error === undefined) {
      group.members = [...group.members, { pn: user.pn, role: "member" }]
      group.removed = group.removed?.filter((pn) => pn !== user.pn)
      joined.push(user.pn)
    }
    return answerFor(group, { jid, user, error }, user && error === 403 ? by : undefined)
  })
  return { answer: [el("add", {}, answers)], news: newsOf(network, group, "add", joined), joined }
}

/** Removes members. The maker of the group cannot be removed. */
export function remove({ network, group, node }: Asked) {
  const answers = each({ network, group, node }, (pn) =>
    roleOf(group, pn) === "superadmin" ? 405 : undefined,
  )
  const gone = doneIn(answers)
  // The news shows them with the roles that they had.
  const news = newsOf(network, group, "remove", gone)
  group.members = group.members.filter(({ pn }) => !gone.includes(pn))
  group.removed = [...(group.removed ?? []), ...gone]
  return {
    answer: [
      el(
        "remove",
        {},
        answers.map(({ shown }) => shown),
      ),
    ],
    news,
  }
}

/** Gives members another role. The maker of the group keeps theirs. */
export function giveRole(tag: "promote" | "demote", role: Role) {
  return ({ network, group, node }: Asked) => {
    const answers = each({ network, group, node }, (pn) =>
      roleOf(group, pn) === "superadmin" ? 405 : undefined,
    )
    const done = doneIn(answers)
    group.members = group.members.map((member) => (done.includes(member.pn) ? { ...member, role } : member))
    return {
      answer: [
        el(
          tag,
          {},
          answers.map(({ shown }) => shown),
        ),
      ],
      news: newsOf(network, group, tag, done),
    }
  }
}

interface Answer {
  pn: string | undefined
  error: number | undefined
  shown: Node
}

function each(
  { network, group, node }: Omit<Asked, "by">,
  refusal: (pn: string) => number | undefined,
): Answer[] {
  return people(network, node).map(({ jid, user }) => {
    const error = user && roleOf(group, user.pn) ? refusal(user.pn) : 404
    return { pn: user?.pn, error, shown: answerFor(group, { jid, user, error }) }
  })
}

function doneIn(answers: Answer[]): string[] {
  return answers.flatMap(({ pn, error }) => (pn && error === undefined ? [pn] : []))
}

/** The people whom the children of a node name, and the addresses that belong to no person. */
function people(network: Network, node: Node) {
  const named = children(node).filter(({ tag }) => tag === "participant")
  if (named.length === 0) throw badRequest()
  return named.map((one) => {
    const { jid } = one.attrs
    return { jid, user: network.directory.find(Jid.parse(jid)), node: one }
  })
}

/**
 * What became of a person who was named: an error, or `type` 200 (whatsapp-rust, `iq/groups.rs`). With
 * `invitedBy` the person gets an invitation of this admin's in place of being added.
 */
export function answerFor(
  group: Group,
  { jid, user, error }: { jid: string | undefined; user: User | undefined; error: number | undefined },
  invitedBy?: string,
): Node {
  const attrs = {
    jid: user ? inMode(group.mode, user) : jid,
    error,
    type: error === undefined ? 200 : undefined,
  }
  if (!user || !invitedBy) return el("participant", attrs)
  return el("participant", attrs, [invitation(group, invitedBy, user.pn)])
}

/** The news of members who were changed: it shows what they are now. */
function newsOf(network: Network, group: Group, tag: string, pns: string[]): Node[] {
  if (pns.length === 0) return []
  const shown = pns.flatMap((pn) => memberNode(network, group, { pn, role: roleOf(group, pn) ?? "member" }))
  return [el(tag, raiseMembersVersion(group), shown)]
}

/** A person accepts a personal invitation, which is valid for them alone, until it expires or is revoked. */
export function acceptInvitation(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  const { code, admin, expiration } = child(iq, "accept")?.attrs ?? {}
  if (!group) throw notFound()
  if (!code || !admin || !expiration) throw badRequest()
  const pn = line.device.user
  const by = network.directory.find(Jid.parse(admin))?.pn
  const found = group.invitations?.find((one) => one.code === code && one.pn === pn && one.by === by)
  if (!found || !isAdmin(group, found.by) || found.expiration < now()) throw new Refusal(410, "gone")
  if (roleOf(group, pn)) throw new Refusal(409, "conflict")
  if (group.members.length >= mostMembers) throw new Refusal(419, "resource-limit")
  group.invitations = group.invitations?.filter((one) => one !== found)
  addMembers(network, line, group, { pns: [pn], reason: "invite" })
  return [el("group", { jid: jidOf(group) })]
}
