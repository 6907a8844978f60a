import type { MemberOutcome } from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import { NetworkRejected } from "../network/errors.ts"

/** What the network's refusals of requests about a group mean (whatsmeow, `group.go`, `errors.go`). */
const refusals = new Map<number, () => ApiError>([
  [400, () => new ApiError("invalid_request", "the network does not take this for this group")],
  [401, () => new ApiError("not_admin")],
  [403, notInGroup],
  [404, notInGroup],
  [405, () => new ApiError("not_admin", "nobody may do this in this group")],
  [406, () => new ApiError("invalid_request", "the network does not take this text: try a shorter one")],
  [409, () => new ApiError("group_conflict")],
  [419, () => new ApiError("group_full")],
])

export function notInGroup(): ApiError {
  return new ApiError("not_found", "there is no such group, or the session is not in it")
}

/**
 * The answer to a question about a group.
 * @throws ApiError for a refusal whose reason is known, NetworkRejected for any other, NoAnswer
 */
export const orGroupRefusal = <T>(answer: Promise<T>): Promise<T> => explained(answer, refusals)

/** What the network's refusals of requests about a link mean. */
const refusalsOfLinks = new Map<number, () => ApiError>([
  [401, () => new ApiError("join_refused")],
  [404, noSuchLink],
  [406, noSuchLink],
  [410, () => new ApiError("invite_revoked")],
  [419, () => new ApiError("group_full", "the group is full: somebody has to leave it first")],
])

function noSuchLink(): ApiError {
  return new ApiError("not_found", "this link leads to no group: check that it is whole")
}

/** The answer to a question about a link. @throws as `orGroupRefusal` */
export const orLinkRefusal = <T>(answer: Promise<T>): Promise<T> => explained(answer, refusalsOfLinks)

async function explained<T>(answer: Promise<T>, known: typeof refusals): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const refusal = error instanceof NetworkRejected ? known.get(error.networkCode) : undefined
    throw refusal?.() ?? error
  }
}

type Reason = NonNullable<MemberOutcome["reason"]>

/** Why one person was left out, by the code of their part of an answer (whatsmeow; whatsapp-web.js). */
const reasons = new Map<number, Reason>([
  [401, "blocked"],
  [404, "not_found"],
  [405, "not_allowed"],
  [406, "not_allowed"],
  [408, "recently_left"],
  [409, "already"],
  [419, "full"],
  [500, "full"],
])

export function reasonOf(code: number, isAdding: boolean): Reason {
  if (code === 403) return isAdding ? "privacy" : "not_allowed"
  return reasons.get(code) ?? "unknown"
}
