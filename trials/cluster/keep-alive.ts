import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "#test/support/until.ts"

/** A process that is alive and has said that it is ready, with what it said. */
interface Living {
  pid: number
  ready: Record<string, string>
}

/** Processes of one kind, each started again when it ends. */
export interface KeptAlive {
  living: () => Living[]
  stop: () => Promise<void>
}

/** Starts `count` of them; resolves when all are ready. Rejects when they are not in half a minute. */
export async function keepAlive(input: {
  file: URL
  count: number
  env: Record<string, string>
  /** Takes what they print. */
  output: string
}): Promise<KeptAlive> {
  const living = new Map<ChildProcess, Living>()
  const children = new Set<ChildProcess>()
  const output = openSync(input.output, "a")
  let stopping = false

  async function keepOneAlive(): Promise<void> {
    while (!stopping) {
      const child = start()
      const ended = once(child, "exit")
      await ended
      living.delete(child)
      children.delete(child)
      if (!stopping) await sleep(100)
    }
  }

  function start(): ChildProcess {
    const child = fork(input.file, {
      env: { PATH: process.env.PATH, ...input.env },
      stdio: ["ignore", output, output, "ipc"],
      // Not in our process group: Ctrl-C is for us. They end when their channel does.
      detached: true,
    })
    children.add(child)
    child.once(
      "message",
      // It runs, and is one of ours.
      (ready) => living.set(child, { pid: child.pid!, ready: ready as Record<string, string> }),
    )
    return child
  }

  const running = Array.from({ length: input.count }, keepOneAlive)
  await until(() => living.size === input.count, {
    what: `${input.file.pathname} started: ${input.output} says why not`,
    withinMs: 30_000,
  })
  return {
    living: () => [...living.values()],
    stop: async () => {
      stopping = true
      for (const child of children) child.kill("SIGKILL")
      await Promise.all(running)
    },
  }
}
