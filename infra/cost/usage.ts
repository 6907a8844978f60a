/**
 * The use of each service. `npm run infra:check` counts the figures under `counted` on the running code
 * (embedded store, simulated network), and they must agree. The others are read from `infra/`, or are
 * assumptions and say so.
 */
export const counted = {
  /**
   * A text that comes in, is stored, and is delivered at the first attempt while nothing else waits. One of
   * the units read says which webhooks the account has.
   */
  inbound: { writeUnits: 18, readUnits: 4, deliveries: 1 },
  /** The delivery of such a text to one further webhook. */
  webhook: { writeUnits: 8, readUnits: 2, deliveries: 1 },
  /**
   * A text that is sent under an Idempotency-Key to a recipient with one phone, and the receipts that come
   * back. Two of the units read are the key and the lease, which the API knows for half a minute and for two
   * seconds: a burst reads them once.
   */
  outbound: { writeUnits: 14, readUnits: 3 },
  /** Keeping a text in either direction (`keep`): its own row, and the row of its chat. */
  kept: { writeUnits: 4, readUnits: 0 },
}

/** The sizes of every stage: `test/infra` compares. */
export const sized = {
  hostVcpu: 0.25,
  hostGb: 1,
  hostCapacity: 50,
  apiGb: 1,
  callsGb: 0.25,
  deliveryGb: 0.5,
  sweepGb: 0.25,
  troublesGb: 0.25,
  streamGb: 0.25,
  pageGb: 0.25,
  keys: 3,
  /**
   * One that is composed of others costs as much as five, one that compares metrics as much as one for each.
   */
  alarms: 55,
  /** All that the code can write, and those of them that tell of trouble alone: `test/infra` compares. */
  metrics: 23,
  metricsOfTrouble: [
    "SendUnknown",
    "MessagesParked",
    "BadMac",
    "Undelivered",
    "DoorbellUnanswered",
    "SweepRang",
    "LeaseFenced",
    "HostDead",
    "HostRefused",
    "Replaced",
    "ClientExpires",
    "PostQuantumAsked",
  ],
}

/** The memory of a host with more sessions than usual (`HOST_SESSIONS`): `test/infra` compares. */
export const fullerHostGb = 2

/** With so few sessions a host (`HOST_SESSIONS`) it has less memory, and so has the sweep: compared, too. */
export const small = { hostSessions: 20, hostGb: 0.5, sweepGb: 160 / 1024 }

/** Sessions for which a stage keeps room that no bridge needs yet: `test/infra` compares. */
export const spareSessions = { production: 10, staging: 0, personal: 0 }

/** A stage with `BILLING` has these as well: `test/infra` compares. */
export const billing = { gb: 0.25, alarms: 3, metrics: 1 }

export const assumed = {
  /**
   * How long a function runs, in seconds: our part, and waiting for the network's ack or for the receiver.
   */
  apiSeconds: 0.6,
  callsSeconds: 0.55,
  deliverySeconds: 0.3,
  /** Its last look begins after 45 s (`functions/sweep/handler.ts`), and takes a second. */
  sweepSecondsPerMinute: 46,
  /** Where there is neither a host nor a bridge it ends after one look. */
  sweepSecondsPerMinuteAtRest: 2,
  billingSecondsPerMinute: 1,
  /** A look for troubles where there are none. */
  troublesSecondsPerMinute: 1,
  /** Log lines of all processes for one message, Lambda's own included. */
  logKb: 1.5,
  /** Log lines of the sweep in a minute, and of each host. */
  sweepLogKbPerMinute: 4,
  hostLogKbPerMinute: 1,
  /** To the receiver of an event, or back to the caller, headers included. */
  trafficKb: 2,
  /** Credentials, ratchets, events of a week. */
  storedMbPerBridge: 5,
  /** A function's process begins anew at one call of so many; that is paid for since August 2025. */
  initSeconds: 1,
  callsPerInit: 20,
  /** Of the traffic within a region: to another zone. */
  otherZone: 2 / 3,
  /** Messages with a file, its size, and for how much of a month it is stored. */
  withFile: 0.1,
  fileMb: 0.2,
  fileMonths: 7 / 30,
  /** A message that is kept. */
  keptKb: 0.7,
  /** The host's image, which each deploy that changes it leaves behind once more. */
  imageGb: 0.15,
  /** In so much of the hours there is one of a kind of trouble: a metric is paid for by the hour. */
  troubledHours: 0.1,
  /** Requests for `/healthz` from outside, a second: two from each of three places, each 30 s. */
  checks: 6 / 30,
  checkSeconds: 0.02,
  /** SQS requests of Lambda's pollers while nothing rings, a minute. */
  emptyPolls: 15,
}

/**
 * A second of an open log or event stream, and of an open page of the dashboard: each runs a function for as
 * long as it is open (`functions/stream/sse.ts`, `dashboard/live.ts`).
 */
export const openStreams = {
  /** It looks for news each second, begins anew each minute, and extends its two places each ten seconds. */
  stream: { readUnits: 1, writeUnits: 2 / 10 + 4 / 60, requests: 1 / 60, calls: 0 },
  /**
   * It looks each two seconds, asks the session's host, begins anew each 15 seconds, and extends its two
   * places each ten.
   */
  page: { readUnits: 3 / 2, writeUnits: 2 / 10 + 5 / 15, requests: 1 / 15, calls: 1 / 2 },
  /** How long a host takes to say how its session is, in seconds. */
  callSeconds: 0.03,
}

/** Requests of hosts, the sweep and the look for troubles to the store at rest, a second. */
export const requestsAtRest = {
  host: {
    /** A beat each 5 s. */
    writeUnits: 1 / 5,
    /**
     * A look at a part of the free leases each half second; each 25 s at its own and at deleted ones. From an
     * index: half a unit.
     */
    readUnits: 2 * 0.5 + 2 * (0.5 / 25),
  },
  sweep: {
    /**
     * Each 5 s free leases, in 4 parts, and two rows that are seldom there: that the operator wants no hosts,
     * and that there is a shortage of them. Each 20 s what is overdue, in 16 shards.
     */
    readUnits: (4 * 0.5 + 2) / 5 + (16 * 0.5) / 20,
    /** Each 5 s the row of each host, 300 bytes, read consistently. */
    readUnitsPerHost: 300 / 4096 / 5,
    /** Where there is neither a host nor a bridge: all of it, once a minute. */
    readUnitsAtRest: (4 * 0.5 + 2 + 16 * 0.5) / 60,
  },
  /**
   * Each minute free leases and those that are down, in 4 parts each, receivers that fail, in 16, what was
   * told, and hosts, in 4 parts.
   */
  troubles: { readUnits: (4 * 0.5 + 4 * 0.5 + 16 * 0.5 + 1 + 4) / 60 },
}
