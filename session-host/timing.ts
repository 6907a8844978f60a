import { config } from "#core/config.ts"

/** How long things may take at a host, in milliseconds. */
export interface Timing {
  /** A host beats this often; after 2 without an answer it takes nothing, after 3 its sockets are closed. */
  beatMs: number
  /** A store that gives no answer for this long: the socket is closed, writes go on waiting. */
  storeAwayMs: number
  /** A commit's outcome must be known within this. A token is good for 10 minutes. */
  commitMs: number
  /** How long sends may still take when the session stops. */
  finishMs: number
  /** decisions, "Session": an unpaired session stays dialled this long after it was last asked for a code. */
  pairingMs: number
  /** decisions, "Session": how long `qr` waits for the first code. */
  codeMs: number
  /** decisions, "Errors": how long a call waits for a session that is starting and connecting, at most. */
  connectingMs: number
  /** How long a restart waits for sends that are under way: a PATCH has 10 s for all of it. */
  restartMs: number
  /** decisions, "Session": a connection gone for longer than this is told as `disconnected`. */
  goneMs: number
  /** A session that lived this long has proved itself: a minute, at 5 s a beat. */
  provenMs: number
  /** A session that was connected for this long has stayed: three minutes, at 5 s a beat. */
  stayedMs: number
  /** decisions, "Bridges": after so long without an unplanned end the earlier ones are history. */
  healthyMs: number
  /** How often at most the last call of a customer is written down. */
  usedEachMs: number
  /** decisions, "Bridges": a bridge that is unpaired and that nobody calls for so long is paused. */
  idleMs: number
}

const seconds = 1000
const minutes = 60 * seconds

export function timing(beatMs = config.LEASE_BEAT_MS): Timing {
  return {
    beatMs,
    storeAwayMs: 3 * beatMs,
    commitMs: 8 * minutes,
    finishMs: 10 * seconds,
    pairingMs: 3 * minutes,
    codeMs: 15 * seconds,
    connectingMs: 5 * seconds,
    restartMs: 2 * seconds,
    goneMs: 10 * seconds,
    provenMs: 12 * beatMs,
    stayedMs: 36 * beatMs,
    healthyMs: 10 * minutes,
    usedEachMs: 60 * minutes,
    idleMs: 72 * 60 * minutes,
  }
}
