import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"

export type ToHosts = { start: string; capacity?: number } | { stop: string } | { count: true }
export type FromHosts = { ready: true } | { ended: string } | { up: number }

/** Processes that many hosts share, and which host is in which. */
export class Hosts {
  readonly #program: URL
  readonly #children: ChildProcess[] = []
  /** By process: resolves when it has ended. */
  readonly #ended = new Map<ChildProcess, Promise<unknown>>()
  readonly #home = new Map<string, ChildProcess>()

  /** `light`: they only beat, and take leases. */
  constructor(light = false) {
    this.#program = new URL(`processes/${light ? "light-hosts" : "hosts"}.ts`, import.meta.url)
  }

  /**
   * Starts `processes` processes with `env`, which says where the store is. What they print goes to
   * `logFile`.
   */
  async start(input: { processes: number; env: Record<string, string>; logFile: string }): Promise<void> {
    const log = openSync(input.logFile, "a")
    await Promise.all(
      Array.from({ length: input.processes }, async () => {
        const child = fork(this.#program, [], {
          env: { ...process.env, ...input.env },
          stdio: ["ignore", log, log, "ipc"],
        })
        this.#children.push(child)
        child.on("message", (said: FromHosts) => {
          if ("ended" in said) this.#home.delete(said.ended)
        })
        const ended = once(child, "exit").finally(() => this.#lose(child))
        this.#ended.set(child, ended)
        await once(child, "message")
      }),
    )
  }

  has(host: string): boolean {
    return this.#home.has(host)
  }

  get size(): number {
    return this.#home.size
  }

  /** In the process with the fewest. Without `capacity` it takes as many sessions as its environment says. */
  add(host: string, capacity?: number): void {
    const [child] = this.#children.toSorted((a, b) => this.#in(a) - this.#in(b))
    if (!child) throw new Error("every process of hosts has ended")
    this.#home.set(host, child)
    tell(child, { start: host, ...(capacity !== undefined && { capacity }) })
  }

  stop(host: string): void {
    const child = this.#home.get(host)
    if (child) tell(child, { stop: host })
  }

  /** Sessions that are as they should be, of all hosts. */
  async up(): Promise<number> {
    const counts = await Promise.all(
      this.#children.map(async (child) => {
        const none = this.#ended.get(child)!.then(() => 0) // started with it
        const answer = Promise.race([counted(child), none])
        tell(child, { count: true })
        return await answer
      }),
    )
    return counts.reduce((sum, up) => sum + up, 0)
  }

  /** Kills a process with all its hosts, like the loss of a zone. @returns how many hosts were lost */
  async kill(): Promise<number> {
    const [child] = this.#children
    if (!child) return 0
    const lost = this.#in(child)
    child.kill("SIGKILL")
    await this.#ended.get(child)
    return lost
  }

  /** Stops all processes without ending them: their hosts fall silent, and are there all the same. */
  silence(): void {
    for (const child of this.#children) child.kill("SIGSTOP")
  }

  async end(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL")
    await Promise.all(this.#ended.values())
  }

  #in(child: ChildProcess): number {
    return [...this.#home.values()].filter((home) => home === child).length
  }

  #lose(child: ChildProcess): void {
    this.#children.splice(this.#children.indexOf(child), 1)
    for (const [host, home] of this.#home) if (home === child) this.#home.delete(host)
  }
}

function tell(child: ChildProcess, said: ToHosts): void {
  child.send(said)
}

async function counted(child: ChildProcess): Promise<number> {
  return await new Promise((resolve) => {
    function hear(said: FromHosts): void {
      if (!("up" in said)) return
      child.off("message", hear)
      resolve(said.up)
    }
    child.on("message", hear)
  })
}
