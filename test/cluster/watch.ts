import diagnostics from "node:diagnostics_channel"
import { SQSClient } from "@aws-sdk/client-sqs"
import { store } from "#core/store.ts"
import { around, type StoreCommand } from "#test/support/around.ts"
import type { Steps } from "./steps.ts"
import { wordsOf } from "./words.ts"

/** Makes every write, look-up and doorbell of this process a step before and a step after it. */
export function watchStore(steps: Steps): void {
  around(store, (command, go) => stepping(steps, wordsOf(command), go))
  around(SQSClient.prototype, (command, go) => {
    const word = queueWords.get(command.constructor.name)
    return stepping(steps, word ? [word] : [], go)
  })
}

const queueWords = new Map([
  ["SendMessageCommand", "ring"],
  ["DeleteMessageCommand", "drop doorbell"],
  ["ChangeMessageVisibilityCommand", "hide doorbell"],
])

async function stepping(steps: Steps, words: string[], go: () => Promise<unknown>): Promise<unknown> {
  const ends = words.map((word) => steps.begin(word))
  try {
    for (const word of words) steps.at(`before ${word}`)
    const answer = await go()
    for (const word of words) steps.at(`after ${word}`)
    return answer
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

/** From an attempt's number to its outcome: a deliverer that stands still meanwhile may post late. */
export function watchAttempts({ begin }: Steps): void {
  const ends = new Map<string, () => void>()
  around(store, (command, go) => {
    const words = wordsOf(command)
    const bridge = bridgeOf(command)
    if (words.includes("count attempt") && !ends.has(bridge)) ends.set(bridge, begin(`attempt ${bridge}`))
    if (words.includes("advance") || words.includes("record failure")) {
      ends.get(bridge)?.()
      ends.delete(bridge)
    }
    return go()
  })
}

function bridgeOf({ input }: StoreCommand): string {
  const key = input.Key ?? input.TransactItems?.[0]?.Update?.Key
  return String(key?.pk).slice("BRIDGE#".length)
}
