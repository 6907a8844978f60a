import { randomUUID } from "node:crypto"
import { offerStreaming, stream } from "../support/service/function-url.ts"

/** As Lambda starts and calls a bundle; `lambda.ts` is the other end. */
const [, , bundle = "", kind] = process.argv
offerStreaming()
const start = performance.now()
const { handler } = await import(bundle)
process.send!({ initMs: performance.now() - start, rssMb: process.memoryUsage.rss() / 1e6 })

async function answer(event: object): Promise<unknown> {
  if (kind !== "stream") return await handler(event, { awsRequestId: randomUUID(), functionName: "test" })
  const { statusCode, headers, cookies, all } = await stream(handler, event)
  return { statusCode, headers, cookies, body: (await all()).toString("base64"), isBase64Encoded: true }
}

process.on("message", ({ id, event }: { id: string; event: object }) => {
  answer(event).then(
    (answered) => process.send!({ id, answer: answered }),
    (error: unknown) => process.send!({ id, error: String(error) }),
  )
})
process.on("disconnect", () => process.exit())
