import type { Options } from "./options.ts"
import type { Street } from "./street.ts"

/** With the group's creator and its bridge's phone, it has as many members as a group may have. */
const members = 1022
/** The calls that the first message may take, and the time of all of them and of the second one, ms. */
const targets = { calls: 3, firstMs: 60_000, secondMs: 2000 }

/**
 * The first message to the largest group there may be opens a session with each of its devices; the second
 * needs none.
 */
export async function sendToLargestGroup(street: Street, { share }: Options) {
  const chat = await street.group(street.eve, members)
  const end = await street.slowDown(share)
  const [first, second] = [await send(street, chat, "first"), await send(street, chat, "second")]
  await end()
  const isWell =
    first.isSent && first.ms < targets.firstMs && second.calls === 1 && second.ms < targets.secondMs
  return { isWell, first, second }
}

/** Repeats a call under its key, as a customer does, until it succeeds or may not be repeated again. */
async function send({ service, bully }: Street, chat: string, key: string) {
  const start = performance.now()
  for (let calls = 1; ; calls++) {
    const answer = await fetch(`${service.baseUrl}/api/instances/bully/proxy/send/text`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${bully.key}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ chat, body: key }),
    })
    await answer.text()
    if (answer.ok || calls === targets.calls)
      return { isSent: answer.ok, calls, ms: Math.round(performance.now() - start) }
  }
}
