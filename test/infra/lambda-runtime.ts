import { randomUUID } from "node:crypto"

/** As Lambda starts and calls a bundle; `lambda.ts` is the other end. */
const start = performance.now()
const { handler } = await import(process.argv[2]!)
process.send!({ initMs: performance.now() - start, rssMb: process.memoryUsage.rss() / 1e6 })

process.on("message", ({ id, event }: { id: string; event: unknown }) => {
  const context = { awsRequestId: randomUUID(), functionName: "test" }
  Promise.resolve(handler(event, context)).then(
    (answer: unknown) => process.send!({ id, answer }),
    (error: unknown) => process.send!({ id, error: String(error) }),
  )
})
process.on("disconnect", () => process.exit())
