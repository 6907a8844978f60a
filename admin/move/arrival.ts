import { Move } from "#core/bridge/move.ts"
import { Lease } from "#core/lease/lease.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { type Row, transact, type Write } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { rowsOfBridge } from "./export.ts"
import type { ListedBridge } from "./file.ts"

/** DynamoDB's limits for a transaction are a hundred items and 4 MB. */
const most = { writes: 90, bytes: 3_000_000 }

/** What is known of a bridge before it arrives. */
type Arriving = Pick<ListedBridge, "id" | "customerRef" | "network">

/** One bridge on its way in. Every write checks that no other import has taken over. */
export class Arrival {
  readonly bridge: Arriving
  readonly accountId: string
  /** How many rows were written. */
  rows = 0
  readonly #importId: string
  readonly #seen: Lease.Info | undefined
  #isClaimed = false
  #waiting: Write[] = []
  #bytes = 0

  constructor(
    bridge: Arriving,
    about: { accountId: string; importId: string; seen: Lease.Info | undefined },
  ) {
    this.bridge = bridge
    this.accountId = about.accountId
    this.#importId = about.importId
    this.#seen = about.seen
  }

  /** Writes a row, sooner or later. @throws Unusable when another import has taken over */
  async put(table: string, row: Row): Promise<void> {
    await this.claim()
    this.rows++
    await this.#add({ Put: { TableName: table, Item: row } })
  }

  /** All rows are written: the bridge is here. @throws Unusable */
  async end(left: Move.RowsAndKeys): Promise<void> {
    await this.claim()
    await this.#flush()
    const { accountId } = this
    if (!(await Move.arrive(left, { accountId, importId: this.#importId }))) throw this.#overtaken()
  }

  /**
   * Takes over from an import that was interrupted, and removes the rows that this one has written, or that
   * the bridge has left here before.
   * @throws Unusable
   */
  async claim(): Promise<void> {
    if (this.#isClaimed) return
    if (!DiskRoom.hasRoom())
      throw new Unusable("the disk of this service is nearly full: make room, and import again")
    const { id: bridgeId, network } = this.bridge
    if (!(await Lease.claimArrival({ bridgeId, network }, this.#seen, this.#importId)))
      throw this.#overtaken()
    this.#isClaimed = true
    for (const table of [tables.sessions, tables.events])
      for await (const { pk, sk } of rowsOfBridge(table, bridgeId))
        await this.#add({ Delete: { TableName: table, Key: { pk: String(pk), sk: String(sk) } } })
    await this.#flush()
  }

  async #add(write: Write): Promise<void> {
    this.#waiting.push(write)
    this.#bytes += sizeOf(write)
    if (this.#waiting.length === most.writes || this.#bytes > most.bytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const refused = await transact([Lease.importCheck(this.bridge.id, this.#importId), ...this.#waiting])
    if (refused) throw this.#overtaken()
    this.#waiting = []
    this.#bytes = 0
  }

  #overtaken(): Unusable {
    const { customerRef, id } = this.bridge
    return new Unusable(
      `${customerRef} (${id}) was changed by somebody else meanwhile, perhaps another import: look at it, and import again`,
    )
  }
}

/** In bytes, about. */
function sizeOf({ Put }: Write): number {
  return Put ? Object.values(Put.Item).reduce<number>((sum, value) => sum + bytesOf(value), 0) : 0
}

function bytesOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length : JSON.stringify(value).length
}
