import type { EventEmitter } from "node:events"
import type { BaileysEventMap, BinaryNode, WASocket } from "@whiskeysockets/baileys"
import { contain, type OnError } from "./contain-errors.ts"

/** Baileys' own listener for an event of its socket. */
type Pass = (node: BinaryNode) => unknown

/** Takes the place of such a listener: it gets each stanza, and passes on those that Baileys is to have. */
export type Instead = (node: BinaryNode, pass: Pass) => unknown

type On<Name extends keyof BaileysEventMap> = (news: BaileysEventMap[Name]) => void

/** Our listeners, each where the table below puts it. */
interface Ours {
  message: Instead
  serverSync: Instead
  receipt: Instead
  bounded: Instead
  question: (change: 1 | -1) => void
  frame: (frame: BinaryNode) => void
  ack: (ack: BinaryNode) => void
  refusedUpgrade: (status: number | undefined) => void
  history: On<"messages.upsert">
  contacts: On<"contacts.update">
  pair: On<"lid-mapping.update">
  creds: On<"creds.update">
  login: On<"connection.update">
  onError: OnError
}

/**
 * Every listener of Baileys' that is replaced or wrapped, and every event of its that is followed, in the order in which that has
 * to be done: one that is replaced twice has the last one outside, and only what is there already is wrapped.
 */
export function tap({ ws, ev }: Pick<WASocket, "ws" | "ev">, ours: Ours): void {
  // Baileys looks up addresses for several messages at once before it decrypts one after the other. With a slow store they would
  // become events in any order; and live messages overtake the backlog. It gets the next one when the one before is settled.
  const pass = replace(ws, "CB:message", ours.message)
  // A status comes as a stanza of its own. Baileys listens for no such stanza, and reads and acknowledges it as any message.
  ws.on("CB:status", (node: BinaryNode) => ours.message(node, pass))
  // An error that a listener throws, or leaves in a promise that nobody awaits, would end the process.
  contain(ws, ours.onError)
  // Baileys reads an address book in one stretch, and acknowledges that it has changed before it has read it.
  replace(ws, "CB:notification", ours.serverSync)
  // Baileys throws at a receipt that names no sender, and asks the network for keys at each that asks for a message.
  replace(ws, "CB:receipt", ours.receipt)
  // Baileys works at any number of these at once, and for each it reads the store or asks the network. Outside of the two above,
  // whose work counts.
  for (const event of ["CB:receipt", "CB:notification"]) replace(ws, event, ours.bounded)
  // Baileys waits for an answer by listening for its id. Bounded work that needs the answer would wait for ever.
  ws.on("newListener", (event: unknown) => isQuestion(event) && ours.question(1))
  ws.on("removeListener", (event: unknown) => isQuestion(event) && ours.question(-1))
  // Baileys tells nobody of an acknowledgement, and of many stanzas nobody or too late.
  ws.on("CB:ack,class:message", ours.ack)
  ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (!(frame instanceof Uint8Array)) ours.frame(frame)
  })
  // Baileys may wait for ever after an HTTP answer to the upgrade.
  ws.on("unexpected-response", (_request: unknown, { statusCode }: { statusCode?: number }) =>
    ours.refusedUpgrade(statusCode),
  )
  // Baileys would inflate and decode the phone's history whole. It only says here that there is one.
  ev.on("messages.upsert", ours.history)
  ev.on("contacts.upsert", ours.contacts)
  ev.on("contacts.update", ours.contacts)
  ev.on("lid-mapping.update", ours.pair)
  ev.on("creds.update", ours.creds)
  ev.on("connection.update", ours.login)
}

function isQuestion(event: unknown): boolean {
  return String(event).startsWith("TAG:")
}

/**
 * Puts a listener in the place of Baileys', which it returns.
 * @throws Error where Baileys does not listen for it any more
 */
function replace(ws: EventEmitter, event: string, instead: Instead): Pass {
  const [listener] = ws.listeners(event)
  if (!listener) throw new Error(`Baileys does not listen for ${event}`)
  // The emitter's own type gives up on listeners of any shape.
  ws.removeListener(event, listener as () => void)
  const pass = (node: BinaryNode): unknown => Reflect.apply(listener, ws, [node])
  ws.on(event, (node: BinaryNode) => instead(node, pass))
  return pass
}
