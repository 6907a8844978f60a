import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Whether a delivery is genuine. `rawBody` is the body as it arrived, before any parsing; `header` is
 * `X-Webhook-Signature`; `secret` is the bridge's `webhook_secret`, all of it.
 *
 * @param {Uint8Array} rawBody
 * @param {string | undefined} header
 * @param {string} secret
 * @returns {boolean}
 */
export function isGenuine(rawBody, header, secret, nowSeconds = Date.now() / 1000) {
  // While a secret is replaced there are two signatures: any that matches will do.
  const [, timestamp, signatures] = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(header ?? "") ?? []
  if (timestamp === undefined || signatures === undefined) return false
  // Older ones may be replayed by somebody who listened.
  if (Math.abs(nowSeconds - Number(timestamp)) > 300) return false
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest()
  return signatures
    .split(",v1=")
    .slice(1)
    .some((signature) => timingSafeEqual(expected, Buffer.from(signature, "hex")))
}
