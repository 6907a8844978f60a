/**
 * How long an AWS client waits for one answer, ms. Without it a request whose answer never comes is waited for without
 * end: the SDK's own time-out only warns.
 */
export const requestTimes = {
  requestHandler: { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true },
}

/** Where an answer takes as long as megabytes take. */
export const transferTimes = { requestHandler: { ...requestTimes.requestHandler, requestTimeout: 20_000 } }
