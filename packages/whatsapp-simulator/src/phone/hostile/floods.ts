import { randomBytes } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { now } from "../../clock.ts"
import { inMode } from "../../network/addressing.ts"
import { type DeviceAddress, deviceName } from "../../network/directory.ts"
import { devicesOf } from "../../network/notify.ts"
import { sendToDevice } from "../../network/send-to-device.ts"
import { noticeOf } from "../../stanzas/unsolicited-notices.ts"
import { bigEndian, el, type Node } from "../../wire/node.ts"
import { callOffer } from "../calls.ts"
import type { Handset } from "../handset.ts"
import { newId, send } from "../outgoing-messages.ts"
import { chatOf, jidOfTarget, type Target } from "../target.ts"
import { malformedStanzas } from "./malformed.ts"

/** Kinds of messages and stanzas that a stranger can send by the thousand. */
export const floodKinds = [
  /** Numbered texts. */
  "texts",
  /** Properly encrypted bytes that are no message. */
  "garbage",
  /** Messages that the recipient cannot decrypt. */
  "unreadable",
  /** Stanzas built wrongly, each in its own way, in turn; to people's companions only. */
  "malformed",
  "calls",
  /** Receipts for messages that were never sent. */
  "receipts",
  /** Receipts that ask again for messages that were never sent; to people's companions only. */
  "retries",
  /**
   * Receipts that ask again for the last messages of the chat, like those of a phone that lost its sessions.
   */
  "asks",
  /** Placeholders of messages that only the phone has; to people's companions only. */
  "placeholders",
  /**
   * In turn: another username of the sender, a change of the sender's devices, and another day on which this
   * version is refused; to people's companions only.
   */
  "news",
] as const

type Kind = (typeof floodKinds)[number]

/** Sends the `n`-th of a flood, from 0; gives its id. */
type One = (handset: Handset, target: Target, n: number) => string | Promise<string>

const floods: Record<Kind, One> = {
  texts: (handset, target, n) => sent(handset, target, { conversation: `number ${n + 1}` }),
  garbage: (handset, target) => sent(handset, target, randomBytes(64)),
  unreadable,
  malformed: wrong,
  calls(handset, target) {
    const id = randomBytes(16).toString("hex").toUpperCase()
    handset.submit(callOffer(handset, jidOfTarget(target), { id, mode: "lid" }))
    return id
  },
  receipts(handset, target) {
    const id = newId()
    handset.submit(el("receipt", { id, to: jidOfTarget(target), type: "read" }))
    return id
  },
  retries,
  asks,
  placeholders: (handset, target) =>
    toCompanions(
      handset,
      target,
      el("message", { from: inMode("lid", handset.user()), type: "text", t: now() }, [el("unavailable")]),
    ),
  news,
}

/** After this many, other work has its turn. */
const atOnce = 20

/** Sends `count` of a kind. @returns their ids, in order */
export async function flood(handset: Handset, target: Target, kind: Kind, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    ids.push(await floods[kind](handset, target, n))
    if (n % atOnce === atOnce - 1) await nextTurn()
  }
  return ids
}

async function sent(handset: Handset, target: Target, content: Parameters<typeof send>[1]["content"]) {
  const id = newId()
  await send(handset, { target, content, id })
  return id
}

function unreadable(handset: Handset, target: Target, n: number): string {
  const id = newId()
  const attrs = { id, to: jidOfTarget(target), type: "text" }
  // The first byte says version 3; otherwise a client would not even try to decrypt it.
  const body = Buffer.concat([Buffer.of(0x33), randomBytes(120)])
  if (!("user" in target)) {
    handset.submit(el("message", attrs, [el("enc", { v: "2", type: "skmsg" }, body)]))
    return id
  }
  const type = n % 2 === 0 ? "msg" : "pkmsg"
  const participants = companionsOf(handset, target).map((device) =>
    el("to", { jid: inMode(target.mode, target.user, device.id) }, [el("enc", { v: "2", type }, body)]),
  )
  handset.submit(el("message", attrs, [el("participants", {}, participants)]))
  return id
}

function retries(handset: Handset, target: Target): string {
  const id = newId()
  const asking = [el("retry", { id, count: "1", t: now(), v: "1" }), el("registration", {}, randomBytes(4))]
  if (!("user" in target)) return id
  for (const device of companionsOf(handset, target)) {
    const to = inMode(target.mode, target.user, device.id)
    handset.submit(el("receipt", { id, to, type: "retry" }, asking))
  }
  return id
}

/**
 * Asks again for a message from others in the chat: for the newest first, and after the oldest for the newest
 * again.
 */
function asks(handset: Handset, target: Target, n: number): string {
  const chat = chatOf(target)
  const read = handset.inbox.after(0).filter((one) => one.chat === chat && !one.from_me)
  const message = read.at(-1 - (n % Math.max(1, read.length)))
  const author = message && handset.network.directory.user(message.from)
  if (!message || !author) return newId()
  const jid = inMode("group" in target ? target.group.mode : "lid", author, message.from_device)
  const where = "group" in target ? { to: jidOfTarget(target), participant: jid } : { to: jid }
  handset.submit(
    el("receipt", { id: message.id, type: "retry", ...where }, [
      el("retry", { id: message.id, count: "1", t: now(), v: "1", error: "1" }),
      el("registration", {}, bigEndian(handset.keys.identity().registrationId, 4)),
    ]),
  )
  return message.id
}

function news(handset: Handset, target: Target, n: number): string {
  const me = handset.user()
  if (!("user" in target)) return newId()
  const about: Parameters<typeof noticeOf>[1] = {
    network: handset.network,
    own: target.user,
    contact: me,
    group: "",
  }
  handset.network.profiles.change(me.pn, { username: `name.${n}` })
  const kinds = ["username_set", "devices_changed", "client_expires"] as const
  return toCompanions(handset, target, noticeOf(kinds[n % kinds.length]!, about))
}

/** Stanzas that the network sends to connected devices, and keeps for none that is away. */
const unkept = new Set(["ib", "ack"])

/** Sends a stanza to each companion of a person, under this id. */
function toCompanions(handset: Handset, target: Target, { tag, attrs, content }: Node, id = newId()): string {
  const { network } = handset
  for (const device of companionsOf(handset, target)) {
    if (unkept.has(tag)) network.lines.get(deviceName(device))?.send(el(tag, attrs, content))
    else sendToDevice(network, device, el(tag, { id, ...attrs }, content))
  }
  return id
}

function wrong(handset: Handset, target: Target, n: number): string {
  const me = handset.user()
  const all = malformedStanzas({ jid: inMode("pn", me), lid: inMode("lid", me) })
  const [what, stanza] = all[n % all.length]! // of a list that is not empty
  return toCompanions(handset, target, stanza, `${what} ${newId()}`)
}

function companionsOf(handset: Handset, target: Target): DeviceAddress[] {
  const people = "user" in target ? [target.user.pn] : []
  return people.flatMap((pn) => devicesOf(handset.network, pn)).filter(({ id }) => id !== 0)
}
