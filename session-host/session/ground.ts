import type { Choice } from "#core/bridge/choice.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import type { Lease } from "#core/lease/lease.ts"
import type { Logger } from "#core/platform/log.ts"
import { rowsBeginning } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { Commits } from "../memory/commits.ts"
import { standingRows } from "../memory/login-standing.ts"
import { Patience } from "../memory/patience.ts"
import { SessionStore, type Stored } from "../memory/rows.ts"
import { credsSk } from "../memory/vault.ts"
import type { Connection, KeysAnew } from "../network/connection.ts"
import { awaitedPrefix } from "../receive/awaited.ts"
import { pacingRow } from "../send/pacing.ts"
import type { Timing } from "../timing.ts"
import { reportedRow } from "../uplink/connection-events.ts"
import { SessionEnded } from "./session-ended.ts"

/** What a session gives to its memory. */
export interface MemoryInput {
  lease: Lease.Info
  timing: Timing
  log: Logger
  keysAnew: KeysAnew
  /** Aborted when the session has ended. */
  ended: AbortSignal
  /** The session's connection, while it has one. */
  connection: () => Pick<Connection, "phonesOf"> | undefined
  /**
   * The version of the running code. Each version tries again to read messages that earlier ones could not.
   */
  version: () => Promise<string>
  /** The customer's present choice. */
  choice: () => Choice.Info
  /** The store has been away for long: the socket must be closed. */
  onStoreAway: () => void
  /** The session must end. Called before any promise is rejected. */
  onEnd: (error: SessionEnded) => void
}

/** What earlier sessions of the bridge have left. */
export interface LeftBehind {
  store: SessionStore
  patience: Patience
  keys: DataKeys.Info
  /** Rows of the session, by `sk`: credentials, standing, and what was last said of its connection. */
  rows: Map<string, Stored>
  /** Rows of messages that the phone is asked for (`receive/awaited.ts`). */
  awaited: Stored[]
  /** The number of the bridge's last event row; 0 if it has none. */
  lastEvent: number
  deliveries: Delivery.Info[]
}

/** What each part of a session's memory may need beside other parts. */
export class Ground {
  readonly bridgeId: string
  readonly lease: Lease.Info
  readonly timing: Timing
  readonly log: Logger
  readonly store: SessionStore
  readonly patience: Patience
  readonly commits: Commits
  readonly deliveryKey: Uint8Array
  /**
   * The account, if this is its sandbox: the phone is simulated and scans each code by itself. Undefined for
   * other bridges.
   */
  readonly sandboxOf: string | undefined
  protected readonly given: MemoryInput
  protected readonly found: LeftBehind

  protected constructor(given: MemoryInput, found: LeftBehind) {
    const { lease, timing, log, onEnd } = given
    const { store, patience, keys } = found
    this.given = given
    this.found = found
    this.bridgeId = lease.bridgeId
    this.lease = lease
    this.timing = timing
    this.log = log
    this.store = store
    this.patience = patience
    this.commits = new Commits(lease, { store, patience, withinMs: timing.commitMs, onEnd })
    this.deliveryKey = keys.delivery
    this.sandboxOf = keys.sandboxOf
  }

  /** The customer's present choice. */
  get choice(): Choice.Info {
    return this.given.choice()
  }

  /** The session's connection, while it has one. */
  get connection(): Pick<Connection, "phonesOf"> | undefined {
    return this.given.connection()
  }
}

/** Reads what earlier sessions of the bridge left. @throws SessionEnded */
export async function findLeftBehind({
  lease,
  timing,
  ended,
  onStoreAway,
}: MemoryInput): Promise<LeftBehind> {
  const { bridgeId } = lease
  const patience = new Patience({ afterMs: timing.storeAwayMs, call: onStoreAway }, ended)
  const keys = await patience.read(() => DataKeys.get(bridgeId))
  if (!keys) throw new SessionEnded("the bridge is deleted")
  const store = new SessionStore({ bridgeId, sessionKey: keys.session, patience })
  const [rows, awaited, lastEvent, deliveries] = await Promise.all([
    store.getAll([credsSk, reportedRow, pacingRow, ...standingRows]),
    store.list(awaitedPrefix),
    patience.read(() => lastEventOf(bridgeId)),
    patience.read(() => Delivery.ofBridge(bridgeId)),
  ])
  return {
    store,
    patience,
    keys,
    rows: new Map(rows.map((row) => [row.sk, row])),
    awaited,
    lastEvent,
    deliveries,
  }
}

/** The number of a bridge's last event row; 0 if it has none. @throws Error for a row that is no event's */
async function lastEventOf(bridgeId: string): Promise<number> {
  const newestFirst = rowsBeginning(tables.events, `BRIDGE#${bridgeId}`, "EVENT#", {
    ScanIndexForward: false,
    Limit: 1,
  })
  for await (const row of newestFirst) return EventRow.fromRow(row).n
  return 0
}
