import "#test/support/store.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { Delivery } from "#core/event/delivery.ts"
import { Lease } from "#core/lease/lease.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"
import { refuseUnusable } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { restoreBackup } from "#one-machine/backup/restore.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { seeded } from "#test/support/random.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"
import { admin, aFolder, aService, backUp, passphrase } from "./service.ts"

/** A backup of a service with a bridge that a host holds, and one that is paused. */
async function aBackup() {
  const service = await aService()
  await createTables(service.store.endpoint)
  const end = useStoreWithoutHttp(service.store.answer)
  try {
    const [held, paused] = [await aBridge(), await aBridge()]
    await Lease.acquire((await Lease.get(held.id))!, { id: "a host", addr: "127.0.0.1:1" })
    await Lease.stop(paused.id, "operator")
    return { ...(await backUp(service)), held: held.id, paused: paused.id, dataDir: service.dataDir }
  } finally {
    end()
  }
}

/** What is in a folder's store. */
async function inStore<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const store = await startDynamoDb({ at: { port: 0 }, path: dataDir })
  const end = useStoreWithoutHttp(store.answer)
  try {
    return await work()
  } finally {
    end()
    await store.close()
  }
}

/** All that matters in it. */
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name !== "store.lock")
const whole = ["secrets.json", "store.sqlite", "wrapping-keys.json"]

test("a restored folder is the service as it was, each bridge marked, with events far beyond any used one", async () => {
  const { path, madeMs, held, paused, dataDir: lost } = await aBackup()
  const dataDir = join(aFolder(), "data")
  expect(await restoreBackup({ dataDir, path, passphrase })).toEqual({ madeMs, bridges: 2 })

  expect(filesIn(dataDir).toSorted()).toEqual(whole)
  for (const name of ["secrets.json", "wrapping-keys.json"])
    expect(readFileSync(join(dataDir, name), "utf8")).toBe(readFileSync(join(lost, name), "utf8"))
  await inStore(dataDir, async () => {
    expect(await Lease.get(held)).toMatchObject({ host: Lease.FREE, anew: true, epoch: 3 })
    expect(await Lease.get(paused)).toMatchObject({ host: Lease.STOPPED, anew: true, stopped: ["operator"] })
    expect(Delivery.highestNumberUsed((await Delivery.get(Delivery.first(held)))!)).toBeGreaterThan(1_000_000)
  })
  const { path: again } = await backUp({ dataDir, dir: aFolder() })
  expect(again).toContain(/messaging-bridge-[0-9a-f]+/.exec(path)![0])
})

test("a folder with a store or keys or in use, and an unreadable backup, are refused, and nothing changes", async () => {
  const { path, dataDir: used } = await aBackup()
  const into = async (dataDir: string, given: { path?: string; passphrase?: string } = {}) => {
    const before = existsSync(dataDir) ? filesIn(dataDir) : []
    const said = await restoreBackup({ dataDir, path, passphrase, ...given }).then(
      () => "restored",
      (error: Error) => error.message,
    )
    expect(existsSync(dataDir) ? filesIn(dataDir) : []).toEqual(before)
    return said
  }
  expect(await into(used)).toBe(`${used} is in use by another process`)

  const full = aFolder()
  await restoreBackup({ dataDir: full, path, passphrase })
  expect(await into(full)).toContain(`${join(full, "store.sqlite")} is there already`)
  rmSync(join(full, "store.sqlite"))
  expect(await into(full)).toContain(`${join(full, "wrapping-keys.json")} is there already`)

  const empty = aFolder()
  expect(await into(empty, { passphrase: `${passphrase}!` })).toBe(`${path} was made with another passphrase`)
  expect(await into(empty, { path: "/not/there" })).toContain("/not/there cannot be read")
  const cut = join(aFolder(), "cut.backup")
  writeFileSync(cut, readFileSync(path))
  truncateSync(cut, readFileSync(path).length - 1)
  expect(await into(empty, { path: cut })).toBe(`${cut} is cut or damaged`)
})

test("asked to replace, it puts what was there aside, whole, and nothing of it is taken for its own", async () => {
  const { path } = await aBackup()
  const other = await aBackup()
  const dataDir = aFolder()
  await restoreBackup({ dataDir, path: other.path, passphrase })
  // Killed, a service leaves what it wrote last in SQLite's log.
  const db = new DatabaseSync(join(dataDir, "store.sqlite"))
  db.exec("CREATE TABLE written (last); PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO written VALUES (1)")
  for (const end of ["", "-wal"])
    copyFileSync(join(dataDir, `store.sqlite${end}`), join(dataDir, `kept${end}`))
  db.close()
  for (const end of ["", "-wal"]) renameSync(join(dataDir, `kept${end}`), join(dataDir, `store.sqlite${end}`))

  await restoreBackup({ dataDir, path, passphrase, replaces: true })
  const [aside = "", ...rest] = filesIn(dataDir).toSorted()
  expect(rest).toEqual(whole)
  expect(filesIn(join(dataDir, aside)).toSorted()).toEqual(whole)
  const kept = new DatabaseSync(join(dataDir, aside, "store.sqlite"), { readOnly: true })
  expect(kept.prepare("SELECT last FROM written").get()).toEqual({ last: 1 })
  kept.close()
  await inStore(dataDir, async () => expect(await Lease.get(other.held)).toBeUndefined())
})

test("what the log of the replaced store holds is kept when it cannot be moved into the store's file", async () => {
  const { path, dataDir: other } = await aBackup()
  const dataDir = aFolder()
  copyFileSync(join(other, "store.sqlite"), join(dataDir, "store.sqlite"))
  const db = new DatabaseSync(join(dataDir, "store.sqlite"))
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE written (last)")
  const reader = new DatabaseSync(join(dataDir, "store.sqlite"))
  reader.exec("BEGIN")
  reader.prepare("SELECT last FROM written").get()
  db.exec("INSERT INTO written VALUES (1)")
  db.close()

  await restoreBackup({ dataDir, path, passphrase, replaces: true })
  reader.close()
  const [aside = ""] = filesIn(dataDir).toSorted()
  const kept = new DatabaseSync(join(dataDir, aside, "store.sqlite"))
  expect(kept.prepare("SELECT last FROM written").get()).toEqual({ last: 1 })
  kept.close()
})

test.skipIf(!canMount())("a disk without room for it is refused, and stays as it was", async () => {
  const { path } = await aBackup()
  const disk = mountSmallDisk(8)
  onTestFinished(disk.remove)
  await expect(restoreBackup({ dataDir: disk.folder, path, passphrase })).rejects.toThrow(
    /^the disk of .* has no room for this backup: \d+ MB are free, and it takes \d+$/,
  )
  expect(filesIn(disk.folder)).toEqual([])
})

function restoring(dataDir: string, path: string): ChildProcess {
  const env = { ...bareEnvironment, DATA_DIR: dataDir, BACKUP_PASSPHRASE: passphrase }
  return spawn(process.execPath, ["admin/main.ts", "backup", "restore", path], { env, stdio: "ignore" })
}

test("killed at any time, it leaves the old folder, one that cannot start, or a whole one; redone, it ends", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = seeded(seed)
  const { path, held } = await aBackup()
  const startMs = performance.now()
  await once(restoring(aFolder(), path), "exit")
  const tookMs = performance.now() - startMs

  const dataDir = aFolder()
  const seen = new Set<string>()
  for (let round = 0; round < 4 && !existsSync(join(dataDir, "store.sqlite")); round++) {
    const child = restoring(dataDir, path)
    const ended = once(child, "exit")
    await sleep(random.between(tookMs / 3, tookMs))
    child.kill("SIGKILL")
    await ended
    seen.add(stateOf(dataDir))
  }
  // "between" would be a store without its keys, or keys that nothing refuses to begin on.
  expect([...seen], `seed ${seed}`).not.toContain("between")
  await once(restoring(dataDir, path), "exit")
  expect(filesIn(dataDir).toSorted(), `seed ${seed}`).toEqual(whole)
  await inStore(dataDir, async () => expect((await Lease.get(held))?.anew).toBe(true))
})

function stateOf(dataDir: string): string {
  const names = filesIn(dataDir)
  if (names.length === 0) return "as before"
  if (names.includes("store.sqlite")) return whole.every((name) => names.includes(name)) ? "whole" : "between"
  try {
    refuseUnusable(dataDir)
    return "between"
  } catch {
    // It refuses, with a sentence.
    return "refused"
  }
}

test("an interrupted one is taken up by the next, whichever backup that restores", async () => {
  const { path } = await aBackup()
  const dataDir = aFolder()
  await restoreBackup({ dataDir, path, passphrase })
  // As if it had ended between its last two steps.
  rmSync(join(dataDir, "store.sqlite"))
  writeFileSync(join(dataDir, "account.json"), "of the first one")
  mkdirSync(join(dataDir, "restoring"))
  const isRefused = () =>
    expect(() => refuseUnusable(dataDir)).toThrow("run `npm run admin -- backup restore` again")
  isRefused()
  // A service would begin anew here, as if there had never been one.
  await expect(restoreBackup({ dataDir, path, passphrase: `${passphrase}!` })).rejects.toThrow("passphrase")
  isRefused()
  const cut = join(aFolder(), "cut.backup")
  writeFileSync(cut, readFileSync(path).subarray(0, -1))
  await expect(restoreBackup({ dataDir, path: cut, passphrase })).rejects.toThrow("cut or damaged")
  isRefused()

  const other = await aBackup()
  await restoreBackup({ dataDir, path: other.path, passphrase })
  expect(filesIn(dataDir).toSorted()).toEqual(whole)
  await inStore(dataDir, async () => expect((await Lease.get(other.held))?.anew).toBe(true))
})

test("an operator is told what a restored service does not know, and is refused beside a stage's settings", async () => {
  const { path, madeMs } = await aBackup()
  const DATA_DIR = aFolder()
  const environment = { DATA_DIR, BACKUP_PASSPHRASE: passphrase }
  const refused = await admin({ ...environment, ACCOUNTS_TABLE: "x" }, "backup", "restore", path)
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("names a stage on AWS") })
  const restored = await admin(environment, "--json", "backup", "restore", path)
  const made_at = new Date(madeMs).toISOString()
  expect(restored.error).toContain(`This is the service as it was at ${made_at}, `)
  expect(JSON.parse(restored.out)).toEqual([{ restored: DATA_DIR, made_at, bridges: 2 }])
})
