import type { Metrics } from "./metrics.ts"

/**
 * When the operator has to be told: in so many of so many minutes a metric is above its bound, or its ratio
 * to another metric is out of bounds.
 */
export type Rule = Watch & (OfOne | Part)

interface Watch {
  of: Metrics.Watched
  /** Which figure of a minute is compared with the bound. */
  stat: "Sum" | "Maximum" | "Average"
  /** In how many, of how many. */
  minutes: [number, number]
  /** The rule looks at hours instead of minutes. */
  hourly?: true
}

interface OfOne {
  to?: undefined
  above: number
  below?: undefined
}

/** The ratio of `of` to `to` is too large or too small. */
interface Part {
  to: Metrics.Watched
  above?: number
  below?: number
}

/**
 * The alarms on the service's own metrics, on AWS and on one machine. docs/operations.md has each one's
 * meaning, and what to do about it, under its name.
 */
export const alarms: Record<string, Rule> = {
  Unkept: { of: "UnkeptMs", stat: "Maximum", above: 60_000, minutes: [3, 5] },
  // One stranger causes a hundred at the most, and so one alarm. A kind of message that we cannot read comes
  // from many.
  MessagesParked: { of: "MessagesParked", stat: "Sum", above: 10, minutes: [1, 1], hourly: true },
  EventOld: { of: "EventOldestMs", stat: "Maximum", above: 120_000, minutes: [3, 5] },
  LeaseFenced: { of: "LeaseFenced", stat: "Sum", above: 0, minutes: [1, 1] },
  BadMac: { of: "BadMac", stat: "Sum", above: 5, minutes: [2, 5] },
  SweepRang: { of: "SweepRang", stat: "Sum", above: 5, minutes: [2, 5] },
  HostRefused: { of: "HostRefused", stat: "Sum", above: 0, minutes: [1, 1] },
  HostDead: { of: "HostDead", stat: "Sum", above: 0, minutes: [2, 15] },
  // In MB. On AWS a host has 1,024; on one machine a full host takes some 700.
  HostMemory: { of: "RssMb", stat: "Maximum", above: 850, minutes: [3, 5] },
  HostBusy: { of: "EventLoopLagMs", stat: "Maximum", above: 1000, minutes: [3, 5] },
  Suspects: { of: "Suspects", stat: "Maximum", above: 0, minutes: [3, 5] },
  // The network tells each session at its login.
  PostQuantumAsked: { of: "PostQuantumAsked", stat: "Sum", above: 0, minutes: [1, 1], hourly: true },
  // In hours. The network refuses a version after some eleven weeks.
  WebVersionOld: { of: "WebVersionAgeH", stat: "Maximum", above: 28 * 24, minutes: [1, 1], hourly: true },
  ClientExpires: { of: "ClientExpires", stat: "Sum", above: 0, minutes: [1, 1], hourly: true },
  Replaced: { of: "Replaced", stat: "Sum", above: 5, minutes: [1, 1] },
  // A doorbell that was not answered comes back after 30 to 120 s, also where it is the only one.
  DoorbellUnanswered: { of: "DoorbellUnanswered", stat: "Sum", above: 0, minutes: [2, 5] },
  // If no receiver answers, the ratio is one in five: each event is tried five times.
  Undelivered: { of: "Undelivered", to: "Attempts", stat: "Sum", above: 0.1, minutes: [3, 5] },
  SendUnknown: { of: "SendUnknown", to: "Sends", stat: "Sum", above: 0.01, minutes: [3, 5] },
  SessionsDown: { of: "SessionsUp", to: "SessionsExpected", stat: "Average", below: 0.95, minutes: [3, 5] },
}
