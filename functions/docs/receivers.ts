/**
 * The code in `docs/receivers/`, for readers who have the page but not the repository. Copied by hand, since Node 24 cannot
 * import a file as text (ERR_UNKNOWN_FILE_EXTENSION). A test compares the two.
 */
export const receivers: { language: string; file: string; code: string }[] = [
  {
    language: "JavaScript (Node 18 or newer)",
    file: "verify.js",
    code: `import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Whether a delivery is genuine. \`rawBody\` is the body as it arrived, before any parsing; \`header\` is
 * \`X-Webhook-Signature\`; \`secret\` is the bridge's \`webhook_secret\`, all of it.
 *
 * @param {Uint8Array} rawBody
 * @param {string | undefined} header
 * @param {string} secret
 * @returns {boolean}
 */
export function isGenuine(rawBody, header, secret, nowSeconds = Date.now() / 1000) {
  // While a secret is replaced there are two signatures: any that matches will do.
  const [, timestamp, signatures] = /^t=(\\d{1,12})((?:,v1=[0-9a-f]{64})+)$/.exec(header ?? "") ?? []
  if (timestamp === undefined || signatures === undefined) return false
  // Older ones may be replayed by somebody who listened.
  if (Math.abs(nowSeconds - Number(timestamp)) > 300) return false
  const expected = createHmac("sha256", secret).update(\`\${timestamp}.\`).update(rawBody).digest()
  return signatures
    .split(",v1=")
    .slice(1)
    .some((signature) => timingSafeEqual(expected, Buffer.from(signature, "hex")))
}
`,
  },
  {
    language: "Python (3.10 or newer)",
    file: "verify.py",
    code: `import hashlib
import hmac
import re
import time


def is_genuine(raw_body: bytes, header: str | None, secret: str, now: float | None = None) -> bool:
    """Whether a delivery is genuine.

    \`raw_body\` is the body as it arrived, before any parsing; \`header\` is \`X-Webhook-Signature\`; \`secret\` is the
    bridge's \`webhook_secret\`, all of it.
    """
    # While a secret is replaced there are two signatures: any that matches will do.
    match = re.fullmatch(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)", header or "")
    if match is None:
        return False
    timestamp, signatures = match.groups()
    # Older ones may be replayed by somebody who listened.
    if abs((time.time() if now is None else now) - int(timestamp)) > 300:
        return False
    signed = timestamp.encode() + b"." + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected, signature) for signature in signatures.split(",v1=")[1:])
`,
  },
  {
    language: "PHP (7.1 or newer)",
    file: "verify.php",
    code: `<?php

declare(strict_types=1);

/**
 * Whether a delivery is genuine. \`$rawBody\` is the body as it arrived (\`file_get_contents('php://input')\`); \`$header\` is
 * \`X-Webhook-Signature\` (\`$_SERVER['HTTP_X_WEBHOOK_SIGNATURE']\`); \`$secret\` is the bridge's \`webhook_secret\`, all of it.
 */
function is_genuine(string $rawBody, ?string $header, string $secret, ?int $now = null): bool
{
    // While a secret is replaced there are two signatures: any that matches will do.
    if (preg_match('/\\At=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)\\z/', $header ?? '', $parts) !== 1) {
        return false;
    }
    [, $timestamp, $signatures] = $parts;
    // Older ones may be replayed by somebody who listened.
    if (abs(($now ?? time()) - (int) $timestamp) > 300) {
        return false;
    }
    $expected = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    foreach (array_slice(explode(',v1=', $signatures), 1) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
`,
  },
]
