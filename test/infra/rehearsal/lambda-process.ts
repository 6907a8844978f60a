import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const runtime = fileURLToPath(new URL("../lambda-runtime.ts", import.meta.url))

const Head = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  cookies: z.array(z.string()).default([]),
})
const Answered = z.object({
  id: z.string(),
  answer: z.unknown().optional(),
  error: z.string().optional(),
  /** Of an answer that is followed as it comes. */
  head: Head.optional(),
  part: z.string().optional(),
})

/** Gets an answer as it comes. */
interface Follower {
  onHead: (head: z.infer<typeof Head>) => void
  onPart: (part: Buffer) => void
}

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
  const followers = new Map<string, Follower>()
  const ended = once(child, "exit")
  await Promise.race([
    once(child, "message"),
    ended.then(() => Promise.reject(new Error("the function ended before it had started"))),
  ])
  child.on("message", (message) => {
    const { id, answer, error, head, part } = Answered.parse(message)
    if (head) return followers.get(id)?.onHead(head)
    if (part !== undefined) return followers.get(id)?.onPart(Buffer.from(part, "base64"))
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(new Error(error))
    else call?.resolve(answer)
  })
  child.on("exit", () => {
    for (const call of waiting.values()) call.reject(new Error("the function ended"))
    waiting.clear()
  })

  function ask(id: string, asked: object): Promise<unknown> {
    // Whoever is still running when a stage ends may call once more.
    if (!child.connected) return Promise.reject(new Error("the function ended"))
    const call = Promise.withResolvers<unknown>()
    waiting.set(id, call)
    child.send({ id, ...asked })
    return call.promise
  }

  return {
    pid: child.pid!,
    ended,
    streams: input.streams,
    invoke: async (event: object) => await ask(randomUUID(), { event }),
    /** Resolves when the answer has come whole. Once the signal says so, its caller has hung up. */
    async follow(event: object, follower: Follower, signal: AbortSignal): Promise<void> {
      const id = randomUUID()
      followers.set(id, follower)
      signal.addEventListener("abort", () => child.connected && child.send({ id, hangsUp: true }))
      await ask(id, { event, follows: true }).finally(() => followers.delete(id))
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
