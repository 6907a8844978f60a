/** Why there was no answer, or no usable one. Never in the other side's own words. */
export type Category =
  | "timeout"
  | "refused"
  | "unreachable"
  | "reset"
  | "dns"
  | "tls"
  | "blocked"
  | "too_large"
  | "bad_response"
  | "network"

export class FetchError extends Error {
  readonly category: Category

  constructor(category: Category, cause?: unknown) {
    super(category, { cause })
    this.category = category
  }
}

/** The error codes of Node, OpenSSL and undici. */
const categories: [RegExp, Category][] = [
  [/^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ESOCKETTIMEDOUT)$/, "timeout"],
  [/^ECONNREFUSED$/, "refused"],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, "unreachable"],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, "reset"],
  [
    /^(?:EPROTO|ERR_SSL_.*|ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HOSTNAME_MISMATCH)$/,
    "tls",
  ],
  [/^(?:UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES(?:PONSE|_).*)$/, "bad_response"],
]

/**
 * The category of what went wrong. @throws the error itself if it is not a network error: that is our own
 * bug.
 */
export function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  if (!(error instanceof Error)) throw error
  if (error.name === "TimeoutError" || error.name === "AbortError") return new FetchError("timeout", error)
  if (error.name === "HTTPParserError") return new FetchError("bad_response", error)
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== "string" || /^(?:ERR_INVALID|UND_ERR_INVALID_ARG)/.test(code)) throw error
  const known = categories.find(([words]) => words.test(code))
  return new FetchError(known?.[1] ?? "network", error)
}
