import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const runtime = fileURLToPath(new URL("../lambda-runtime.ts", import.meta.url))

const Answered = z.object({ id: z.string(), answer: z.unknown().optional(), error: z.string().optional() })

export type LambdaProcess = Awaited<ReturnType<typeof startLambda>>

/** A bundle in a process of its own, as Lambda starts and calls it. */
export async function startLambda(input: {
  bundle: string
  env: Record<string, string>
  streams: boolean
  onLine: (line: string) => void
}) {
  const child: ChildProcess = fork(runtime, [input.bundle, input.streams ? "stream" : "whole"], {
    env: input.env,
    execArgv: [],
    silent: true,
  })
  for (const stream of [child.stdout!, child.stderr!]) createInterface(stream).on("line", input.onLine)
  const waiting = new Map<string, PromiseWithResolvers<unknown>>()
  const ended = once(child, "exit")
  await Promise.race([
    once(child, "message"),
    ended.then(() => Promise.reject(new Error("the function ended before it had started"))),
  ])
  child.on("message", (message) => {
    const { id, answer, error } = Answered.parse(message)
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(new Error(error))
    else call?.resolve(answer)
  })
  child.on("exit", () => {
    for (const call of waiting.values()) call.reject(new Error("the function ended"))
    waiting.clear()
  })

  return {
    async invoke(event: object): Promise<unknown> {
      const id = randomUUID()
      const call = Promise.withResolvers<unknown>()
      waiting.set(id, call)
      child.send({ id, event })
      return await call.promise
    },
    /** When all that it was asked is answered. */
    async idle(): Promise<void> {
      while (waiting.size > 0)
        await Promise.allSettled([...waiting.values()].map(async ({ promise }) => await promise))
    },
    async stop(): Promise<void> {
      child.kill("SIGKILL")
      await ended
    },
  }
}
