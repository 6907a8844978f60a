import { setTimeout as sleep } from "node:timers/promises"
import { quantile } from "#test/support/quantile.ts"
import type { Customer } from "#test/support/service/service.ts"

interface Measured {
  requests: number
  failed: string[]
  p50Ms: number
  p99Ms: number
}

/** An ordinary customer: a message or a question each `everyMs`, for so long. */
export async function ordinaryLife(
  customer: Customer,
  { chat, forMs, everyMs }: { chat: string; forMs: number; everyMs: number },
): Promise<Measured> {
  const taken: number[] = []
  const failed: string[] = []
  const asked: Promise<void>[] = []
  const until = performance.now() + forMs
  for (let i = 0; performance.now() < until; i++) {
    asked.push(one(i))
    await sleep(everyMs)
  }
  await Promise.all(asked)
  const at = (share: number) => Math.round(quantile(taken, share))
  return { requests: taken.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }

  async function one(i: number): Promise<void> {
    const start = performance.now()
    const answer =
      i % 2 === 0
        ? await customer.call("POST", "/instances/shop/proxy/send/text", { chat, body: `number ${i}` })
        : await customer.call("GET", "/instances")
    const text = await answer.text()
    taken.push(performance.now() - start)
    if (!answer.ok) failed.push(`${answer.status} ${text}`)
  }
}
