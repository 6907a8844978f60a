import { randomUUID } from "node:crypto"
import { offerStreaming, stream } from "../support/service/function-url.ts"

/** As Lambda starts and calls a bundle; `rehearsal/lambda-process.ts` is the other end. */
const [, , bundle = "", kind] = process.argv
offerStreaming()
const { handler } = await import(bundle)
process.send!("started")

async function answer(event: object): Promise<unknown> {
  if (kind !== "stream") return await handler(event, { awsRequestId: randomUUID(), functionName: "test" })
  const { statusCode, headers, cookies, all } = await stream(handler, event)
  return { statusCode, headers, cookies, body: (await all()).toString("base64"), isBase64Encoded: true }
}

const followed = new Map<string, { hangUp: () => void }>()

/**
 * Tells what a streaming function answers as it comes: status and headers, each part of the body, and the
 * end.
 */
async function follow(id: string, event: object): Promise<void> {
  try {
    const opened = await stream(handler, event)
    followed.set(id, opened)
    const { statusCode, headers, cookies } = opened
    process.send!({ id, head: { statusCode, headers, cookies } })
    for (let told = 0; ;) {
      const body = await opened.until(({ length }) => length > told)
      if (body.length === told) break
      process.send!({ id, part: body.subarray(told).toString("base64") })
      told = body.length
    }
    process.send!({ id })
  } catch (error) {
    process.send!({ id, error: String(error) })
  } finally {
    followed.delete(id)
  }
}

type Asked = { id: string; event: object; follows?: boolean } | { id: string; hangsUp: true }

process.on("message", (asked: Asked) => {
  const { id } = asked
  if ("hangsUp" in asked) return followed.get(id)?.hangUp()
  const { event, follows } = asked
  if (follows) return void follow(id, event)
  answer(event).then(
    (answered) => process.send!({ id, answer: answered }),
    (error: unknown) => process.send!({ id, error: String(error) }),
  )
})
process.on("disconnect", () => process.exit())
