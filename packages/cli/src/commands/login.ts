import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { BridgeError, messagingBridge } from "../../../sdk-typescript/src/index.ts"
import { advice, type Command, url, word } from "../command.ts"
import { forgetLogin, loginFile, saveLogin } from "../login-file.ts"
import { Refused } from "../refused.ts"

export const login: Command = {
  takes: "<url>",
  options: ["with-key"],
  says: "signs in to a service: on its page, which it leads you to, or with the key on its input (--with-key)",
  run: async ({ words, options, print, stop }) => {
    const at = url(word(words, 0, "url"))
    const key = options["with-key"] ? await keyFromInput() : await keyFromPage(at, stop)
    const account = await messagingBridge({ url: at, key, retries: 1 })
      .getAccount({ signal: stop })
      .catch((error: unknown) => {
        if (!(error instanceof BridgeError)) throw error
        throw new Refused(
          `not signed in: ${error.message}${error.code === "unauthorized" ? "" : advice(error)}`,
        )
      })
    saveLogin({ url: at, key })
    print(`signed in to ${at} as ${account.name}; the key is in ${loginFile()}`, {
      url: at,
      account: account.id,
    })
  },
}

export const logout: Command = {
  takes: "",
  says: "forgets the key on this machine; it goes on working elsewhere until it is revoked",
  run: async ({ print }) => {
    forgetLogin()
    print("signed out", { ok: true })
  },
}

/** One line of the input. */
async function keyFromInput(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line.trim()
  throw new Refused("no key was given: bridge login <url> --with-key < file")
}

/** The service's answer to a program that asks for a code (RFC 8628, 3.2). */
interface Asked {
  device_code: string
  user_code: string
  verification_uri_complete: string
  interval: number
}

/** A key that a person allows on a page of the service, in a browser on whichever machine. */
async function keyFromPage(at: string, stop: AbortSignal): Promise<string> {
  const asked = (await ask(at, "/oauth/device", { client_id: "bridge, the command line" }, stop)) as Asked
  console.error(`Open ${asked.verification_uri_complete}\nand look whether it shows ${asked.user_code}.`)
  const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.device_code }
  for (;;) {
    await sleep(asked.interval * 1000, undefined, { signal: stop })
    const said = await ask(at, "/oauth/token", form, stop)
    if ("access_token" in said) return String(said.access_token)
    if (!isPassing(said)) throw new Refused(`not signed in: ${reasonOf(said)}`)
  }
}

/** Whether the code has not been typed in yet, or the service is busy or away for a moment. */
function isPassing(said: object): boolean {
  const { error, code } = said as { error?: unknown; code?: unknown }
  return error === "authorization_pending" || code === "rate_limited" || code === "session_unavailable"
}

async function ask(
  at: string,
  path: string,
  form: Record<string, string>,
  signal: AbortSignal,
): Promise<object> {
  const answer = await fetch(new URL(path, at), {
    method: "POST",
    body: new URLSearchParams(form),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new Refused(`${at} cannot be reached`)
  })
  const said: unknown = await answer.json().catch(() => undefined)
  const isKnown = typeof said === "object" && said !== null && (answer.ok || "error" in said)
  if (!isKnown) throw new Refused(`${at} is no service that people sign in to: try --with-key`)
  return said
}

function reasonOf(said: object): string {
  return "error_description" in said ? String(said.error_description) : "the service has changed its mind"
}
