import { randomUUID } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { MoveApiKey } from "#core/account/move-api-key.ts"
import { Person } from "#core/account/person.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { type Row, transact } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { Arrival } from "./arrival.ts"
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
        const its = about.bridges.filter(
          ({ id, accountId }) => arrivals.has(id) && accountId === line.account.id,
        )
        if (input.into === undefined && its.length > 0) await accountArrives(line, its)
        continue
      }
      const arrival = arrivals.get("left" in line ? line.left.id : line.of)
      if (!arrival) continue
      if ("row" in line) await arrival.put(tables[line.table], ofAccount(line, arrival.accountId))
      if (!("left" in line)) continue
      await arrival.end(line.left)
      const { bridge, accountId } = arrival
      imported.push({ id: bridge.id, customerRef: bridge.customerRef, accountId })
      say(`${bridge.customerRef} (${bridge.id}) has arrived, with ${arrival.rows} rows`)
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
  const named = await Bridge.find(accountId, customerRef)
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
  bridges: ListedBridge[],
): Promise<void> {
  const isHere = (await Account.get(account.id)) !== undefined
  // An account that is here keeps its keys as they are: its people may have revoked one.
  const isWanted = ({ row }: MoveApiKey.Info) =>
    !isHere || (row.bridges ?? []).some(({ id }) => bridges.some((listed) => listed.id === id))
  for (const key of keys.filter(isWanted)) await MoveApiKey.arrive(account.id, key)
  if (isHere) return
  for (const { email, role } of people) await Member.add(account.id, await Person.findOrMake(email), role)
  await transact(Account.arriving(account))
}

/** A record of an `Idempotency-Key` is found by its account. */
function ofAccount({ table, row }: Extract<Line, { row: unknown }>, accountId: string): Row {
  if (table !== "requests") return row
  const [kind, , ...rest] = String(row.pk).split("#")
  return { ...row, pk: [kind, accountId, ...rest].join("#") }
}
