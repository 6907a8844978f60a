export * as AnswerInBucket from "./answer-in-bucket.ts"

/**
 * The longest answer, in JSON bytes, that does not go through the bucket. Lambda takes 6 MB from a function
 * that does not stream, as a JSON string once more, in which a byte may become two.
 */
export const longestInline = { maxBytes: 2_500_000 }

/**
 * The header that says where in the bucket an answer's body is. Session hosts set it, and on Lambda the API
 * does. The recipient of the answer streams the body from there.
 */
export const pointerHeader = "x-stored-at"
/** The header that names the account that asked. The API sets it for the function that streams the body. */
export const ownerHeader = "x-stored-for"

/** The headers of an answer whose body is in the bucket (`StoredMedia`). */
export function pointerTo(key: string, accountId?: string) {
  return {
    [pointerHeader]: encodeURIComponent(key),
    ...(accountId !== undefined && { [ownerHeader]: accountId }),
  }
}

/** The key of the object with the body. @returns undefined for an answer that carries its own body. */
export function bucketKeyOf(headers: {
  [pointerHeader]?: string | string[] | undefined
}): string | undefined {
  const to = headers[pointerHeader]
  return typeof to === "string" ? decodeURIComponent(to) : undefined
}
