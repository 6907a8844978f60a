import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { afterAll } from "vitest"
import { stopListening, listen } from "#one-machine/listen.ts"
import { startPretendStripe } from "#pretend-stripe/start.ts"
import { listener } from "#test/support/service/app.ts"

/**
 * The store, a pretend Stripe, and the API that its webhooks go to, for one test file. Import this instead of
 * the store, which reads the environment.
 */
const server = createServer()
const port = await listen(server)
const baseUrl = `http://localhost:${port}`
export const stripe = await startPretendStripe({
  webhookUrl: `http://127.0.0.1:${port}/billing/webhook`,
  webhookSecret: `whsec_${randomBytes(24).toString("hex")}`,
})
Object.assign(process.env, stripe.environment, { DASHBOARD_URL: baseUrl, RATE_LIMIT_ADDRESS: "100000" })
await import("#test/support/store.ts")
await import("./plugged-in.ts")

server.on("request", listener)

afterAll(async () => {
  await stripe.close()
  await stopListening(server)
})

/**
 * The customer fills in the card on one of Stripe's pages. @returns where they are sent, or the page's text
 */
export async function payWith(card: string, url: string, more: Record<string, string> = {}): Promise<string> {
  const body = new URLSearchParams({ card, ...more })
  const answer = await fetch(url, { method: "POST", body, redirect: "manual" })
  return answer.headers.get("location") ?? (await answer.text())
}
