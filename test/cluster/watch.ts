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
    const word = queueWords.get(command.name)
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

/** From the count of an attempt to its outcome: a deliverer that stands still meanwhile may post late. */
export function watchAttempts({ begin }: Steps): void {
  const ends = new Map<string, () => void>()
  const end = (bridge: string) => {
    ends.get(bridge)?.()
    ends.delete(bridge)
  }
  around(store, async (command, go) => {
    const words = wordsOf(command)
    const bridge = bridgeOf(command)
    const is = (...some: string[]) => some.some((word) => words.includes(word))
    if (is("advance", "record failure")) end(bridge)
    // An advance counts the next one.
    if (is("claim delivery", "advance") && !ends.has(bridge)) ends.set(bridge, begin(`attempt ${bridge}`))
    try {
      const answer = await go()
      if (is("go idle", "pass on")) end(bridge)
      return answer
    } catch (error) {
      if (is("claim delivery")) end(bridge)
      throw error
    }
  })
}

function bridgeOf({ input }: StoreCommand): string {
  const [first] = input.TransactItems ?? []
  const key = input.Key ?? first?.Update?.Key ?? first?.ConditionCheck?.Key
  return String(key?.pk).slice("BRIDGE#".length)
}
