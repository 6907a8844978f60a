import { createInterface } from "node:readline"
import { BridgeError, messagingBridge } from "../../typescript/src/index.ts"
import { advice, type Command, url, word } from "../command.ts"
import { forgetLogin, loginFile, saveLogin } from "../login-file.ts"
import { Refused } from "../refused.ts"

export const login: Command = {
  takes: "<url>",
  says: "signs in to a service with an API key, which it asks for, or reads from its input",
  run: async ({ words, print, stop }) => {
    const at = url(word(words, 0, "url"))
    const key = await keyFrom(stop)
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

/** One line of the input. A terminal does not show it. */
async function keyFrom(stop: AbortSignal): Promise<string> {
  const isTerminal = process.stdin.isTTY
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal && { output: process.stderr }),
    terminal: isTerminal,
  })
  if (isTerminal) {
    process.stderr.write("API key (it is not shown): ")
    // readline writes each key that is pressed through this.
    Object.assign(lines, { _writeToOutput: () => "nothing" })
  }
  stop.addEventListener("abort", () => lines.close())
  lines.on("SIGINT", () => lines.close())
  for await (const line of lines) {
    lines.close()
    if (isTerminal) process.stderr.write("\n")
    return line.trim()
  }
  throw new Refused("no key was given")
}
