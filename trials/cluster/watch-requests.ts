import { AsyncLocalStorage } from "node:async_hooks"
import diagnostics from "node:diagnostics_channel"
import type { ClientRequest } from "node:http"
import { SQSClient } from "@aws-sdk/client-sqs"
import { z } from "zod"
import { store } from "#core/store/store.ts"
import { wrapClientCalls, type StoreCommand } from "#test/support/wrap-client-calls.ts"
import type { Steps } from "./armed-steps.ts"
import { stepNamesOf } from "./step-names.ts"

/**
 * Makes every write, look-up and doorbell of this process a step: before it, once its bytes are with the operating system
 * (`sent`), after its answer, and after a refusal (`failed`).
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
 * From the count of an attempt to its outcome: a deliverer that stands still meanwhile may post late. Under way is an
 * `attempt` of a bridge's event, by its number; or the `claim` of a bridge, whose answer will say which event comes next.
 */
export function watchAttempts({ begin }: Steps): void {
  const ends = new Map<string, () => void>()
  const end = (bridge: string) => {
    ends.get(bridge)?.()
    ends.delete(bridge)
  }
  const attempts = (bridge: string, head: number) => {
    end(bridge)
    ends.set(bridge, begin(`attempt ${bridge} ${head + 1}`))
  }
  wrapClientCalls(store, async (command, go) => {
    const words = stepNamesOf(command)
    const bridge = bridgeOf(command)
    if (words.includes("record failure")) end(bridge)
    // An advance counts the attempt of the next event.
    if (words.includes("advance")) attempts(bridge, headSetBy(command))
    if (words.includes("claim delivery")) {
      const done = begin(`claim ${bridge}`)
      return await go()
        .then((answer) => {
          attempts(bridge, headIn(answer))
          return answer
        })
        .finally(done)
    }
    const answer = await go()
    if (words.includes("go idle") || words.includes("pass on")) end(bridge)
    return answer
  })
}

function bridgeOf({ input }: StoreCommand): string {
  const [first] = input.TransactItems ?? []
  const key = input.Key ?? first?.Update?.Key ?? first?.ConditionCheck?.Key
  return String(key?.pk).slice("BRIDGE#".length)
}

/** As the store answers it, in its own JSON or not. */
const Head = z.union([z.number(), z.object({ N: z.coerce.number() }).transform(({ N }) => N)])
const Answered = z.object({ Attributes: z.object({ head: Head }) })
/** An advance says where it goes; one past what has expired sets `:head`. */
const Advance = z.union([
  z.object({ ":n": z.number() }).transform((values) => values[":n"]),
  z.object({ ":head": z.number() }).transform((values) => values[":head"]),
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
