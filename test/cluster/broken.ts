/** Parts that can be taken out of the service, from outside: each must be noticed. */
export const breakable = ["journal", "fence", "order", "idempotency"] as const
export type Broken = (typeof breakable)[number]
