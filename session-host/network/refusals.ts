import { networkRejected } from "#core/contract/error-sentences.ts"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { NetworkRejected, NoAnswer } from "./errors.ts"

export function notPaired(): ApiError {
  return new ApiError("not_paired")
}

export function alreadyPaired(): ApiError {
  return new ApiError("already_paired")
}

/** It stays so until the customer does something, so a caller need not ask every two seconds. */
export function takenOver(): ApiError {
  const sentence =
    "another place has taken over this session: PATCH the bridge with its webhook_url to connect it again, or log it out"
  return sessionUnavailable(sentence, 60)
}

export function networkRefusal(networkCode: number): ApiError {
  return new ApiError("network_rejected", networkRejected(networkCode), {
    fields: { network_code: networkCode },
  })
}

/** The part of the network's answer, or silence, that a customer may see; undefined for every other error. */
export function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof NetworkRejected) return networkRefusal(error.networkCode)
  if (error instanceof NoAnswer) return sessionUnavailable("the network did not answer: try again")
  return undefined
}
