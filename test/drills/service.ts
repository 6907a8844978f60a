import { optionsFrom } from "#test/chaos/options.ts"
import { type Entry, followLog, phonesAt } from "#test/chaos/phones.ts"
import { seeded } from "#test/chaos/random.ts"
import { startReceiver } from "#test/chaos/receiver.ts"
import { newAccount, newLine } from "#test/chaos/setup.ts"
import type { Line } from "#test/chaos/traffic.ts"
import { startWorld } from "#test/chaos/world.ts"

/** How long a drill waits for what has to come, at the times of production. */
export const withinMs = 180_000

/** The whole service as processes, with some bridges that are linked, and everything that can be seen of them. */
export async function startService(input: { bridges: number; beat: number; dir: string }) {
  const options = optionsFrom(["--bridges", String(input.bridges), "--beat", String(input.beat)])
  const world = await startWorld(options, input.dir)
  const receiver = await startReceiver(seeded(1))
  const phones = phonesAt(world.simulator.controlUrl)
  const api = () => world.api.living()[0]!.ready.url! // nobody kills it
  const apiKey = await newAccount(options.bridges)
  const lines: Line[] = []
  for (let i = 1; i <= options.bridges; i++)
    lines.push(await newLine(`b${i}`, { phones, receiver, apiKey, api: api() }))

  const seen: Entry[] = []
  const log = followLog(phones, (entry) => seen.push(entry))
  let written = 0
  return {
    world,
    receiver,
    phones,
    lines,
    beat: input.beat,
    /** What the network saw, in order; it grows. */
    seen,
    /** The contact of a bridge writes to it; resolves when the network has it. */
    async write({ contact, owner }: Line): Promise<{ id: string; text: string; at: number }> {
      const text = `in ${++written}`
      const at = Date.now()
      return { ...(await phones.send(contact, owner, text)), text, at }
    },
    /** A send through the API. @returns the HTTP status */
    async send({ bridge, contact }: Line): Promise<number> {
      const answer = await fetch(`${api()}/api/instances/${bridge}/proxy/send/text`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ chat: contact, body: "out" }),
      })
      await answer.text()
      return answer.status
    },
    stop: async () => {
      await log.stop()
      receiver.stop()
      await world.stop()
    },
  }
}
export type Service = Awaited<ReturnType<typeof startService>>
