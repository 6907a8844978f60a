/**
 * The differences between stages. A stage of any other name is a developer's own: small, and gone when it is
 * removed.
 */
const stages = {
  production: {
    /** Tables cannot be deleted by mistake; logs last a quarter. */
    kept: true,
    logDays: 90,
    /**
     * Places that are set aside for so many at once: no other calls take them. A customer can have only a
     * small part of the streams and open pages. What the account's quota leaves is for the API: of 1,000 some
     * 200.
     */
    deliveries: 300,
    /** Log and event streams. An account may have 30 of them. */
    streams: 200,
    /** Downloads, contacts and webhook tests. */
    transfers: 50,
    /**
     * Pages of the dashboard: the operator's own answer also where calls wait for a network that stands
     * still.
     */
    pages: 50,
    /** Open pages of the dashboard that are followed live. A person may have 12 of them, an address 30. */
    live: 200,
    /**
     * For how many more sessions than bridges need there is always room: a new bridge is live in seconds.
     * With 0 there is no host while there is no bridge, and the first bridge waits a minute or two for its
     * host.
     */
    spare: 10,
    /** US dollars a month; `MONTHLY_BUDGET` overrides. */
    budget: 500,
  },
  staging: {
    kept: true,
    logDays: 30,
    deliveries: 50,
    streams: 90,
    transfers: 20,
    pages: 20,
    live: 120,
    spare: 0,
    budget: 150,
  },
  personal: {
    kept: false,
    logDays: 7,
    deliveries: 10,
    streams: 90,
    transfers: 10,
    pages: 10,
    live: 120,
    spare: 0,
    budget: 75,
  },
} as const

export const stage = stages[$app.stage === "production" || $app.stage === "staging" ? $app.stage : "personal"]

const { accountId } = aws.getCallerIdentityOutput()
const { region } = aws.getRegionOutput()
export { accountId, region }
