import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { bundle } from "#test/infra/bundled.ts"
import { installBundler } from "#test/infra/install-sst.ts"
import { type LambdaProcess, startLambda } from "#test/infra/rehearsal/lambda-process.ts"
import { startQuota } from "../quota.ts"

/** Lambda starts the sweep each minute, and ends one that takes longer than this, in ms (`infra/`). */
const [eachMs, withinMs] = [60_000, 90_000]

const Look = z.object({ LookMs: z.tuple([z.number()]) })

/** The sweep as Lambda runs it: its bundle, minute after minute, with a share of a processor. */
export class SweepAsLambda {
  /** How long each look at the hosts took since this was emptied, in ms. */
  readonly looks: number[] = []
  /** Invocations that Lambda would have ended, with what they were at. */
  ended = 0
  /** By what the processor is shared. */
  by: "cgroup" | "signals" | undefined
  readonly #about: { dir: string; quota: number; env: Record<string, string>; logFile: string }
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #process: LambdaProcess | undefined

  constructor(about: { dir: string; quota: number; env: Record<string, string>; logFile: string }) {
    this.#about = about
  }

  async start(): Promise<void> {
    installBundler()
    const outfile = join(this.#about.dir, "sweep.mjs")
    await bundle({ handler: "functions/sweep/handler.ts", outfile, minify: true })
    this.#running = this.#run(outfile)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#process?.stop()
    await this.#running
  }

  /** A deploy: the next process has this setting. */
  async deploy(env: Record<string, string>): Promise<void> {
    Object.assign(this.#about.env, env)
    await this.#process?.stop()
  }

  async #run(bundled: string): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const lambda = await startLambda({
        bundle: bundled,
        env: { ...this.#about.env, METRICS_SERVICE: "sweep" },
        streams: false,
        onLine: (line) => this.#note(line),
      })
      this.#process = lambda
      const quota = startQuota(this.#about.quota)
      quota.add(lambda.pid)
      this.by = quota.by
      // Until it is ended, here or by Lambda.
      while (await this.#invoked(lambda));
      await lambda.stop()
      await quota.end()
    }
  }

  /** @returns whether the process lives on */
  async #invoked(lambda: LambdaProcess): Promise<boolean> {
    const next = sleep(eachMs, "later", { signal: this.#stopping.signal }).catch(() => "stopped")
    const late = sleep(withinMs, "late", { signal: this.#stopping.signal }).catch(() => "stopped")
    const outcome = await Promise.race([lambda.invoke({}).then(() => "done", String), late])
    if (outcome === "late") this.ended++
    if (outcome !== "done") this.#note(outcome)
    return outcome === "done" && (await next) === "later" && !this.#stopping.signal.aborted
  }

  #note(line: string): void {
    if (!line.includes('"LookMs"')) return appendFileSync(this.#about.logFile, `${line}\n`)
    this.looks.push(...Look.parse(JSON.parse(line)).LookMs)
  }
}
