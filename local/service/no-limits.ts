/** Lifts the rate limits, for a program that asks more than any customer would, from one address. */
export const noLimits: Record<string, string> = Object.fromEntries(
  ["PROVISION", "PROXY", "OTHER", "ADDRESS"].map((scope) => [`RATE_LIMIT_${scope}`, "1000000"]),
)
