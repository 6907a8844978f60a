/**
 * How long an AWS client waits for one answer, in ms. The SDK's own time-out only warns, so without this a request that
 * is never answered waits for ever.
 */
export const requestTimeouts = {
  requestHandler: { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true },
}

/** For requests that carry megabytes. */
export const transferTimeouts = {
  requestHandler: { ...requestTimeouts.requestHandler, requestTimeout: 20_000 },
}

/** Whether this address is on this machine. A stand-in answers there and checks no signature. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname)
}

const none = "smithy.api#noAuth"

/** Turns off signing for a client whose endpoint is on this machine: the signature is half the cost of a request. */
export function signedUnlessLoopback(endpoint: string | undefined) {
  if (endpoint === undefined || !isLoopback(new URL(endpoint))) return {}
  const signer = { sign: async <Request>(request: Request) => request }
  return {
    httpAuthSchemes: [{ schemeId: none, identityProvider: () => async () => ({}), signer }],
    httpAuthSchemeProvider: () => [{ schemeId: none }],
  }
}
