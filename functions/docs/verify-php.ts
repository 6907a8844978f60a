/**
 * `docs/receivers/verify.php`, for readers who have the page but not the repository. Copied by hand, since Node 24 cannot
 * import a file as text (ERR_UNKNOWN_FILE_EXTENSION). A test compares the two.
 */
export const verifyPhp = `<?php

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
`
