import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { MoveApiKey } from "#core/account/move-api-key.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Move } from "#core/bridge/move.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { toItem } from "#core/store/dynamodb-json.ts"
import { type Key, query, type Row, scan } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { syncFolder } from "#dynamodb-on-sqlite/rows/sync-folder.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import release from "../../package.json" with { type: "json" }
import { type ExportHeader, checkExport, lineOf, writeExport } from "./file.ts"

export interface Exported {
  bridge: Bridge.Info
  /** How many rows the bridge has, besides those by which it is a bridge. */
  rows: number
}

/** How many bridges are stopped at once: each takes a moment, most of which is waiting. */
const stoppedAtOnce = 20

/**
 * Bridges leave this service in a new file, for `import` elsewhere, as `leaveInto` says.
 * @throws Unusable
 */
export async function exportBridges(
  { path, passphrase, bridges }: { path: string; passphrase: string; bridges: Bridge.Info[] },
  say: (line: string) => void,
): Promise<Exported[]> {
  const rows = new Map(bridges.map(({ id }) => [id, 0]))
  await leaveInto({ path, bridges, isFolder: false }, say, async (part) => {
    await writeExport(part, passphrase, contentOf(bridges, rows))
    await checkExport(part, passphrase)
  })
  return bridges.map((bridge) => ({ bridge, rows: rows.get(bridge.id)! }))
}

/**
 * Bridges leave this service: they are stopped, and then all that another program needs of them is written.
 * Once that is whole, only `take-back` lets them run here again. A failure leaves them as they were; an
 * export that was killed can be repeated. The later of two exports of a bridge has it: the earlier one can
 * neither finish nor take it back.
 * @param write writes into this new file, or folder
 * @param say is told of the progress
 * @throws Unusable
 */
export async function leaveInto(
  { path, bridges, isFolder }: { path: string; bridges: Bridge.Info[]; isFolder: boolean },
  say: (line: string) => void,
  write: (part: string) => Promise<void>,
): Promise<void> {
  if (existsSync(path)) throw isThere(path)
  for (const bridge of bridges) await mustBeHere(bridge)
  const exportId = randomUUID()
  await removeParts(path)
  const part = `${path}.${exportId}.part`
  try {
    await stopped(bridges, exportId, say)
    await write(part)
    // The bridges leave before what was written has its name. Otherwise a second export could put a bridge
    // into two files.
    for (const bridge of bridges)
      if (!(await Move.finishLeaving(bridge.id, exportId))) throw await overtaken(bridge)
    await nameIt(part, path, isFolder)
  } catch (error) {
    await rm(part, { force: true, recursive: true })
    await undo(bridges, exportId, say)
    if (errno(error) === "EEXIST") throw isThere(path)
    if (errno(error) === "ENOSPC") throw new Unusable(`the disk of ${path} became full`, { cause: error })
    if (["ENOENT", "EACCES", "EROFS"].includes(errno(error)))
      throw new Unusable(`${path} cannot be written: ${String(error)}`, { cause: error })
    throw error
  }
  // It has its name from here on, and may have been copied: nothing is taken back any more.
  try {
    syncFolder(dirname(path))
  } catch (error) {
    say(`the folder of ${path} cannot be synced, so a power cut may take it away: ${String(error)}`)
  }
}

function isThere(path: string): Unusable {
  return new Unusable(`${path} is there already: name another`)
}

/**
 * Removes what exports into this file have left that were killed. One that lives fails, and leaves its
 * bridges as they were.
 */
async function removeParts(path: string): Promise<void> {
  const folder = dirname(path)
  const names = existsSync(folder) ? await readdir(folder) : []
  const isPart = (name: string) =>
    name.startsWith(`${basename(path)}.`) && /\.[0-9a-f-]{36}\.part$/.test(name)
  for (const name of names.filter(isPart)) await rm(join(folder, name), { recursive: true })
}

/**
 * Gives a file or folder its name, unless another has it: it is made first, empty, since renaming would
 * replace another.
 */
async function nameIt(part: string, path: string, isFolder: boolean): Promise<void> {
  await (isFolder ? mkdir(path, { mode: 0o700 }) : writeFile(path, "", { flag: "wx", mode: 0o600 }))
  try {
    await rename(part, path)
  } catch (error) {
    await rm(path, { force: true, recursive: true })
    throw error
  }
}

async function undo(bridges: Bridge.Info[], exportId: string, say: (line: string) => void): Promise<void> {
  for (const bridge of bridges) await Move.undoLeaving(bridge, exportId)
  const away = (await Promise.all(bridges.map(async ({ id }) => await Lease.get(id)))).flatMap((lease, at) =>
    lease && Lease.stateOf(lease) !== "moved" ? [] : [bridges[at]!.customerRef],
  )
  const others = away.length > 0 ? `, but ${away.join(", ")}: somebody else has moved or deleted that` : ""
  say(`nothing was exported: the bridges run as before${others}`)
}

function errno(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ""
}

/**
 * @throws Unusable for a bridge that has left, or has not arrived; after an interrupted export it may leave
 * again
 */
async function mustBeHere({ id, customerRef, isSandbox }: Bridge.Info): Promise<void> {
  if (isSandbox) throw new Unusable(`${customerRef} is a sandbox: each service has its own`)
  const lease = await Lease.get(id)
  if (lease?.arriving !== undefined)
    throw new Unusable(
      `${customerRef} (${id}) has not arrived here yet: \`import\` its file again, or \`undo-import\` it`,
    )
  if (lease?.movedMs)
    throw new Unusable(
      `${customerRef} (${id}) has moved already. If its file is lost, \`take-back\` comes first`,
    )
}

/** The sentence about a bridge that another export has taken over. */
async function overtaken(bridge: Bridge.Info): Promise<Unusable> {
  await mustBeHere(bridge)
  return new Unusable(
    `${bridge.customerRef} (${bridge.id}) was changed by somebody else meanwhile, perhaps another export: look at it, and export again`,
  )
}

async function stopped(bridges: Bridge.Info[], exportId: string, say: (line: string) => void): Promise<void> {
  for (let from = 0; from < bridges.length; from += stoppedAtOnce) {
    const some = bridges.slice(from, from + stoppedAtOnce)
    const left = await Promise.allSettled(
      some.map(async (bridge) => {
        if (!(await Move.leave(bridge, exportId))) throw await overtaken(bridge)
      }),
    )
    // Not before all have ended: what left later would not be taken back.
    const failed = left.find((one) => one.status === "rejected")
    if (failed) throw failed.reason
    for (const { customerRef, id } of some) say(`${customerRef} (${id}) has stopped`)
  }
}

async function* contentOf(bridges: Bridge.Info[], rows: Map<string, number>): AsyncGenerator<Buffer> {
  yield lineOf(await aboutOf(bridges))
  for (const [accountId, its] of Map.groupBy(bridges, (bridge) => bridge.accountId))
    yield await accountOf(accountId, its)
  const line = (of: string, table: "sessions" | "events" | "requests", row: Row) => {
    rows.set(of, rows.get(of)! + 1)
    return lineOf({ of, table, row: toItem(row) })
  }
  for (const { id } of bridges)
    for (const table of ["sessions", "events"] as const)
      for await (const row of rowsOfBridge(tables[table], id))
        if (!isDelivery(row)) yield line(id, table, row)
  for await (const row of scan(tables.requests)) {
    const bridgeId = bridgeOfRecord(row)
    if (rows.has(bridgeId)) yield line(bridgeId, "requests", row)
  }
  for (const bridge of bridges) {
    const left = await Move.rowsAndKeysOf(bridge)
    const [session, delivery] = [left.keys.session, left.keys.delivery].map((key) =>
      Buffer.from(key).toString("base64"),
    )
    yield lineOf({
      left: {
        id: bridge.id,
        lease: toItem(left.lease),
        bridge: toItem(left.bridge),
        deliveries: left.deliveries.map(toItem),
        keys: { session: session!, delivery: delivery! },
      },
    })
  }
}

async function aboutOf(bridges: Bridge.Info[]): Promise<ExportHeader> {
  const listed = await Promise.all(
    bridges.map(async ({ id, customerRef, accountId }) => {
      const { network, moves } = (await Lease.get(id))! // it was stopped
      return { id, customerRef, accountId, network, moves }
    }),
  )
  return { release: release.version, madeMs: nowMs(), bridges: listed }
}

/** The account's line, with the keys that are good for these bridges. */
async function accountOf(accountId: string, bridges: Bridge.Info[]): Promise<Buffer> {
  const account = await Account.get(accountId)
  if (!account) throw new Unusable(`the account ${accountId} was deleted meanwhile`)
  const people = await Member.list(accountId)
  const keys = await MoveApiKey.leaving(accountId)
  return lineOf({
    account,
    people: people.map(({ email, role }) => ({ email, role })),
    keys: keys.filter(
      ({ row }) => row.bridges?.some((its) => bridges.some(({ id }) => id === its.id)) ?? true,
    ),
  })
}

/** Every row of a bridge in a table. */
export function rowsOfBridge(table: string, bridgeId: string): AsyncGenerator<Row> {
  return query({
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": `BRIDGE#${bridgeId}` },
  })
}

const AtKey = z.object({ pk: z.string(), sk: z.string() })

function isDelivery(row: Row): boolean {
  return Receiver.ofKey(AtKey.parse(row) satisfies Key) !== undefined
}

/** The bridge to which a record of an `Idempotency-Key` belongs; `""` for any other row. */
function bridgeOfRecord(row: Row): string {
  const [kind, , bridgeId = ""] = AtKey.parse(row).pk.split("#")
  return kind === "IDEM" ? bridgeId : ""
}
