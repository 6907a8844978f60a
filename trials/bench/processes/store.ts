/** The embedded store in a process of its own: it answers with the units used since the last question. */
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startAwsRecorder } from "#test/support/aws-recorder.ts"
import { dynamoDbMeter } from "#test/support/dynamodb-meter.ts"

const [path = ""] = process.argv.slice(2)
const store = await startDynamoDb({ at: { port: 0 }, path })
const units = dynamoDbMeter()
const recorder = await startAwsRecorder(store.endpoint, units.note, units.noteRequest)

process.on("message", () => {
  const { byRow, requests, ...used } = units.take()
  process.send?.({ ...used, byRow: [...byRow], requests: [...requests] })
})
for (const signal of ["SIGTERM", "disconnect"] as const) process.once(signal, () => void end())
process.send?.({ endpoint: recorder.endpoint })

async function end(): Promise<void> {
  recorder.close()
  await store.close()
  process.exit(0)
}
