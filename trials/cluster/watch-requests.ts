import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import type { ClientRequest } from "node:http"
import { SQSClient } from "@aws-sdk/client-sqs"
import { z } from "zod"
import { Receiver } from "#core/event/receiver.ts"
import { type Key, store } from "#core/store/store.ts"
import { wrapClientCalls, type StoreCommand } from "#test/support/wrap-client-calls.ts"
import type { Steps } from "./armed-steps.ts"
import { stepNamesOf } from "./step-of-command.ts"

/**
 * Makes every write, look-up and doorbell of this process a step: before it, once its bytes are with the
 * operating system (`sent`), after its answer, and after a refusal (`failed`).
 */
export function watchStore(steps: Steps): void {
  followRequests(steps)
  wrapClientCalls(store, (command, go) => stepping(steps, stepNamesOf(command), go))
  wrapClientCalls(SQSClient.prototype, (command, go) => {
    const word = queueWords.get(command.name)
    return stepping(steps, word ? [word] : [], go)
  })
}

const queueWords = new Map([
  ["SendMessageCommand", "ring"],
  ["DeleteMessageCommand", "drop doorbell"],
  ["ChangeMessageVisibilityCommand", "hide doorbell"],
])

/** The subjects of a request, in the asynchronous context that makes it. */
const asking = new AsyncLocalStorage<string[]>()

function followRequests({ at }: Steps): void {
  diagnostics.subscribe("http.client.request.created", (message) => {
    const words = asking.getStore() ?? []
    const { request } = message as { request: ClientRequest } // as Node documents it
    if (words.length > 0) request.once("finish", () => words.forEach((word) => at(`${word} sent`)))
  })
}

async function stepping(steps: Steps, words: string[], go: () => Promise<unknown>): Promise<unknown> {
  const { at, begin } = steps
  const ends = words.map((word) => begin(word))
  try {
    for (const word of words) at(`before ${word}`)
    const answer = await asking.run(words, go)
    for (const word of words) at(`after ${word}`)
    return answer
  } catch (error) {
    for (const word of words) at(`${word} failed`)
    throw error
  } finally {
    for (const end of ends) end()
  }
}

/** Every HTTP request that this process makes, with undici: `sent` when its bytes are in the socket. */
export function watchRequests(steps: Steps, word: string): void {
  diagnostics.subscribe("undici:request:create", () => steps.at(`before ${word}`))
  diagnostics.subscribe("undici:request:bodySent", () => steps.at(`${word} sent`))
  diagnostics.subscribe("undici:request:headers", () => steps.at(`${word} answered`))
}

/**
 * From the count of an attempt to its outcome: a deliverer that stands still meanwhile may post late. Under
 * way is an `attempt` of a bridge's event at a webhook, by its number; or the `claim` of a delivery, whose
 * answer will say which event comes next.
 */
export function watchAttempts({ begin }: Steps): void {
  const ends = new Map<string, () => void>()
  const end = (delivery: string) => {
    ends.get(delivery)?.()
    ends.delete(delivery)
  }
  const attempts = (delivery: string, head: number) => {
    end(delivery)
    ends.set(delivery, begin(`attempt ${delivery} ${head + 1}`))
  }
  wrapClientCalls(store, async (command, go) => {
    const words = stepNamesOf(command)
    const delivery = deliveryOf(command)
    if (words.includes("record failure")) end(delivery)
    // An advance counts the attempt of the next event.
    if (words.includes("advance")) attempts(delivery, headSetBy(command))
    if (words.includes("claim delivery")) {
      const done = begin(`claim ${delivery}`)
      return await go()
        .then((answer) => {
          attempts(delivery, headIn(answer))
          return answer
        })
        .finally(done)
    }
    const answer = await go()
    if (words.includes("go idle") || words.includes("pass on")) end(delivery)
    return answer
  })
}

/** Its bridge and webhook. */
function deliveryOf({ input }: StoreCommand): string {
  const keys = [input.Key, ...(input.TransactItems ?? []).map(({ Update }) => Update?.Key)]
  const ids = keys.flatMap((key) => (key ? (Receiver.ofKey(key as Key) ?? []) : []))
  return ids.map(({ bridgeId, webhookId }) => `${bridgeId} ${webhookId}`).join()
}

/** As the store answers it, in its own JSON or not. */
const Head = z.union([z.number(), z.object({ N: z.coerce.number() }).transform(({ N }) => N)])
const Answered = z.object({ Attributes: z.object({ head: Head }) })
/** An advance says where it goes; one past what has expired sets `:to`. */
const Advance = z.union([
  z.object({ ":n": z.number() }).transform((values) => values[":n"]),
  z.object({ ":to": z.number() }).transform((values) => values[":to"]),
])

/** The `head` of a delivery's row, as an update returns it. */
function headIn(answer: unknown): number {
  return Answered.parse(answer).Attributes.head
}

function headSetBy({ input }: StoreCommand): number {
  const update = [input, ...(input.TransactItems ?? []).flatMap(({ Update }) => Update ?? [])].find(
    ({ UpdateExpression }) => UpdateExpression?.startsWith("SET head"),
  )
  return Advance.parse(update?.ExpressionAttributeValues)
}
