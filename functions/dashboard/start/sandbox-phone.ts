import { z } from "zod"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Contact } from "#core/contract/contact.ts"
import { ApiError } from "#core/error.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import type { Bubble } from "#dashboard/pages/start.ts"
import { ask } from "../../api/forward.ts"

/** The phone of somebody who writes to a sandbox bridge, and the bridge's own number. */
export interface SandboxPhone {
  number: string
  bridge: string
}

const withinMs = 5000

/** Whether simulated phones can be used from here. */
export function isHere(): boolean {
  return config.SIMULATOR_CONTROL_URL !== undefined
}

/**
 * The phone of the sandbox's contact, who echoes. Nobody else's phone can be reached: it is found in the bridge's own
 * address book.
 * @returns undefined while the sandbox is not linked yet.
 */
export async function find(
  bridge: Bridge.Info,
  own: string,
  requestId: string,
): Promise<SandboxPhone | undefined> {
  if (!isHere() || own === "") return undefined
  const { success } = await ask({ method: "GET", path: "/contacts", bridgeId: bridge.id, requestId }, true)
  if (!success) return undefined
  const contacts = z.array(Contact).parse(JSON.parse(Buffer.from(success.body).toString()))
  const echo = contacts.find(({ name }) => name === "Echo")
  return echo && { number: echo.phone, bridge: own }
}

/** Sends a text from it. @throws ApiError `session_unavailable` */
export async function say(phone: SandboxPhone, text: string): Promise<void> {
  await call("POST", `/phones/${phone.number}/messages`, { to: phone.bridge, text })
}

/** Calls the bridge. @throws ApiError `session_unavailable` */
export async function ring(phone: SandboxPhone): Promise<void> {
  await call("POST", `/phones/${phone.number}/calls`, { to: phone.bridge })
}

/** Reacts to the latest message of the chat. @returns false when there is none. @throws ApiError `session_unavailable` */
export async function react(phone: SandboxPhone): Promise<boolean> {
  const last = (await messages(phone)).findLast(({ kind }) => kind === "text")
  if (!last) return false
  const reaction = { emoji: "👍", message_id: last.id }
  await call("POST", `/phones/${phone.number}/messages`, { to: phone.bridge, reaction })
  return true
}

/** The latest messages between it and the bridge, oldest first. */
export async function bubbles(phone: SandboxPhone): Promise<Bubble[]> {
  const all = await messages(phone)
  return all
    .slice(-50)
    .map(({ id, from_me: isOwn, text, kind }) => ({ id, isOwn, text: text || `(${kind})` }))
}

const Message = z.object({
  id: z.string(),
  from_me: z.boolean(),
  text: z.string(),
  kind: z.string(),
})

async function messages(phone: SandboxPhone) {
  const path = `/phones/${phone.number}/messages?chat=${phone.bridge}&count=1`
  return z.array(Message).parse(await call("GET", path))
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
