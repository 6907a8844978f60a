import { onTestFinished } from "vitest"
import { type Answer, type Arrival, startReceiver } from "./start-receiver.ts"

/** A customer's webhook endpoint that answers by script, then as `usually` says; it ends with its test. */
export async function aReceiver(script: Answer[] = [], usually: (arrival: Arrival) => Answer = () => 200) {
  const receiver = await startReceiver(usually)
  receiver.say(...script)
  onTestFinished(receiver.stop)
  return receiver
}
