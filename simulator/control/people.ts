import { randomBytes } from "node:crypto"
import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { proto } from "@whiskeysockets/baileys"
import { inMode, type Mode } from "../network/addressing.ts"
import type { Network } from "../network/network.ts"
import { change, settings as settingsIn, tellName } from "../phone/app-state.ts"
import type { Desk } from "../phone/desk.ts"
import { jidOfTarget, newId } from "../phone/outgoing.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { ControlError } from "./errors.ts"
import { phoneOf } from "./phones.ts"
import { route } from "./route.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** What people do with their phones besides writing: profiles, presence, typing, calls, reading. */
export function people(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "patch",
      path: "/phones/{number}",
      summary: "Change name, about, picture, presence, privacy, blocks, business",
      body: Schema.ChangePhone,
      answer: z.object({}),
    },
    async ({ params, body }) => {
      const phone = phoneOf(network, params.number)
      const { desk } = phone
      const { restricted, on, hides_number: hidesNumber, business } = body
      if (on !== undefined) phone[on ? "turnOn" : "turnOff"]()
      if (restricted !== undefined) network.profiles.change(desk.own.user, { restricted })
      if (body.status_hidden_from)
        network.profiles.change(desk.own.user, { statusHiddenFrom: body.status_hidden_from })
      if (hidesNumber !== undefined) network.profiles.change(desk.own.user, { hidesNumber })
      if (business !== undefined) network.profiles.change(desk.own.user, { business: business ?? undefined })
      if (body.name) {
        desk.submit(el("presence", { name: body.name }))
        await phone.use(tellName)
      }
      if (body.available !== undefined)
        desk.submit(el("presence", { type: body.available ? "available" : "unavailable" }))
      for (const [xmlns, content] of settings(network, body)) asked(desk, xmlns, content)
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/typing",
      summary: "Write or record in a chat, without sending",
      body: Schema.Typing,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const { desk } = phoneOf(network, params.number)
      const to = jidOfTarget(targetOf(network, body))
      const state = el(body.state === "paused" ? "paused" : "composing", {
        media: body.state === "recording" ? "audio" : undefined,
      })
      desk.submit(el("chatstate", { to }, [state]))
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/read",
      summary: "Mark messages as read or played",
      body: Schema.Seen,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const { desk } = phoneOf(network, params.number)
      desk.submit(readReceipt(network, body))
      return {}
    },
  )
  route(
    app,
    {
      method: "delete",
      path: "/presence/subscriptions",
      summary: "Let all presence subscriptions decay now",
      answer: z.object({}),
    },
    () => {
      network.presence.forget()
      return {}
    },
  )
  calls(app, network)
  settingsOf(app, network)
}

/** The account's settings, as its devices share them. */
function settingsOf(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/contacts",
      summary: "Put somebody into the phone's address book",
      body: Schema.NewContact,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      // Whether the number is on the network an address book does not care.
      const user = network.directory.user(body.number)
      const contactAction = {
        fullName: body.full_name,
        firstName: body.first_name,
        ...(user && { lidJid: inMode("lid", user) }),
        saveOnPrimaryAddressbook: true,
      }
      const index = ["contact", `${body.number}@s.whatsapp.net`]
      await phoneOf(network, params.number).use((desk) =>
        change(desk, "critical_unblock_low", { index, value: { contactAction }, version: 2, remove: false }),
      )
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/app-state/{collection}",
      summary: "Change any setting of the account",
      body: Schema.NewSetting,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      const collection = Schema.CollectionName.parse(params.collection)
      const value = proto.SyncActionValue.fromObject(body.value)
      await phoneOf(network, params.number).use((desk) => change(desk, collection, { ...body, value }))
      return {}
    },
  )
  route(
    app,
    {
      method: "get",
      path: "/phones/{number}/app-state/{collection}",
      summary: "The account's settings in a collection, whichever device made them",
      answer: z.array(Schema.Setting),
    },
    ({ params }) => {
      const collection = Schema.CollectionName.parse(params.collection)
      return phoneOf(network, params.number).use((desk) => settingsIn(desk, collection))
    },
  )
}

function calls(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/calls",
      summary: "Call somebody",
      body: Schema.NewCall,
      answer: Schema.Call,
      status: 201,
    },
    ({ params, body }) => {
      const { desk } = phoneOf(network, params.number)
      const call_id = randomBytes(16).toString("hex").toUpperCase()
      const offer = el("offer", {
        ...identified(desk, call_id, body.addressing),
        "group-jid": body.group,
        type: body.group && "group",
      })
      offer.content = [el("audio", { enc: "opus", rate: 16_000 }), ...(body.video ? [el("video")] : [])]
      desk.submit(step(network, body, offer))
      return { call_id }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/calls/{id}",
      summary: "Go on with a call, or end it",
      body: Schema.CallStep,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const { desk } = phoneOf(network, params.number)
      const attrs = { ...identified(desk, params.id ?? "", body.addressing), reason: body.reason }
      desk.submit(step(network, body, el(body.step, attrs)))
      return {}
    },
  )
}

const identified = (desk: Desk, id: string, mode: Mode) => ({
  "call-id": id,
  "call-creator": inMode(mode, desk.user()),
  caller_pn: inMode("pn", desk.user()),
})

function step(network: Network, body: { to: string; addressing: Mode }, content: Node): Node {
  const to = jidOfTarget(targetOf(network, body))
  return el("call", { to, id: newId(), platform: "android", version: "2.26.1" }, [content])
}

function readReceipt(network: Network, body: z.output<typeof Schema.Seen>): Node {
  const target = targetOf(network, { to: body.chat, addressing: body.addressing })
  const [id, ...rest] = body.message_ids
  const author = network.directory.user(body.from ?? "")
  const mode = "group" in target ? target.group.mode : "lid"
  const participant = "user" in target || !author ? undefined : inMode(mode, author)
  const list = el(
    "list",
    {},
    rest.map((one) => el("item", { id: one })),
  )
  const attrs = { id, to: jidOfTarget(target), type: body.type, participant }
  return el("receipt", attrs, rest.length > 0 ? [list] : undefined)
}

/** What is asked of the network for each setting, by namespace. */
function settings(network: Network, body: z.output<typeof Schema.ChangePhone>): [string, Node[]][] {
  const item = (action: string, pn: string): [string, Node[]] => {
    const user = network.directory.user(pn)
    if (!user) throw new ControlError(404, "unknown_recipient", `nobody has the number ${pn}`)
    return ["blocklist", [el("item", { action, jid: Jid.format(user.lid, "lid") })]]
  }
  const { about, picture, privacy, block, unblock } = body
  const found: [string, Node[]][] = []
  if (about !== undefined) found.push(["status", [el("status", {}, Buffer.from(about))]])
  if (picture === null) found.push(["w:profile:picture", []])
  if (picture)
    found.push(["w:profile:picture", [el("picture", { type: "image" }, Buffer.from(picture, "base64"))]])
  for (const [name, value] of Object.entries(privacy ?? {}))
    found.push(["privacy", [el("privacy", {}, [el("category", { name, value })])]])
  if (block) found.push(item("block", block))
  if (unblock) found.push(item("unblock", unblock))
  return found
}

function asked(desk: Desk, xmlns: string, content: Node[]) {
  const error = child(desk.ask(xmlns, "set", content), "error")
  if (error) throw new ControlError(403, "refused", `the network refused: ${error.attrs.text ?? ""}`)
}
