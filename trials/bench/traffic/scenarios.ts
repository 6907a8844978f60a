import type { Inbound } from "./in.ts"
import type { Outbound } from "./out.ts"

type Way = { way: "in"; warmUp: number } & Inbound
type WayOut = { way: "out"; warmUp: number } & Outbound
export type Scenario = Way | WayOut

/** Names begin with the way. `warmUp`: messages before those that are measured. */
export const scenarios: Record<string, Scenario> = {
  "in-10": { way: "in", bridges: 1, messages: 300, perSecond: 10, warmUp: 100 },
  "in-50": { way: "in", bridges: 1, messages: 1000, perSecond: 50, warmUp: 100 },
  "in-saturated": { way: "in", bridges: 1, messages: 1000, warmUp: 200 },
  "out-serial": { way: "out", bridges: 1, callers: 1, messages: 300, warmUp: 50 },
  "out-8": { way: "out", bridges: 1, callers: 8, messages: 800, warmUp: 100 },
  "in-saturated-20": { way: "in", bridges: 20, messages: 2000, warmUp: 400 },
  "in-200-20": { way: "in", bridges: 20, messages: 2000, perSecond: 200, warmUp: 400 },
  "in-40-20": { way: "in", bridges: 20, messages: 400, perSecond: 40, warmUp: 200 },
  "out-20x20": { way: "out", bridges: 20, callers: 20, messages: 2000, warmUp: 400 },
}

/** So few that each takes a second or two: whether it works, not how fast it is. */
export const shortScenarios: Record<string, Scenario> = {
  "in-50": { way: "in", bridges: 1, messages: 50, perSecond: 50, warmUp: 10 },
  "in-saturated-20": { way: "in", bridges: 4, messages: 100, warmUp: 10 },
  "out-20x20": { way: "out", bridges: 4, callers: 20, messages: 100, warmUp: 10 },
}
