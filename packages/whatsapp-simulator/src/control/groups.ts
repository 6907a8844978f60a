import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { inMode } from "../network/addressing.ts"
import { type Group, jidOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { askAs, phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { userOf } from "./target.ts"

/** The namespace of questions about groups. */
const xmlns = "w:g2"

/** Groups, as phones make and change them. */
export function routeGroups(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/groups",
      summary: "A phone makes a group",
      body: Schema.NewGroup,
      answer: Schema.Group,
      status: 201,
    },
    ({ body }) => {
      const { handset } = phoneOf(network, body.creator)
      const attrs = { subject: body.subject, addressing_mode: body.addressing }
      const parent = body.community ? [el("parent")] : []
      const create = el("create", attrs, [...participants(network, body.members), ...parent])
      const reply = askAs(handset, { xmlns, to: "@g.us", content: [create] })
      return wire(groupOf(network, child(reply, "group")?.attrs.id))
    },
  )
  route(app, { method: "get", path: "/groups", summary: "All groups", answer: z.array(Schema.Group) }, () =>
    network.groups.list().map(wire),
  )
  route(
    app,
    {
      method: "patch",
      path: "/groups/{jid}",
      summary: "A phone changes a group",
      body: Schema.ChangeGroup,
      answer: Schema.Group,
    },
    ({ params, body }) => {
      const group = groupOf(network, Jid.parse(params.jid)?.user)
      const { handset } = phoneOf(network, body.by)
      const to = jidOf(group)
      for (const change of changesOf(network, group, body)) askAs(handset, { xmlns, to, content: [change] })
      for (const change of wholeNetworkChangesOf(group, body))
        askAs(handset, { xmlns, to: "@g.us", content: [change] })
      if (body.picture !== undefined) {
        const content = body.picture
          ? [el("picture", { type: "image" }, Buffer.from(body.picture, "base64"))]
          : []
        askAs(handset, { xmlns: "w:profile:picture", target: to, content })
      }
      return wire(group)
    },
  )
}

/** Questions to the group itself. */
function changesOf(network: Network, group: Group, body: z.output<typeof Schema.ChangeGroup>): Node[] {
  const { subject, description, ephemeral, setting } = body
  const members = (["add", "remove", "promote", "demote"] as const).flatMap((action) => {
    const numbers = body[action]
    return numbers ? [el(action, {}, participants(network, numbers))] : []
  })
  const verdicts = (["approve", "reject"] as const).flatMap((action) => {
    const numbers = body[action]
    if (!numbers) return []
    return [el("membership_requests_action", {}, [el(action, {}, participants(network, numbers))])]
  })
  return [
    ...(subject === undefined ? [] : [el("subject", {}, Buffer.from(subject))]),
    ...(description === undefined ? [] : [described(group, description)]),
    ...members,
    ...(ephemeral === undefined ? [] : [timer(ephemeral)]),
    ...(setting ? [el(setting)] : []),
    ...(body.all_add === undefined ? [] : [addMode(body.all_add)]),
    ...(body.approval === undefined ? [] : [approval(body.approval)]),
    ...(body.revoke_invite ? [el("invite")] : []),
    ...(body.accept ? [accept(network, group, body.accept)] : []),
    ...verdicts,
  ]
}

/** Questions that name the group, or a code, in themselves. */
function wholeNetworkChangesOf(group: Group, { join, leave }: z.output<typeof Schema.ChangeGroup>): Node[] {
  return [
    ...(join === undefined ? [] : [el("invite", { code: join })]),
    ...(leave ? [el("leave", {}, [el("group", { id: jidOf(group) })])] : []),
  ]
}

function described(group: Group, text: string): Node {
  const attrs = { id: `D${Date.now()}`, prev: group.description?.id }
  if (text === "") return el("description", { ...attrs, delete: "true" })
  return el("description", attrs, [el("body", {}, Buffer.from(text))])
}

function addMode(isAll: boolean): Node {
  return el("member_add_mode", {}, Buffer.from(isAll ? "all_member_add" : "admin_add"))
}

function approval(isOn: boolean): Node {
  return el("membership_approval_mode", {}, [el("group_join", { state: isOn ? "on" : "off" })])
}

function accept(network: Network, group: Group, { code, admin }: { code: string; admin: string }): Node {
  const expiration = group.invitations?.find((one) => one.code === code)?.expiration ?? 0
  return el("accept", { code, admin: inMode("lid", userOf(network, admin)), expiration })
}

function timer(seconds: number): Node {
  return seconds === 0 ? el("not_ephemeral") : el("ephemeral", { expiration: seconds })
}

function participants(network: Network, numbers: string[]): Node[] {
  return numbers.map((pn) => el("participant", { jid: inMode("lid", userOf(network, pn)) }))
}

function groupOf(network: Network, id: string | undefined): Group {
  const group = network.groups.get(id ?? "")
  if (!group) throw new ControlError(404, "unknown_group", "no such group")
  return group
}

function wire(group: Group) {
  return {
    jid: jidOf(group),
    subject: group.subject,
    addressing: group.mode,
    invite: group.invite,
    members: group.members.map(({ pn, role }) => ({ number: pn, role })),
  }
}
