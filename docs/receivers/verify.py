import hashlib
import hmac
import re
import time


def is_genuine(raw_body: bytes, header: str | None, secret: str, now: float | None = None) -> bool:
    """Whether a delivery is genuine.

    `raw_body` is the body as it arrived, before any parsing; `header` is `X-Webhook-Signature`; `secret` is the
    bridge's `webhook_secret`, all of it.
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
