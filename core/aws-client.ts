/**
 * How long an AWS client waits for one answer, ms. Without it a request whose answer never comes is waited for without
 * end: the SDK's own time-out only warns.
 */
export const requestTimes = {
  requestHandler: { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true },
}

/** Where an answer takes as long as megabytes take. */
export const transferTimes = { requestHandler: { ...requestTimes.requestHandler, requestTimeout: 20_000 } }

/** Whether this address is on this machine: a stand-in answers there, which checks no signature. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname)
}

const none = "smithy.api#noAuth"

/** For a client of what is at this address: half of what a request costs is its signature. */
export function signedUnlessLoopback(endpoint: string | undefined) {
  if (endpoint === undefined || !isLoopback(new URL(endpoint))) return {}
  const signer = { sign: async <Request>(request: Request) => request }
  return {
    httpAuthSchemes: [{ schemeId: none, identityProvider: () => async () => ({}), signer }],
    httpAuthSchemeProvider: () => [{ schemeId: none }],
  }
}
