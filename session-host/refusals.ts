import { ApiError, sessionUnavailable } from "#core/error.ts"
import { NetworkRejected, NoAnswer } from "./network-errors.ts"

export function notPaired(): ApiError {
  return new ApiError("not_paired", "no phone is linked: scan the code of `qr` first")
}

export function alreadyPaired(): ApiError {
  return new ApiError("already_paired", "a phone is linked already: log out first")
}

/** It stays so until the customer does something, so a caller need not ask every two seconds. */
export function takenOver(): ApiError {
  const sentence =
    "another place has taken over this session: PATCH the bridge with its webhook_url to connect it again, or log it out"
  return sessionUnavailable(sentence, 60)
}

/** By the network's number. */
const advice = new Map([
  [463, "this number may not begin new chats for now: do not repeat it"],
  [479, "what was known of the recipient's devices is out of date: try it again, once"],
])

export function rejected(networkCode: number): ApiError {
  const what = advice.get(networkCode) ?? "do not repeat it unchanged"
  const sentence = `the messaging network refused this with its number ${networkCode}: ${what}`
  return new ApiError("network_rejected", sentence, { fields: { network_code: networkCode } })
}

/** The part of the network's answer, or silence, that a customer may see; undefined for every other error. */
export function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof NetworkRejected) return rejected(error.networkCode)
  if (error instanceof NoAnswer) return sessionUnavailable("the network did not answer: try again")
  return undefined
}
