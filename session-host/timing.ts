import { config } from "#core/platform/config.ts"

/** How long things may take on a host, in milliseconds. */
export interface Timing {
  /**
   * How often a host beats. After 2 beats without an answer it takes nothing; after 3 its sockets are closed.
   */
  beatMs: number
  /** When the store has not answered for this long, the socket is closed; writes go on waiting. */
  storeAwayMs: number
  /** A commit's outcome must be known within this time. A token is valid for 10 minutes. */
  commitMs: number
  /** How long sends may take when the session stops. */
  finishMs: number
  /**
   * Contract, "Linking a phone": how long an unpaired session stays connected after it was last asked for a
   * code.
   */
  pairingMs: number
  /** Contract, "Linking a phone": how long `qr` waits for the first code. */
  codeMs: number
  /**
   * Contract, "Time to answer": how long a call waits at most for a session that is starting or connecting.
   */
  connectingMs: number
  /** Contract, "Time to answer": how long the network may take over the acknowledgement of a message. */
  ackMs: number
  /** How long the network may answer nothing at all until the connection counts as dead. */
  deadMs: number
  /** How long a restart waits for sends under way: a PATCH has 10 s for everything. */
  restartMs: number
  /**
   * Contract, "Connection events": a connection that is gone for longer than this is reported as
   * `disconnected`.
   */
  goneMs: number
  /** A session that has lived this long has proved itself: a minute, at 5 s a beat. */
  provenMs: number
  /** A session that was connected for this long has stayed: three minutes, at 5 s a beat. */
  stayedMs: number
  /** After this long without an unplanned end of a host, earlier ones are forgotten. */
  healthyMs: number
  /** Contract, "Presence": how often a session is shown as available, and for how long. */
  dailyPresenceEachMs: number
  dailyPresenceMs: number
  /**
   * How long the phone may take to give a message of which the network had a placeholder, until it is asked
   * again.
   */
  awaitedMs: number
  /** Contract, "Your own S3": how long after a first failure a file is put there again. */
  storeAgainMs: number
  /** How long a call waits for older messages from the phone. */
  olderMs: number
  /** How often, at most, the time of a customer's last call is written down. */
  usedEachMs: number
  /** Contract, "Usage": how long messages are counted before that is written down. */
  messageCountMs: number
  /** Contract, "Bridges": an unpaired bridge that no customer calls for this long is paused. */
  idleMs: number
}

const seconds = 1000
const minutes = 60 * seconds

export function timing(): Timing {
  const beatMs = config.LEASE_BEAT_MS
  return {
    beatMs,
    storeAwayMs: 3 * beatMs,
    commitMs: 8 * minutes,
    finishMs: 10 * seconds,
    pairingMs: 3 * minutes,
    codeMs: 15 * seconds,
    connectingMs: 5 * seconds,
    ackMs: 15 * seconds,
    deadMs: 2 * minutes,
    restartMs: 2 * seconds,
    goneMs: 10 * seconds,
    provenMs: 12 * beatMs,
    stayedMs: 36 * beatMs,
    healthyMs: 10 * minutes,
    dailyPresenceEachMs: 24 * 60 * minutes,
    dailyPresenceMs: 5 * minutes,
    awaitedMs: 10 * minutes,
    storeAgainMs: 10 * seconds,
    olderMs: 20 * seconds,
    usedEachMs: 60 * minutes,
    messageCountMs: 10 * minutes,
    idleMs: 72 * 60 * minutes,
  }
}
