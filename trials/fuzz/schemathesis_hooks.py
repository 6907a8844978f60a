"""A check of our own for Schemathesis (`schemathesis.ts`)."""

import json
import os
import re

import schemathesis

# Sentences of refusals that no schema can say: regular expressions as JavaScript writes them.
beyond_schemas = [re.compile(text.strip("/").replace("\\/", "/")) for text in json.loads(os.environ["BEYOND_SCHEMAS"])]


@schemathesis.check
def service_takes_what_fits(ctx, response, case):
    """What fits the document is not refused as if it did not, and nothing is our own fault."""
    if response.status_code == 500:
        raise AssertionError("500: our own fault")
    if response.status_code != 400 or case.meta is None or case.meta.generation.mode.is_negative:
        return
    said = response.json()
    if said["code"] != "invalid_request":
        return
    sentences = [f"{issue['path']}: {issue['message']}" for issue in said.get("issues", [])] or [said["error"]]
    unexpected = [one for one in sentences if not any(known.search(one) for known in beyond_schemas)]
    if unexpected:
        raise AssertionError("fits the document, and is refused: " + "; ".join(unexpected))
