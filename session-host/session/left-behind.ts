import type { Choice } from "#core/bridge/choice.ts"
import { Came } from "#core/event/came.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import type { Lease } from "#core/lease/lease.ts"
import type { Logger } from "#core/platform/log.ts"
import { rowsBeginning } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { pastRow } from "../chats/keep-past.ts"
import { standingRows } from "../memory/login-standing.ts"
import { Patience } from "../memory/patience.ts"
import { SessionStore } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import { credsSk } from "../memory/vault.ts"
import type { Connection, KeysAnew } from "../network/connection.ts"
import { awaitedPrefix } from "../receive/awaited.ts"
import { pacingRow } from "../send/pacing.ts"
import { plansRow } from "../send/plans.ts"
import type { Timing } from "../timing.ts"
import { reportedRow } from "../uplink/connection-events.ts"

/** What a session gives to its memory. */
export interface MemoryInput {
  lease: Lease.Info
  timing: Timing
  log: Logger
  keysAnew: KeysAnew
  /** Aborted when the session has ended. */
  ended: AbortSignal
  /** The session's connection, while it has one. */
  connection: () => Pick<Connection, "phonesOf" | "rightsIn"> | undefined
  /**
   * The version of the running code. Each version tries again to read messages that earlier ones could not.
   */
  version: () => Promise<string>
  /** The customer's present choice. */
  choice: () => Choice.Info
  /** The store has been away for long: the socket must be closed. */
  onStoreAway: () => void
  /** The session must end. Called before any promise of its memory is rejected. */
  onEnd: (error: SessionEnded) => void
}

/** What earlier sessions of the bridge have left. */
export type LeftBehind = Awaited<ReturnType<typeof findLeftBehind>>

/** Reads what earlier sessions of the bridge left. @throws SessionEnded */
export async function findLeftBehind({ lease, timing, ended, onStoreAway }: MemoryInput) {
  const { bridgeId } = lease
  const patience = new Patience({ afterMs: timing.storeAwayMs, call: onStoreAway }, ended)
  const keys = await patience.read(() => DataKeys.get(bridgeId))
  if (!keys) throw new SessionEnded("the bridge is deleted")
  const store = new SessionStore({ bridgeId, sessionKey: keys.session, patience })
  const [rows, awaited, last, deliveries] = await Promise.all([
    store.getAll([credsSk, reportedRow, pacingRow, pastRow, plansRow, ...standingRows]),
    store.list(awaitedPrefix),
    patience.read(() => lastEventOf(bridgeId)),
    patience.read(() => Delivery.ofBridge(bridgeId)),
  ])
  return {
    store,
    patience,
    keys,
    /** Rows of the session, by `sk`: the credentials, the standing, and the last report of its connection. */
    rows: new Map(rows.map((row) => [row.sk, row])),
    /** Rows of messages that the phone is asked for (`session-host/receive/awaited.ts`). */
    awaited,
    /** The number of the bridge's next event. Rows of delivered events expire. */
    nextEvent: 1 + Math.max(last.n, ...deliveries.map((delivery) => Delivery.highestNumberUsed(delivery))),
    came: last.came,
    /** Whether events seem to wait for their delivery. */
    isToRing: deliveries.some((delivery) => last.n > delivery.head || delivery.due > 0),
  }
}

/**
 * The number of a bridge's last event row, 0 if it has none, and the messages that came on its day.
 * @throws Error for a row that is no event's
 */
async function lastEventOf(bridgeId: string): Promise<{ n: number; came?: Came.Info | undefined }> {
  const newestFirst = rowsBeginning(tables.events, `BRIDGE#${bridgeId}`, "EVENT#", {
    ScanIndexForward: false,
    Limit: 1,
  })
  for await (const row of newestFirst) return { n: EventRow.fromRow(row).n, came: Came.fromRow(row) }
  return { n: 0 }
}
