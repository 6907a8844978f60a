export * as AnswerInBucket from "./answer-in-bucket.ts"

/**
 * The longest answer, in JSON bytes, that does not go through the bucket. Lambda takes 6 MB from a function that does
 * not stream, as a JSON string once more, in which a byte may become two.
 */
export const longestInline = { maxBytes: 2_500_000 }

/**
 * The header that says where in the bucket an answer's body is. Session hosts set it, and on Lambda the API does. The
 * recipient of the answer streams the body from there.
 */
export const pointer = "x-stored-at"
/** The header that says whose it is: the account that asked. The API sets it for the function that streams the body. */
export const owner = "x-stored-for"

/** The headers of an answer whose body is in the bucket (`StoredMedia`). */
export function pointerTo(key: string, accountId?: string) {
  return { [pointer]: encodeURIComponent(key), ...(accountId !== undefined && { [owner]: accountId }) }
}

/** The key of the object with the body. @returns undefined for an answer that carries its own body. */
export function pointedAt(headers: { [pointer]?: string | string[] | undefined }): string | undefined {
  const to = headers[pointer]
  return typeof to === "string" ? decodeURIComponent(to) : undefined
}
