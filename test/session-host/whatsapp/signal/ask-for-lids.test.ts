import type { LIDMapping } from "@whiskeysockets/baileys"
import { pino } from "pino"
import { expect, test } from "vitest"
import { newAskForLids } from "#session-host/whatsapp/signal/ask-for-lids.ts"

/** A question to a network that knows these LIDs, and the numbers that it was asked for. */
function asking(known: Record<string, string>, refusals: unknown[] = []) {
  const asked: string[][] = []
  const lidsOf = async (jids: string[]): Promise<LIDMapping[]> => {
    asked.push(jids)
    const refusal = refusals.shift()
    if (refusal) throw refusal
    return jids.flatMap((pn) => (known[pn] ? [{ pn, lid: known[pn] }] : []))
  }
  return { asked, ask: newAskForLids(lidsOf, pino({ level: "silent" })) }
}

const [ada, bob, eve] = ["1", "2", "3"].map((digit) => `${digit}5550001@s.whatsapp.net`) as [
  string,
  string,
  string,
]

test("a sender who has no LID is asked for once, however many messages they write", async () => {
  const { ask, asked } = asking({ [ada]: "100@lid" })
  expect(await ask([ada, bob])).toEqual([{ pn: ada, lid: "100@lid" }])
  for (let message = 0; message < 16; message++) expect(await ask([bob])).toEqual([])
  expect(await ask([bob.replace("@", ":3@"), eve])).toEqual([])
  expect(asked).toEqual([[ada, bob], [eve]])
})

test("a question that fails says of no sender that they have no LID", async () => {
  const { ask, asked } = asking({ [ada]: "100@lid" }, [new Error("the connection has ended")])
  await expect(ask([ada])).rejects.toThrow("the connection has ended")
  expect(await ask([ada])).toEqual([{ pn: ada, lid: "100@lid" }])
  expect(asked).toHaveLength(2)
})
