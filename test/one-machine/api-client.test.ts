import { expect, onTestFinished, test } from "vitest"
import { call, patiently, Unexpected } from "#one-machine/api-client.ts"
import { type Answer, startReceiver } from "#test/support/service/start-receiver.ts"

/** A server that gives these answers, the last of them again and again. */
async function somebody(...answers: Answer[]) {
  const { url, arrivals, stop } = await startReceiver(() =>
    answers.length > 1 ? answers.shift()! : answers[0]!,
  )
  onTestFinished(stop)
  return { arrivals, ask: () => call(url, "GET") }
}

const never = new AbortController().signal

test.for([409, 502, 503, 504])("a call that is answered %d is repeated", async (status) => {
  const { arrivals, ask } = await somebody(status, status, 200)
  expect((await patiently(never, ask)).status).toBe(200)
  expect(arrivals).toHaveLength(3)
})

const limited: Answer = (response) => response.writeHead(429, { "retry-after": "1" }).end()

test("a call beyond a limit is repeated once its wait is over", async () => {
  const { arrivals, ask } = await somebody(limited, 200)
  await patiently(never, ask)
  const [first, second, ...others] = arrivals.map(({ at }) => at)
  expect(second! - first!).toBeGreaterThanOrEqual(990)
  expect(others).toEqual([])
})

test.for([400, 401, 402, 403, 404, 422, 500])(
  "a call that is answered %d is not repeated",
  async (status) => {
    const { arrivals, ask } = await somebody(status, 200)
    await expect(patiently(never, ask)).rejects.toMatchObject({ status })
    expect(arrivals).toHaveLength(1)
  },
)

test("a caller who gives up is told the last answer, and that the first was another", async () => {
  const over = new AbortController()
  const last: Answer = (response) => {
    over.abort()
    response.writeHead(502).end()
  }
  const { ask } = await somebody(503, last)
  await expect(patiently(over.signal, ask)).rejects.toMatchObject({
    status: 502,
    cause: expect.objectContaining({ status: 503 }),
  })
})

test("an expectation that is not met yet is looked at again", async () => {
  let looks = 0
  const done = patiently(never, async () => {
    if (++looks < 3) throw new Unexpected("not yet")
    return looks
  })
  expect(await done).toBe(3)
})
