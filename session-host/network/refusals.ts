import { networkRejectedSentence } from "#contract/error-codes.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { NetworkRejected, NoAnswer, type PasskeyRefusal, PasskeyRefused } from "./errors.ts"

export function notPaired(): ApiError {
  return new ApiError("not_paired")
}

export function alreadyPaired(): ApiError {
  return new ApiError("already_paired")
}

/** The refusal when a phone has taken a code, and its account wants a passkey. */
export function passkeyRequired(): ApiError {
  return new ApiError("passkey_required")
}

/**
 * The refusal when another device has taken over. It lasts until the customer does something, so a caller
 * need not ask every two seconds.
 * @param sentence what is known of that device
 */
export function takenOver(
  sentence = "another place has taken over this session: PATCH the bridge with its webhook_url to connect it again, or log it out",
): ApiError {
  return sessionUnavailable(sentence, 60)
}

export function networkRefusal(networkCode: number): ApiError {
  return new ApiError("network_rejected", networkRejectedSentence(networkCode), {
    fields: { network_code: networkCode },
  })
}

/** What a customer may see of the network's refusal or silence; undefined for every other error. */
export function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof NetworkRejected) return networkRefusal(error.networkCode)
  if (error instanceof PasskeyRefused) return passkeyRefusal(error.why)
  if (error instanceof NoAnswer) return sessionUnavailable("the network did not answer: try again")
  return undefined
}

const passkeySentences: Record<PasskeyRefusal, string> = {
  malformed:
    "this is not what a browser makes with a passkey: send the JSON of its answer whole and unchanged",
  origin: "the passkey was used on another page: use it on https://web.whatsapp.com",
  challenge: "this answers another request: use the passkey again, for the request that `status` has now",
  foreign: "this passkey is not the one of the account whose phone scanned the code: choose that account's",
  wrong:
    "the network did not accept the passkey's signature: use it again, for the request that `status` has now",
  late: "this came after the request's time: use the passkey again, for the request that `status` has now",
  busy: "another answer is being looked at: wait until `status` has changed",
  not_awaited: "no phone asks for a passkey now: link it again with a new code first",
  unreadable: "the network's part could not be read: link the phone again with a new code",
}

function passkeyRefusal(why: PasskeyRefusal): ApiError {
  const isNow = why === "not_awaited" || why === "busy"
  return new ApiError(isNow ? "passkey_not_awaited" : "passkey_refused", passkeySentences[why])
}

/** The refusal of an assertion when no phone has asked for a passkey. */
export const passkeyNotAwaited = (): ApiError => passkeyRefusal("not_awaited")
