/** The differences between stages. A stage of any other name is somebody's own: small, and gone when it is removed. */
const stages = {
  production: {
    /** Tables cannot be deleted by mistake; logs last a quarter. */
    kept: true,
    logDays: 90,
    /** Zones with interface endpoints: each is billed by the hour. */
    endpointZones: 2,
    /** Deliveries at once, set aside for them. The account's quota is 1,000; what is left is for the API. */
    deliveries: 500,
    /** Log streams and downloads at once, set aside for them. */
    streams: 200,
    /** Open pages of the dashboard that are followed live, set aside for them. */
    live: 100,
    /** Sessions for which there is room although no bridge needs it yet: a new bridge is live in seconds. */
    spare: 10,
    /** US dollars a month; `MONTHLY_BUDGET` overrides. */
    budget: 500,
  },
  staging: {
    kept: true,
    logDays: 30,
    endpointZones: 1,
    deliveries: 50,
    streams: 20,
    live: 20,
    spare: 5,
    budget: 150,
  },
  personal: {
    kept: false,
    logDays: 7,
    endpointZones: 1,
    deliveries: 10,
    streams: 10,
    live: 10,
    spare: 5,
    budget: 75,
  },
} as const

export const stage = stages[$app.stage === "production" || $app.stage === "staging" ? $app.stage : "personal"]

const { accountId } = aws.getCallerIdentityOutput()
const { region } = aws.getRegionOutput()
export { accountId, region }
