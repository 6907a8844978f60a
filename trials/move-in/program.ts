import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, openSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { z } from "zod"
import { call } from "#one-machine/api-client.ts"

/** How the program of a gateway is started: Node's or Go's. */
export interface Command {
  file: string
  args: string[]
}

/** A message that a program has been told of, as it wrote it down. */
const Told = z.object({ name: z.string(), id: z.string(), text: z.string() })
export type Told = z.infer<typeof Told>

/** A running gateway, with the numbers that it has linked. */
export interface Program {
  /** Links a number under this name: `scan` gets the text of the QR code. */
  link: (name: string, scan: (qr: string) => Promise<unknown>) => Promise<void>
  /** Resolves with the message's id once the network has it. */
  send: (name: string, chat: string, text: string) => Promise<string>
  /** SIGKILL. */
  kill: () => Promise<void>
}

const Ready = z.object({ base_url: z.string() })

/** @throws Error when it does not start, with what it printed */
export async function startProgram({ file, args }: Command, logFile: string): Promise<Program> {
  const log = openSync(logFile, "a")
  // It ends with its input, and so with us.
  const child = spawn(file, args, { stdio: ["pipe", "pipe", log], detached: true })
  closeSync(log)
  const ended = once(child, "exit")
  const first = await Promise.race([
    once(createInterface({ input: child.stdout! }), "line"),
    ended.then(() => undefined),
  ])
  if (!first) throw new Error(`${file} has ended: ${readFileSync(logFile, "utf8").slice(-2000)}`)
  const { base_url: baseUrl } = Ready.parse(JSON.parse(String(first[0])))
  const ask = async (name: string, what: string, body: object = {}): Promise<unknown> =>
    await (await call(`${baseUrl}/${name}/${what}`, "POST", body)).json()
  return {
    link: async (name, scan) => {
      const { qr } = z.object({ qr: z.string() }).parse(await ask(name, "link"))
      await scan(qr)
      await ask(name, "open")
    },
    send: async (name, chat, body) => {
      const answered = await ask(name, "send", { chat, body })
      return z.object({ message_id: z.string() }).parse(answered).message_id
    },
    kill: async () => {
      child.kill("SIGKILL")
      await ended
    },
  }
}

/** All that a program has written down; it was killed, so its last line may be cut. */
export function toldIn(file: string): Told[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1)
  return lines.map((line) => Told.parse(JSON.parse(line)))
}
