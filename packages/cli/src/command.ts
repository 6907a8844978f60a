import {
  type BridgeClient,
  type BridgeError,
  type MessagingBridge,
  messagingBridge,
} from "../../sdk-typescript/src/index.ts"
import { login } from "./login-file.ts"
import { Misused } from "./refused.ts"

/** A command of the command line. */
export interface Command {
  /** Its words, as the help shows them: `<text>` is required, `[text]` is not. */
  takes: string
  says: string
  /** The options that it takes besides `--json` and `--help`. */
  options?: readonly (keyof Options)[]
  /** @returns the exit code, 0 unless it says another. @throws Refused, Misused, BridgeError */
  run: (asked: Asked) => Promise<number | void>
}

export interface Options {
  /** The reference of the bridge. */
  bridge?: string
  forward?: string
  type?: string
  after?: string
  now?: boolean
  tail?: string
  since?: string
  until?: string
  all?: boolean
  webhook?: string
  file?: string
  as?: string
  "idempotency-key"?: string
  "with-key"?: boolean
  read?: string
  "typing-ms"?: string
  at?: string
}

/** An option, as it is read and as the help shows it. */
interface Option {
  type: "string" | "boolean"
  short?: string
  /** What its value is. */
  takes?: string
  says: string
}

/** Every option of the command line. */
export const options = {
  bridge: {
    type: "string",
    short: "b",
    takes: "<ref>",
    says: "the bridge that is meant; else the account's first",
  },
  forward: { type: "string", short: "f", takes: "<url>", says: "posts each event there, signed" },
  type: { type: "string", takes: "<types>", says: "events of these types alone, as `message,poll_vote`" },
  after: { type: "string", takes: "<event_id>", says: "goes on behind this event" },
  now: { type: "boolean", says: "begins now, not behind the last event that your program took" },
  tail: { type: "string", takes: "<count>", says: "begins with so many of the last lines" },
  since: { type: "string", takes: "<time>", says: "what was given up since then, as 2026-11-26T08:00Z" },
  until: { type: "string", takes: "<time>", says: "and until then; else until now" },
  all: { type: "boolean", says: "of all bridges, at each of their webhooks" },
  webhook: { type: "string", takes: "<id>", says: "the webhook that is meant; else the first" },
  file: { type: "string", takes: "<path>", says: "a file to send" },
  as: {
    type: "string",
    takes: "<kind>",
    says: "sends the file as a sticker, voice, document, gif or video-note",
  },
  "idempotency-key": { type: "string", takes: "<key>", says: "nothing is sent twice under it" },
  "with-key": { type: "boolean", says: "reads a key from the input" },
  read: { type: "string", takes: "<message_id>", says: "marks this message of the chat as read" },
  "typing-ms": { type: "string", takes: "<ms>", says: "shows you typing for so long before" },
  at: { type: "string", takes: "<time>", says: "sends it then, as 2026-11-26T08:00Z, or Unix seconds" },
  json: { type: "boolean", says: "prints an object a line" },
  help: { type: "boolean", short: "h", says: "shows this; of one command: `bridge help <command>`" },
} as const satisfies Record<keyof Options | "json" | "help", Option>

export interface Asked {
  words: string[]
  options: Options
  print: Print
  /** Fires when the person ends it with Ctrl-C. */
  stop: AbortSignal
}

/** Prints for people, or with `--json` the object as a line. */
export type Print = (line: string, row: object) => void

/** @throws Misused if it is missing */
export function word(words: string[], place: number, name: string): string {
  const given = words[place]
  if (!given) throw new Misused(`<${name}> is missing`)
  return given
}

/** The service that the person is signed in to. @throws Refused if there is none */
export function service(): MessagingBridge {
  return messagingBridge(login())
}

/** The bridge that is meant: `--bridge`, or the account's first one. @throws Refused */
export function bridge({ options }: Asked): BridgeClient {
  return service().bridge(options.bridge)
}

/** The rest of an error's message: what the person can do next, and the id of the request. */
export function advice({ code, requestId }: BridgeError): string {
  const next = code === "unauthorized" ? "; sign in with another one: bridge login <url>" : ""
  return requestId === undefined ? next : `${next} (request ${requestId})`
}

/** A time as people or programs write it, in Unix seconds. @throws Misused */
export function secondsOf(option: string, given: string): number {
  const seconds = /^\d{1,10}$/.test(given) ? Number(given) : Math.floor(Date.parse(given) / 1000)
  if (Number.isNaN(seconds))
    throw new Misused(`--${option}: a time such as 2026-11-26T08:00Z, or Unix seconds`)
  return seconds
}

/** @throws Misused, without the URL: it may hold a password */
export function url(given: string): string {
  const at = /^https?:\/\//.test(given) && URL.canParse(given) ? new URL(given) : undefined
  if (!at) throw new Misused("not a URL: give one such as http://localhost:3000/hook")
  if (at.username || at.password) throw new Misused("the URL has a user name or a password: leave them out")
  return given
}
