import { onTestFinished } from "vitest"
import { type Answer, startReceiver } from "./start-receiver.ts"

/** A customer's webhook endpoint that answers by script, then with 200; it ends with its test. */
export async function aReceiver(script: Answer[] = []) {
  const receiver = await startReceiver()
  receiver.say(...script)
  onTestFinished(receiver.stop)
  return receiver
}
