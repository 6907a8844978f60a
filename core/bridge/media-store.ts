export * as MediaStore from "./media-store.ts"

import type { MediaStore as Given } from "#contract/media-store.ts"
import { invalid } from "../error.ts"
import { mayName } from "../fetch/reachable-addresses.ts"
import { open, seal } from "../keys/seal.ts"
import { config } from "../platform/config.ts"

/** The key that a secret is sealed for. The sealed secret is in the lease's row. */
function itemOf(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "MEDIA_STORE" }
}

/**
 * A media store as the lease keeps it: with its secret sealed. Its address is judged again each time it is
 * dialled.
 * @throws ApiError `invalid_request`
 */
export function sealed(given: Given, bridgeId: string, deliveryKey: Uint8Array): Given {
  const { endpoint, secret_access_key: secret } = given
  const fault = endpoint === undefined ? undefined : faultOf(endpoint)
  if (fault) throw invalid([{ path: "media_store.endpoint", message: fault }])
  const secret_access_key = Buffer.from(seal(deliveryKey, itemOf(bridgeId), secret)).toString("base64")
  return { ...given, secret_access_key }
}

/** A kept media store, opened for the session's host. */
export function opened(kept: Given, bridgeId: string, deliveryKey: Uint8Array): Given {
  const secret = Buffer.from(kept.secret_access_key, "base64")
  return { ...kept, secret_access_key: open(deliveryKey, itemOf(bridgeId), secret).toString() }
}

function faultOf(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return "not a URL"
  const { protocol, username, password, pathname, search, hash, hostname } = new URL(endpoint)
  const mayBePlain = config.STAGE !== "production"
  if (protocol !== "https:" && !(mayBePlain && protocol === "http:")) return "must begin with https://"
  if (username || password || search || hash || pathname !== "/")
    return "must have a host and maybe a port, and nothing else"
  if (!mayName(hostname))
    return "this address is not public: use one that is, or ask the operator of this service to allow it (URL_ALLOW)"
  return undefined
}
