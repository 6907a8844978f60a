/**
 * The use of each service. `npm run infra:check` counts the figures under `counted` on the running code (embedded store,
 * simulated network), and they must agree. The others are read from `infra/`, or are assumptions and say so.
 */
export const counted = {
  /** A text that comes in, is stored, and is delivered at the first attempt while nothing else waits. */
  inbound: { writeUnits: 18, readUnits: 3, deliveries: 1 },
  /**
   * A text that is sent under an Idempotency-Key to a recipient with one phone, and the receipts that come back. Two of the
   * units read are the key and the lease, which the API knows for half a minute and for two seconds: a burst reads them once.
   */
  outbound: { writeUnits: 14, readUnits: 3 },
}

/** The sizes of the stage `production`: `test/infra` compares. */
export const sized = {
  hostVcpu: 0.25,
  hostGb: 1,
  hostCapacity: 40,
  spare: 10,
  apiGb: 1,
  deliveryGb: 0.5,
  sweepGb: 0.25,
  endpoints: 4,
  keys: 3,
  /** One that is composed of others costs as much as five. */
  alarms: 42,
  metrics: 39,
}

/** A stage with `BILLING` has these as well: `test/infra` compares. */
export const billing = { gb: 0.25, alarms: 3, metrics: 1 }

export const assumed = {
  /** How long a function runs, in seconds: our part, and waiting for the network's ack or for the receiver. */
  apiSeconds: 0.6,
  deliverySeconds: 0.3,
  sweepSecondsPerMinute: 55,
  billingSecondsPerMinute: 1,
  /** Log lines of all processes for one message, Lambda's own included. */
  logKb: 1.5,
  /** To the receiver of an event, or back to the caller, headers included. */
  trafficKb: 2,
  /** Credentials, ratchets, events of a week. */
  storedMbPerBridge: 5,
  /** SQS requests of Lambda's pollers while nothing rings, a minute. */
  emptyPolls: 15,
}

/** Requests of hosts and the sweep to the store at rest, a second. */
export const atRest = {
  host: {
    /** A beat each 5 s. */
    writeUnits: 1 / 5,
    /** A look at a part of the free leases each half second; each 30 s at its own and at deleted ones. From an index: half a unit. */
    readUnits: 2 * 0.5 + 2 * (0.5 / 30),
  },
  sweep: {
    /**
     * Each 5 s free leases, in 4 parts, and two rows that are seldom there: that the operator wants no hosts, and that
     * there is a shortage of them. Each 20 s what is overdue, in 16 shards.
     */
    readUnits: (4 * 0.5 + 2) / 5 + (16 * 0.5) / 20,
    /** Each 5 s the row of each host, 300 bytes, read consistently. */
    readUnitsPerHost: 300 / 4096 / 5,
  },
}
