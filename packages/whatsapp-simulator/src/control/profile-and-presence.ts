import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { now } from "../clock.ts"
import { inMode } from "../network/addressing.ts"
import type { Network } from "../network/network.ts"
import type { Profile } from "../network/profiles.ts"
import { setAutoReply } from "../phone/auto-reply.ts"
import { sendName } from "../phone/settings/settings.ts"
import { jidOfTarget } from "../phone/target.ts"
import { changeAbout } from "../stanzas/profile-and-privacy.ts"
import { el, type Node } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { askAs, phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { targetOf, userOf } from "./target.ts"

/** Everything that people do with their phones besides writing: profiles, presence, typing, reading. */
export function routeProfileAndPresence(app: OpenAPIHono, network: Network) {
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
      await change(network, phoneOf(network, params.number), body)
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
      phoneOf(network, params.number).handset.submit(chatState(network, body))
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/read",
      summary: "Mark messages as read or played",
      body: Schema.MarkAsRead,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const { handset } = phoneOf(network, params.number)
      handset.submit(readReceipt(network, body))
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
}

async function change(
  network: Network,
  phone: ReturnType<typeof phoneOf>,
  body: z.output<typeof Schema.ChangePhone>,
): Promise<void> {
  const { handset } = phone
  const { on, business } = body
  if (body.answers !== undefined) setAutoReply(phone, body.answers)
  if (on === true) phone.turnOn()
  if (on === false) phone.turnOff()
  network.profiles.change(handset.own.user, settingsIn(body))
  if (business !== undefined) network.profiles.change(handset.own.user, { business: business ?? undefined })
  const holder = network.directory
    .users()
    .find(({ pn }) => body.username && network.profiles.get(pn).username === body.username)
  if (holder && holder !== phone.user)
    throw new ControlError(409, "username_taken", "somebody else has this username")
  if (body.new_lid) network.directory.changeLid(phone.user)
  if (body.username !== undefined)
    network.profiles.change(handset.own.user, { username: body.username ?? undefined })
  if (body.username_pin !== undefined)
    network.profiles.change(handset.own.user, { usernamePin: body.username_pin ?? undefined })
  if (body.name) {
    handset.submit(el("presence", { name: body.name }))
    await phone.use(sendName)
  }
  if (body.about !== undefined) changeAbout(network, handset.own, body.about)
  if (body.available !== undefined)
    handset.submit(el("presence", { type: body.available ? "available" : "unavailable" }))
  for (const [xmlns, content] of wishes(network, body)) askAs(handset, { xmlns, content })
}

function chatState(network: Network, { state, ...chat }: z.output<typeof Schema.Typing>): Node {
  const media = state === "recording" ? "audio" : undefined
  const to = jidOfTarget(targetOf(network, chat))
  return el("chatstate", { to }, [el(state === "paused" ? "paused" : "composing", { media })])
}

function readReceipt(network: Network, body: z.output<typeof Schema.MarkAsRead>): Node {
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

/** The settings that the network has of an account by itself, and no phone asks for. */
function settingsIn(body: z.output<typeof Schema.ChangePhone>): Partial<Profile> {
  const named = {
    restricted: body.restricted,
    capped: body.capped,
    statusHiddenFrom: body.status_hidden_from,
    hidesNumber: body.hides_number,
    byNumber: body.by_number,
    notByNumber: body.not_by_number,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
}

/** The question to the network for each setting, by namespace. */
function wishes(network: Network, body: z.output<typeof Schema.ChangePhone>): [string, Node[]][] {
  const item = (action: string, pn: string): [string, Node[]] => {
    return ["blocklist", [el("item", { action, jid: inMode("lid", userOf(network, pn)) })]]
  }
  const { picture, privacy, block, unblock, trusts } = body
  const found: [string, Node[]][] = []
  if (picture === null) found.push(["w:profile:picture", []])
  if (picture)
    found.push(["w:profile:picture", [el("picture", { type: "image" }, Buffer.from(picture, "base64"))]])
  for (const [name, value] of Object.entries(privacy ?? {}))
    found.push(["privacy", [el("privacy", {}, [el("category", { name, value })])]])
  const token = (pn: string) =>
    el("token", { jid: inMode("lid", userOf(network, pn)), t: now(), type: "trusted_contact" })
  if (trusts) found.push(["privacy", [el("tokens", {}, trusts.map(token))]])
  if (block) found.push(item("block", block))
  if (unblock) found.push(item("unblock", unblock))
  return found
}
