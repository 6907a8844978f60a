import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { inMode } from "../network/addressing.ts"
import { type Group, jidOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { askAs, phoneOf } from "./phones.ts"
import { route } from "./http/route.ts"
import * as Schema from "./schemas.ts"
import { userOf } from "./target.ts"

/** The namespace of questions about groups. */
const xmlns = "w:g2"

/** Groups, as phones make and change them. */
export function groups(app: OpenAPIHono, network: Network) {
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
      const create = el("create", attrs, participants(network, body.members))
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
      for (const change of changesOf(network, body))
        askAs(handset, { xmlns, to: jidOf(group), content: [change] })
      const leave = el("leave", {}, [el("group", { id: jidOf(group) })])
      if (body.leave) askAs(handset, { xmlns, to: "@g.us", content: [leave] })
      return wire(group)
    },
  )
}

function changesOf(network: Network, body: z.output<typeof Schema.ChangeGroup>): Node[] {
  const { subject, description, ephemeral, setting } = body
  const members = (["add", "remove", "promote", "demote"] as const).flatMap((action) => {
    const numbers = body[action]
    return numbers ? [el(action, {}, participants(network, numbers))] : []
  })
  return [
    ...(subject === undefined ? [] : [el("subject", {}, Buffer.from(subject))]),
    ...(description === undefined
      ? []
      : [el("description", { id: `D${Date.now()}` }, [el("body", {}, Buffer.from(description))])]),
    ...members,
    ...(ephemeral === undefined ? [] : [timer(ephemeral)]),
    ...(setting ? [el(setting)] : []),
  ]
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
    members: group.members.map(({ pn, role }) => ({ number: pn, role })),
  }
}
