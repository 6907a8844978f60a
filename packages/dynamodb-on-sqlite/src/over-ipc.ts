import type { ChildProcess } from "node:child_process"
import type { DynamoDb } from "./server.ts"

/** A request or an answer in DynamoDB's JSON. */
type Wire = Record<string, unknown>

/** One request to the store, and its answer. */
type Exchange = (operation: string, request: Wire) => Promise<{ status: number; body: Wire }>

/** A request of a child process. Its answer has the same number. */
interface Asked {
  n: number
  operation: string
  request: Wire
}
type Answer = Awaited<ReturnType<Exchange>>
type Answered = { n: number; answer: Answer } | { n: number; code: string }

/** Answers from this store what a child process, started with an IPC channel, asks by `askParent`. */
export function answerChild(child: ChildProcess, { answer }: Pick<DynamoDb, "answer">): void {
  // A child that has ended needs no answer.
  const reply = (answered: Answered) => void child.send(answered, () => {})
  child.on("message", ({ n, operation, request }: Asked) => {
    answer(operation, request).then(
      (said) => reply({ n, answer: said }),
      (error: NodeJS.ErrnoException) => reply({ n, code: error.code ?? "EIO" }),
    )
  })
}

/** Asks the store of the parent process. Rejects with an error's code where a connection would have ended. */
export function askParent(): Exchange {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>()
  let newest = 0
  process.on("message", (answered: Answered) => {
    const asker = waiting.get(answered.n)
    waiting.delete(answered.n)
    if ("answer" in answered) asker?.resolve(answered.answer)
    else asker?.reject(unanswered(answered.code))
  })
  process.once("disconnect", () => {
    for (const { reject } of waiting.values()) reject(unanswered("EPIPE"))
  })

  return async (operation, request) => {
    const n = ++newest
    const asker = Promise.withResolvers<Answer>()
    waiting.set(n, asker)
    process.send!({ n, operation, request } satisfies Asked, (error: Error | null) => {
      if (!error) return
      waiting.delete(n)
      asker.reject(unanswered("EPIPE"))
    })
    return await asker.promise
  }
}

function unanswered(code: string): Error {
  return Object.assign(new Error("the store gave no answer"), { code })
}
