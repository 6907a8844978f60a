import { randomUUID } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { MoveApiKey } from "#core/account/move-api-key.ts"
import { Person } from "#core/account/person.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Move } from "#core/bridge/move.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { type Row, transact, type Write } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { rowsOfBridge } from "./export.ts"
import { type ExportHeader, checkExport, type Line, type ListedBridge, readExport } from "./file.ts"

export interface Imported {
  id: string
  customerRef: string
  accountId: string
}

interface Input {
  path: string
  passphrase: string
  /**
   * The account that gets the bridges; undefined: the one that they had, which comes along if it is not here.
   */
  into?: string | undefined
}

/**
 * Bridges arrive from another service, exactly as they left it. A file that is not whole, or does not fit,
 * changes nothing. Each bridge is here, and runs, once all of it is here. An interrupted import can be
 * repeated: it goes on with the bridges that are not here yet.
 * @param say is told of the progress
 * @throws Unusable
 */
export async function importBridges(input: Input, say: (line: string) => void): Promise<Imported[]> {
  const about = await checkExport(input.path, input.passphrase)
  const arrivals = await arrivalsOf(about, input.into)
  for (const { customerRef, id } of about.bridges)
    if (!arrivals.has(id)) say(`${customerRef} (${id}) is here already`)
  if (arrivals.size === 0) throw new Unusable(`all of ${input.path} is here already`)
  const imported: Imported[] = []
  await readExport(input.path, input.passphrase, async (_about, lines) => {
    for await (const line of lines) {
      if ("account" in line) {
        const its = [...arrivals.values()].filter(({ listed }) => listed.accountId === line.account.id)
        if (input.into === undefined && its.length > 0) await accountArrives(line, its)
        continue
      }
      const arrival = arrivals.get("left" in line ? line.left.id : line.of)
      if (!arrival) continue
      if ("row" in line) await arrival.write(line)
      if (!("left" in line)) continue
      await arrival.end(line.left)
      const { listed, accountId } = arrival
      imported.push({ id: listed.id, customerRef: listed.customerRef, accountId })
      say(`${listed.customerRef} (${listed.id}) has arrived, with ${arrival.rows} rows`)
    }
  })
  return imported
}

/** The bridges that have not arrived yet, by id. @throws Unusable for one that cannot */
async function arrivalsOf(about: ExportHeader, into: string | undefined): Promise<Map<string, Arrival>> {
  if (into !== undefined && !(await Account.get(into))) throw new Unusable(`there is no account ${into} here`)
  const importId = randomUUID()
  const arrivals = new Map<string, Arrival>()
  for (const listed of about.bridges) {
    const accountId = into ?? listed.accountId
    const lease = await Lease.get(listed.id)
    if (!(await mustArrive(listed, accountId, lease))) continue
    arrivals.set(listed.id, new Arrival(listed, { accountId, importId, seen: lease }))
  }
  return arrivals
}

/** @returns false when the bridge has arrived already @throws Unusable when it cannot arrive */
async function mustArrive(
  { id, customerRef, network, moves }: ListedBridge,
  accountId: string,
  lease: Lease.Info | undefined,
): Promise<boolean> {
  const name = `${customerRef} (${id})`
  if (lease?.host === Lease.GONE)
    throw new Unusable(
      `${name} is being deleted here: try again once \`bridge why ${id}\` knows nothing of it`,
    )
  if (lease && !lease.stopped.includes("moved")) {
    if (lease.moves === moves) return false
    throw new Unusable(`${name} is here, and has not left since: nothing was imported`)
  }
  if (lease && lease.moves === moves && lease.arriving === undefined)
    throw new Unusable(
      `${name} has left this very service in that file. If no other service has it, \`take-back\` lets it run here again`,
    )
  if (lease && lease.moves > moves)
    throw new Unusable(
      `${name} has been here since that file was made, and has left again: use the newer file`,
    )
  if (network !== config.HOST_NETWORK)
    throw new Unusable(
      `${name} is on the ${network} network, and this service on the ${config.HOST_NETWORK} one`,
    )
  const before = await Bridge.byId(id)
  if (before && before.accountId !== accountId)
    throw new Unusable(
      `${name} left the account ${before.accountId} here: import it into that one, or delete what is left`,
    )
  const named = (await Bridge.list(accountId)).find((one) => one.customerRef === customerRef)
  if (named && named.id !== id)
    throw new Unusable(
      `the account ${accountId} has another bridge called ${customerRef}, ${named.id}: delete one of the two`,
    )
  return true
}

/**
 * Writes an account, after its people and keys: as long as it is not here, a repeated import brings those
 * again.
 */
async function accountArrives(
  { account, people, keys }: Extract<Line, { account: unknown }>,
  arrivals: Arrival[],
): Promise<void> {
  const isHere = (await Account.get(account.id)) !== undefined
  // An account that is here keeps its keys as they are: its people may have revoked one.
  const isWanted = ({ row }: MoveApiKey.Info) =>
    !isHere || (row.bridges ?? []).some(({ id }) => arrivals.some(({ listed }) => listed.id === id))
  for (const key of keys.filter(isWanted)) await MoveApiKey.arrive(account.id, key)
  if (isHere) return
  for (const { email, role } of people) await Member.add(account.id, await Person.findOrMake(email), role)
  await transact(Account.arriving(account))
}

/** DynamoDB's limits for a transaction are a hundred items and 4 MB. */
const most = { writes: 90, bytes: 3_000_000 }

/** One bridge on its way in. Every write checks that no other import has taken over. */
class Arrival {
  readonly listed: ListedBridge
  readonly accountId: string
  /** How many rows were written. */
  rows = 0
  readonly #importId: string
  readonly #seen: Lease.Info | undefined
  #isClaimed = false
  #waiting: Write[] = []
  #bytes = 0

  constructor(
    listed: ListedBridge,
    about: { accountId: string; importId: string; seen: Lease.Info | undefined },
  ) {
    this.listed = listed
    this.accountId = about.accountId
    this.#importId = about.importId
    this.#seen = about.seen
  }

  async write({ table, row }: Extract<Line, { row: unknown }>): Promise<void> {
    await this.#claim()
    this.rows++
    await this.#add({
      Put: { TableName: tables[table], Item: table === "requests" ? this.#ofAccount(row) : row },
    })
  }

  async end(left: Move.RowsAndKeys): Promise<void> {
    await this.#claim()
    await this.#flush()
    const { accountId } = this
    if (!(await Move.arrive(left, { accountId, importId: this.#importId }))) throw this.#overtaken()
  }

  /** Removes the rows that the bridge has left here before, or that an interrupted import has written. */
  async #claim(): Promise<void> {
    if (this.#isClaimed) return
    if (!DiskRoom.hasRoom())
      throw new Unusable("the disk of this service is nearly full: make room, and import again")
    const { id: bridgeId, network } = this.listed
    if (!(await Lease.claimArrival({ bridgeId, network }, this.#seen, this.#importId)))
      throw this.#overtaken()
    this.#isClaimed = true
    for (const table of [tables.sessions, tables.events])
      for await (const { pk, sk } of rowsOfBridge(table, bridgeId))
        await this.#add({ Delete: { TableName: table, Key: { pk: String(pk), sk: String(sk) } } })
    await this.#flush()
  }

  /** A record of an `Idempotency-Key` is found by its account. */
  #ofAccount(row: Row): Row {
    const [kind, , ...rest] = String(row.pk).split("#")
    return { ...row, pk: [kind, this.accountId, ...rest].join("#") }
  }

  async #add(write: Write): Promise<void> {
    this.#waiting.push(write)
    this.#bytes += sizeOf(write)
    if (this.#waiting.length === most.writes || this.#bytes > most.bytes) await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const refused = await transact([Lease.importCheck(this.listed.id, this.#importId), ...this.#waiting])
    if (refused) throw this.#overtaken()
    this.#waiting = []
    this.#bytes = 0
  }

  #overtaken(): Unusable {
    const { customerRef, id } = this.listed
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
