import { createHmac } from "node:crypto"

/**
 * The headers that prove to a receiver that a delivery is ours and say which one it is
 * (Contract, "Delivery"). The three `webhook-*` headers are those of Standard Webhooks, for its ready-made
 * libraries (Contract, "Proof of a delivery").
 */
export function signedHeaders(delivery: {
  /** `whsec_` followed by base64. While a secret is replaced there are two, the new one first. */
  secrets: [string, ...string[]]
  /** The id of the event or batch. */
  id: string
  /** How many events it has, if it is a batch. */
  batch?: number | undefined
  /** Starts at 1. */
  attempt: number
  /** The exact bytes that will be sent. */
  body: Uint8Array
  /** When this attempt began, in Unix seconds. */
  timestamp: number
}): Record<string, string> {
  const { secrets, id, batch, attempt, body, timestamp } = delivery
  const signatures = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex"),
  )
  const standard = secrets.map((secret) => {
    const bytes = Buffer.from(secret.slice("whsec_".length), "base64")
    return createHmac("sha256", bytes).update(`${id}.${timestamp}.`).update(body).digest("base64")
  })
  return {
    authorization: `Bearer ${secrets[0]}`,
    "content-type": "application/json",
    "x-webhook-signature": [`t=${timestamp}`, ...signatures.map((one) => `v1=${one}`)].join(","),
    ...(batch === undefined ? { "x-webhook-event-id": id } : { "x-webhook-batch": String(batch) }),
    "x-webhook-attempt": String(attempt),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": standard.map((one) => `v1,${one}`).join(" "),
  }
}
