export * as SimulatedPhone from "./simulated-phone.ts"

import { z } from "zod"
import { Contact } from "#contract/contact.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { askHost } from "#functions/api/ask-host.ts"
import type { Bubble } from "./sandbox-phone.ts"

// A customer tries their own sandbox with this phone, within their account. The page of the simulator
// controls every phone on the network: it is for developers, and only on the machine where it runs.

/** The phone of the sandbox's contact, and the sandbox's own number. */
export interface Info {
  number: string
  bridge: string
}

const withinMs = 5000

/** Whether simulated phones can be used from here. */
export function isHere(): boolean {
  return config.SIMULATOR_CONTROL_URL !== undefined
}

/**
 * The number of the sandbox's contact, who echoes. No other phone can be reached: it is found in the bridge's
 * own address book.
 * @throws ApiError when the session is away
 */
export async function numberOfEcho(
  { id: bridgeId }: Bridge.Info,
  requestId: string,
): Promise<string | undefined> {
  const { success } = await askHost({ method: "GET", path: "/contacts", bridgeId, requestId }, true)
  const contacts = z.array(Contact).parse(JSON.parse(Buffer.from(success?.body ?? "[]").toString()))
  return contacts.find(({ name }) => name === "Echo")?.phone
}

/** Sends a text from it. @throws ApiError `session_unavailable` */
export async function say(phone: Info, text: string): Promise<void> {
  await send(phone, { text })
}

/** Sends a picture from it. @throws ApiError `session_unavailable` */
export async function sendPicture(phone: Info): Promise<void> {
  await send(phone, { media: { kind: "image", data: picture, mimetype: "image/png", caption: "The view" } })
}

/** Sends a voice message from it. @throws ApiError `session_unavailable` */
export async function sendVoice(phone: Info): Promise<void> {
  const mimetype = "audio/ogg; codecs=opus"
  await send(phone, { media: { kind: "audio", data: voice, mimetype, voice: true } })
}

/**
 * Reacts to the latest text of the chat. @returns false when there is none. @throws ApiError
 * `session_unavailable`
 */
export async function react(phone: Info): Promise<boolean> {
  const last = (await messages(phone)).findLast(({ text }) => text !== "")
  if (last) await send(phone, { reaction: { emoji: "👍", message_id: last.id } })
  return last !== undefined
}

/**
 * Chooses the first option of the bridge's latest poll.
 * @returns false when the bridge has sent none. @throws ApiError `session_unavailable`
 */
export async function vote(phone: Info): Promise<boolean> {
  const last = (await messages(phone)).findLast(({ from_me, content }) => !from_me && pollOf(content))
  const [option] = (last && pollOf(last.content)?.options) ?? []
  if (!last || !option) return false
  await send(phone, { vote: { message_id: last.id, options: [option.optionName] } })
  return true
}

/** Calls the bridge. @throws ApiError `session_unavailable` */
export async function ring(phone: Info): Promise<void> {
  await call("POST", `/phones/${phone.number}/calls`, { to: phone.bridge })
}

const Devices = z.object({ devices: z.array(z.object({ id: z.number().int() })) })

/**
 * The sandbox's own phone removes the bridge from its linked devices. @throws ApiError `session_unavailable`
 */
export async function unlink({ bridge }: Info): Promise<void> {
  const { devices } = Devices.parse(await call("GET", `/phones/${bridge}`))
  for (const { id } of devices) if (id > 0) await call("DELETE", `/phones/${bridge}/devices/${id}`)
}

/** How many messages a page shows at most. */
const shown = 50

/**
 * The latest messages between the phone and the bridge whose number is above `after`, oldest first.
 * @returns them, and the number of the last one
 */
export async function bubbles(phone: Info, after: number): Promise<{ bubbles: Bubble[]; last: number }> {
  const all = (await messages(phone, after)).slice(-shown)
  return {
    bubbles: all.map((message) => ({ id: message.id, isOwn: message.from_me, ...wordsOf(message) })),
    last: all.at(-1)?.n ?? after,
  }
}

const Message = z.object({
  n: z.number().int(),
  id: z.string(),
  from_me: z.boolean(),
  text: z.string(),
  kind: z.string(),
  content: z.unknown(),
})
type Message = z.infer<typeof Message>

const Poll = z.object({ name: z.string(), options: z.array(z.object({ optionName: z.string() })) })
const Content = z.object({
  pollCreationMessage: Poll.optional(),
  pollCreationMessageV2: Poll.optional(),
  pollCreationMessageV3: Poll.optional(),
  reactionMessage: z.object({ text: z.string().default("") }).optional(),
})

function pollOf(content: unknown): z.infer<typeof Poll> | undefined {
  const { data } = Content.safeParse(content)
  return data?.pollCreationMessage ?? data?.pollCreationMessageV2 ?? data?.pollCreationMessageV3
}

/** Labels for messages without text. */
const kinds = new Map([
  ["imageMessage", "Picture"],
  ["videoMessage", "Video"],
  ["audioMessage", "Voice message"],
  ["documentMessage", "Document"],
  ["stickerMessage", "Sticker"],
  ["locationMessage", "Location"],
  ["contactMessage", "Contact"],
  ["pollUpdateMessage", "Voted"],
  ["eventMessage", "Invitation"],
  ["protocolMessage", "Changed or revoked a message"],
])

function wordsOf({ kind, text, content }: Message): { text: string; kind?: string } {
  const poll = pollOf(content)
  if (poll)
    return { kind: "Poll", text: [poll.name, ...poll.options.map((one) => `· ${one.optionName}`)].join("\n") }
  const reaction = Content.safeParse(content).data?.reactionMessage
  if (reaction) return { kind: "Reaction", text: reaction.text }
  const named = kinds.get(kind)
  return {
    text: text || (named === undefined ? `(${kind})` : ""),
    ...(named !== undefined && { kind: named }),
  }
}

async function messages(phone: Info, after = 0): Promise<Message[]> {
  const path = `/phones/${phone.number}/messages?chat=${phone.bridge}&after=${after}`
  return z.array(Message).parse(await call("GET", path))
}

async function send(phone: Info, content: object): Promise<void> {
  await call("POST", `/phones/${phone.number}/messages`, { to: phone.bridge, ...content })
}

async function call(method: string, path: string, body?: object): Promise<unknown> {
  try {
    const answer = await fetch(`${config.SIMULATOR_CONTROL_URL}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      signal: AbortSignal.timeout(withinMs),
    })
    if (answer.ok) return await answer.json()
    log.warn({ status: answer.status, said: await answer.text() }, "a simulated phone refused")
  } catch (error) {
    log.warn({ error }, "the simulated phones do not answer")
  }
  throw new ApiError("session_unavailable", "the simulated phone does not answer: try again")
}

/** What the phone sends, made for this page. A hill in the sun: a PNG of 96 by 64 pixels. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAGAAAABAAgMAAACYWpqdAAAADFBMVEWPx///0WY/j18ra0pUHRTaAAAAz0lEQVR42t2RsQ2DQAxF" +
  "HSQamlRZgikyQgq8D6NQIlJkBPahokYRP3cHBwbsIlVEXP6nZ5/PRP9aN9bzC/NDBSlzYXRivZfL+a6P0IeYIPWgOA34fkHzr+zf" +
  "Ne9hXtC8+ZmrcaXluQf1MU+aUKXaSGuWRVAZwl7JVlAdn3RUEtFpo+QbUIsVaJCkvALvaQChkwpc9WFnwihA6wHCiwhCeYYcvV/B" +
  "gXEnAM0EVmXOMcwgKq8IMIOoLLlXAhh3glcCmBSRO4WWpq0E6AhG/RR8AOT6vKq522YVAAAAAElFTkSuQmCC"

/** Half a second of silence: Opus in Ogg. */
const voice =
  "T2dnUwACAAAAAAAAAAABAAAAAAAAAByf9dkBE09wdXNIZWFkAQE4AYC7AAAAAABPZ2dTAAAAAAAAAAAAAAEAAAABAAAAh1hgGgEQ" +
  "T3B1c1RhZ3MAAAAAAAAAAE9nZ1MABMBdAAAAAAAAAQAAAAIAAAAJa8M1GQMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwP4//74//74" +
  "//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//74//4="
