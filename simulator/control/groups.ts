import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { inMode } from "../network/addressing.ts"
import { type Group, jidOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import type { Desk } from "../phone/desk.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { ControlError } from "./errors.ts"
import { phoneOf } from "./phones.ts"
import { route } from "./route.ts"
import * as Schema from "./schemas.ts"

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
      const { desk } = phoneOf(network, body.creator)
      const reply = asked(desk, "@g.us", [
        el(
          "create",
          { subject: body.subject, addressing_mode: body.addressing },
          participants(network, body.members),
        ),
      ])
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
      const { desk } = phoneOf(network, body.by)
      for (const change of changesOf(network, body)) asked(desk, jidOf(group), [change])
      if (body.leave) asked(desk, "@g.us", [el("leave", {}, [el("group", { id: jidOf(group) })])])
      return wire(group)
    },
  )
}

function changesOf(network: Network, body: z.output<typeof Schema.ChangeGroup>): Node[] {
  const { subject, description, setting } = body
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
    ...(setting ? [el(setting)] : []),
  ]
}

/** Asks the network as this phone; its refusal is the caller's. */
function asked(desk: Desk, to: string, content: Node[]): Node | undefined {
  const reply = desk.ask("w:g2", "set", content, to)
  const error = child(reply, "error")
  if (error) throw new ControlError(403, "refused", `the network refused: ${error.attrs.text ?? ""}`)
  return reply
}

function participants(network: Network, numbers: string[]): Node[] {
  return numbers.map((pn) => {
    const user = network.directory.user(pn)
    if (!user) throw new ControlError(404, "unknown_recipient", `nobody has the number ${pn}`)
    return el("participant", { jid: inMode("lid", user) })
  })
}

function groupOf(network: Network, id: string | undefined): Group {
  const group = network.groups.get(id ?? "")
  if (!group) throw new ControlError(404, "unknown_group", "no such group")
  return group
}

const wire = (group: Group) => ({
  jid: jidOf(group),
  subject: group.subject,
  addressing: group.mode,
  members: group.members.map(({ pn, role }) => ({ number: pn, role })),
})
