import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { basename } from "node:path"

export interface Child {
  pid: number
  /** Its first message. */
  ready: unknown
  /** Sends it a message, and resolves with the answer. */
  ask: (said: number | object) => Promise<unknown>
  /** SIGTERM, and waits for the end. */
  stop: () => Promise<void>
}

/**
 * A process of a folder `processes`, once it has said that it is ready. Its output goes into a file. If it
 * ends unasked, this process fails.
 * @throws Error when it does not start, with what it printed
 */
export async function startChild(
  program: URL,
  input: { args: string[]; env: Record<string, string>; logFile: string },
): Promise<Child> {
  const log = openSync(input.logFile, "a")
  const child = fork(program, input.args, {
    env: { ...process.env, ...input.env },
    stdio: ["ignore", log, log, "ipc"],
    // Not in our process group: Ctrl-C in a terminal is for us, and we tell the children.
    detached: true,
  })
  closeSync(log)
  const ended = once(child, "exit")
  const broken = ended.then(([code, signal]): never => {
    const said = readFileSync(input.logFile, "utf8").slice(-2000)
    throw new Error(`${basename(program.pathname)} has ended (${code ?? signal}): ${said}`)
  })
  const ready = await heard(child, broken)
  let stopping = false
  broken.catch((error: unknown) => {
    if (stopping) return
    console.error(error)
    process.exit(1)
  })
  return {
    pid: child.pid!, // it runs
    ready,
    ask: async (said) => {
      const answer = heard(child, broken)
      child.send(said)
      return await answer
    },
    stop: async () => {
      stopping = true
      child.kill("SIGTERM")
      await ended
    },
  }
}

async function heard(child: ChildProcess, broken: Promise<never>): Promise<unknown> {
  const [message] = await Promise.race([once(child, "message"), broken])
  return message
}
