import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { checkBackup, ownBackups, readBackup } from "#one-machine/backup/backup.ts"
import { HourlyBackups } from "#one-machine/backup/hourly.ts"
import { scryptCost } from "#one-machine/backup/sealed-file.ts"
import { BackupSettings } from "#one-machine/service/settings.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"
import { until } from "#test/support/until.ts"
import { admin, aFolder, aService, backUp, passphrase } from "./service.ts"

const { N: usually } = scryptCost
beforeEach(() => void (scryptCost.N = 2))
afterAll(() => void (scryptCost.N = usually))

/** The files of a backup. */
async function unpacked(path: string): Promise<string> {
  const folder = aFolder()
  await readBackup(path, passphrase, async (_about, pieces) => {
    for await (const { name, bytes } of pieces) writeFileSync(join(folder, name), bytes, { flag: "a" })
  })
  return folder
}

test("a backup holds the store of one moment, its keys and secrets, while the service goes on writing", async () => {
  const service = await aService()
  let written = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) await service.write(++written)
  })()
  const { path } = await backUp(service)
  isOver = true
  await writing

  expect(statSync(path).mode & 0o777).toBe(0o600)
  const folder = await unpacked(path)
  expect(readdirSync(folder).toSorted()).toEqual(["secrets.json", "store.sqlite", "wrapping-keys.json"])
  for (const name of ["secrets.json", "wrapping-keys.json"])
    expect(readFileSync(join(folder, name), "utf8")).toBe(readFileSync(join(service.dataDir, name), "utf8"))
  const db = new DatabaseSync(join(folder, "store.sqlite"), { readOnly: true })
  const numbers = db.prepare('SELECT range FROM "table things"').all()
  db.close()
  // No row is missing before the last one.
  expect(numbers.map(({ range }) => Number(range)).toSorted((a, b) => a - b)).toEqual([...numbers.keys()])
  expect(numbers.length).toBeLessThanOrEqual(written + 1)
})

test("nothing readable is left: not in the backup, and no copy in the data folder", async () => {
  const service = await aService()
  const before = readdirSync(service.dataDir).toSorted()
  const { path } = await backUp(service)
  expect(readdirSync(service.dataDir).toSorted()).toEqual(before)
  const [line, ...rest] = readFileSync(path, "latin1").split("\n")
  expect(line).toMatch(/^messaging-bridge backup 1 [0-9a-f]{12}$/)
  const { hostTokenSecret } = JSON.parse(readFileSync(join(service.dataDir, "secrets.json"), "utf8"))
  for (const plain of ["SQLite format", "store.sqlite", "things", hostTokenSecret])
    expect(rest.join("\n")).not.toContain(plain)
})

test("a backup that is cut, changed, of another format or passphrase is refused with a sentence", async () => {
  const { path } = await backUp(await aService())
  await checkBackup(path, passphrase)
  await expect(checkBackup(path, `${passphrase}!`)).rejects.toThrow(
    `${path} was made with another passphrase`,
  )

  const whole = readFileSync(path)
  const other = join(aFolder(), "other.backup")
  const said = async (bytes: Uint8Array) => {
    writeFileSync(other, bytes)
    return await checkBackup(other, passphrase).then(
      () => "it is fine",
      (error: Error) => error.message,
    )
  }
  const damaged = `${other} is cut or damaged`
  for (const length of [whole.length - 1, whole.length - 16, 200, 60]) {
    expect(await said(whole.subarray(0, length))).toBe(damaged)
  }
  expect(await said(Buffer.concat([whole, Buffer.alloc(1)]))).toBe(damaged)
  for (const at of [whole.length - 1, whole.length >> 1]) {
    const flipped = Buffer.from(whole)
    flipped[at]! ^= 1
    expect(await said(flipped)).toBe(damaged)
  }
  expect(await said(Buffer.from(whole.toString("latin1").replace("backup 1", "backup 2"), "latin1"))).toBe(
    `${other} has format 2, and this version reads format 1: use the version that made it`,
  )
  expect(await said(Buffer.from("something else"))).toBe(`${other} is not a backup of this service's`)
})

test("chunks of a large store that change places, or are missing at the end, are noticed", async () => {
  const service = await aService()
  const db = new DatabaseSync(join(service.dataDir, "store.sqlite"))
  db.exec("CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (randomblob(3500000))")
  db.close()
  const { path } = await backUp(service)
  await checkBackup(path, passphrase)
  const whole = readFileSync(path)
  const header = whole.indexOf("\n") + 1 + 48
  const sealed = (1 << 20) + 16
  const chunk = (n: number) => whole.subarray(header + n * sealed, header + (n + 1) * sealed)
  const other = join(aFolder(), "other.backup")
  writeFileSync(other, Buffer.concat([whole.subarray(0, header), chunk(1), chunk(0), chunk(2), chunk(3)]))
  await expect(checkBackup(other, passphrase)).rejects.toThrow("is cut or damaged")
  writeFileSync(other, whole.subarray(0, header + 2 * sealed))
  await expect(checkBackup(other, passphrase)).rejects.toThrow("is cut or damaged")
})

test("the last ones are kept, and those of other services", async () => {
  const [service, other] = [await aService(), await aService()]
  const { path: foreign } = await backUp({ ...other, dir: service.dir })
  const made = []
  for (let n = 0; n < 3; n++) made.push(await backUp(service, 2))
  expect(await ownBackups(service.dataDir, service.dir)).toEqual(made.slice(1))
  expect(await ownBackups(other.dataDir, service.dir)).toMatchObject([{ path: foreign }])
})

test("what a process left that died during a backup is removed by the next, and never taken for a backup", async () => {
  const service = await aService()
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "exit")
  const { path } = await backUp(service)
  mkdirSync(join(service.dataDir, `backup-${child.pid}-x`))
  copyFileSync(path, `${path}.${child.pid}.part`)
  truncateSync(`${path}.${child.pid}.part`, 100)
  expect(await ownBackups(service.dataDir, service.dir)).toHaveLength(1)
  await backUp(service)
  expect(readdirSync(service.dir)).toHaveLength(2)
  expect(readdirSync(service.dataDir).filter((name) => name.startsWith("backup-"))).toEqual([])
})

test.skipIf(process.platform !== "linux")(
  "what a process left whose parent never took note of its death is removed as well",
  async () => {
    const service = await aService()
    // Its parent becomes a program that waits for no child, as the first process of a container may be.
    const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 600"])
    onTestFinished(() => void parent.kill())
    const [pid] = await once(parent.stdout, "data")
    const isZombie = () => /\) Z /.test(readFileSync(`/proc/${Number(pid)}/stat`, "utf8"))
    await until(isZombie)
    const left = `backup-${Number(pid)}-abc`
    mkdirSync(join(service.dataDir, left))
    await backUp(service)
    expect(readdirSync(service.dataDir)).not.toContain(left)
  },
)

test.skipIf(!canMount())("on a full disk the other backups stay, and so does the service", async () => {
  const service = await aService()
  const disk = mountSmallDisk(2)
  onTestFinished(disk.remove)
  const there = { ...service, dir: disk.folder }
  const { path } = await backUp(there)
  const left = async () => {
    expect(await ownBackups(service.dataDir, disk.folder)).toMatchObject([{ path }])
    expect(readdirSync(disk.folder)).toHaveLength(1)
    expect(readdirSync(service.dataDir).filter((name) => name.startsWith("backup-"))).toEqual([])
    await service.write(1)
  }
  disk.fill(10_000)
  await expect(backUp(there)).rejects.toThrow(/^the disk of .* has no room for a backup: 1 MB are free/)
  await expect(backUp(service, 48, 1e9)).rejects.toThrow("has no room for a backup")
  await left()

  // Just the store fits, without what is sealed with it.
  disk.free()
  const db = new DatabaseSync(join(service.dataDir, "store.sqlite"))
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
  disk.fill(statSync(join(service.dataDir, "store.sqlite")).size)
  await expect(backUp(there)).rejects.toThrow("the disk became full in the midst of a backup")
  await left()
})

test("an operator makes a backup at once, and lists them", async () => {
  const { dataDir: DATA_DIR, dir: BACKUP_DIR } = await aService()
  const file = join(aFolder(), "passphrase")
  writeFileSync(file, `${passphrase}\n`)
  const environment = { DATA_DIR, BACKUP_DIR, BACKUP_PASSPHRASE_FILE: file }
  const made = await admin(environment, "--json", "backup", "make")
  expect(made).toMatchObject({ code: 0, error: "" })
  const [row] = JSON.parse(made.out)
  scryptCost.N = usually
  await checkBackup(row.path, passphrase)
  expect(JSON.parse((await admin(environment, "--json", "backup", "list")).out)).toEqual([row])

  expect((await admin({ DATA_DIR, BACKUP_DIR }, "backup", "make")).error).toBe(
    "BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE, is not set: backups are sealed under it",
  )
})

test.for([
  [{ BACKUP_PASSPHRASE: "short" }, "must have at least 20 characters: `openssl rand -hex 24` makes some"],
  [{ BACKUP_PASSPHRASE_FILE: "/not/there" }, "/not/there cannot be read"],
  [
    { BACKUP_PASSPHRASE: passphrase, BACKUP_PASSPHRASE_FILE: "/not/there" },
    "goes without BACKUP_PASSPHRASE: it is one or the other",
  ],
  [{ BACKUP_KEEP: "0" }, "must be a whole number from 1"],
] as const)("the settings %o are refused with a sentence", ([given, sentence]) => {
  expect(BackupSettings.safeParse(given).error?.issues[0]?.message).toBe(sentence)
})

test("a folder for backups that cannot be made or written to is said in a sentence", async () => {
  const { dataDir } = await aService()
  const dir = join(dataDir, "secrets.json", "backups")
  await expect(backUp({ dataDir, dir })).rejects.toThrow(`${dir} cannot be written to: ENOTDIR`)
})

test("a folder without a service is not backed up", async () => {
  const dataDir = aFolder()
  await expect(backUp({ dataDir, dir: aFolder() })).rejects.toThrow(
    `${dataDir} holds no data of the service: DATA_DIR says which folder`,
  )
})

test("a backup is made each hour, retried after ten minutes, and its operator told after three hours", async () => {
  const { dataDir, dir } = await aService()
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const after = async (minutes: number) => {
    vi.setSystemTime(Date.now() + minutes * 60_000)
    backups.backUpIfDue()
    await backups.settled()
    return readdirSync(dir).length
  }
  const backups = new HourlyBackups({ dataDir, dir, passphrase, keep: 48 })
  expect([await after(0), await after(59), await after(2)]).toEqual([1, 1, 2])
  expect([backups.ageS, backups.isOld, backups.hasFailed]).toEqual([0, false, false])

  const secret = join(dataDir, "secrets.json")
  renameSync(secret, `${secret}.away`)
  await after(61)
  expect([backups.isOld, backups.hasFailed]).toEqual([false, true])
  await after(121)
  expect([backups.ageS, backups.isOld]).toEqual([182 * 60, true])
  renameSync(`${secret}.away`, secret)
  expect([await after(9), await after(2)]).toEqual([2, 3])
  expect([backups.isOld, backups.hasFailed]).toEqual([false, false])
})

test("a clock that was ahead prevents no backup: what it dated in the future is the first to go", async () => {
  const { dataDir, dir } = await aService()
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const trueMs = Date.now()
  const backups = new HourlyBackups({ dataDir, dir, passphrase, keep: 2 })
  const at = async (ms: number) => {
    vi.setSystemTime(ms)
    backups.backUpIfDue()
    await backups.settled()
    return (await ownBackups(dataDir, dir)).map(({ madeMs }) => madeMs)
  }
  const hourMs = 3_600_000
  const ahead = trueMs + 365 * 24 * hourMs
  await at(ahead)
  expect(await at(ahead + hourMs)).toEqual([ahead, ahead + hourMs])
  expect(await at(trueMs)).toEqual([ahead + hourMs, trueMs])
  expect(await at(trueMs + hourMs)).toEqual([trueMs, trueMs + hourMs])
  expect(backups.ageS).toBe(0)
})
