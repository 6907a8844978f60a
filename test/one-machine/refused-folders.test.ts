import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { text } from "node:stream/consumers"
import { isDeepStrictEqual } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { CannotStart } from "#dynamodb-on-sqlite/cannot-start.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { refuseFolder } from "#one-machine/service/data-folder.ts"
import { readOrCreateSecrets } from "#one-machine/service/secrets.ts"
import { Settings } from "#one-machine/service/settings.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { canMount, mountSmallDisk, remountReadOnly } from "#test/support/small-disk.ts"

const isRoot = process.getuid?.() === 0

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "refused-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** What a start leaves behind that matters: keys, secrets and a store. */
async function withData(folder: string): Promise<string> {
  const keys = await startKms({
    at: { port: 0 },
    file: join(folder, "wrapping-keys.json"),
    keyIds: ["session", "delivery"],
  })
  await keys.close()
  await readOrCreateSecrets(join(folder, "secrets.json"))
  await (await startDynamoDb({ at: { port: 0 }, path: folder })).close()
  return folder
}

/** Everything in the folder, with its content and when it was changed. */
function shot(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mtimeMs, size, mode } = statSync(path)
      return { name, mtimeMs, size, mode, text: statSync(path).isFile() && readFileSync(path, "latin1") }
    })
}

/** What a start says to this folder before it begins, and what that has changed there. */
function refused(folder: string) {
  const before = shot(folder)
  const said = saidTo(folder)
  const after = shot(folder)
  const changed = after.filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
  return { said, changed: changed.map(({ name }) => name), files: after.length - before.length }
}

function saidTo(folder: string): string {
  try {
    refuseFolder(Settings.parse({ DATA_DIR: folder }))
  } catch (error) {
    if (error instanceof CannotStart) return error.message
    throw error
  }
  return "it would start"
}

/** It says this sentence, and has written nothing. */
const refusal = (said: string) => ({ said, changed: [], files: 0 })

const inSqlite = (folder: string, sql: string) => {
  const db = new DatabaseSync(join(folder, "store.sqlite"))
  db.exec(sql)
  db.close()
}

test("the folder of the former store is refused, and nothing is written there", async () => {
  const folder = aFolder()
  mkdirSync(join(folder, "dynamodb"))
  writeFileSync(join(folder, "dynamodb", "000003.log"), "rows")
  const before = shot(folder)
  const child = spawn(process.execPath, ["one-machine/start.ts"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...bareEnvironment, DATA_DIR: folder, PORT: "0", SIMULATOR_CONTROL_PORT: "0" },
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
  expect([code, said.trim()]).toEqual([
    78,
    `${folder} holds the data of a former version, which this one cannot read: ` +
      "choose another folder with DATA_DIR=..., or remove that one",
  ])
  expect(shot(folder)).toEqual(before)
})

test.for([
  [
    "of a newer format",
    "PRAGMA user_version = 3",
    "has format 3, and this version reads format 2: start the newer version that wrote it",
  ],
  ["of another program", "PRAGMA application_id = 7", "is not a store of this service"],
] as const)("a store %s is refused, and nothing is written", async ([, sql, sentence]) => {
  const folder = await withData(aFolder())
  inSqlite(folder, sql)
  expect(refused(folder)).toEqual(refusal(`${join(folder, "store.sqlite")} ${sentence}`))
})

test("what is no store at all is refused, and nothing is written", async () => {
  const folder = await withData(aFolder())
  writeFileSync(join(folder, "store.sqlite"), "something else ".repeat(1000))
  expect(refused(folder)).toEqual(
    refusal(`${join(folder, "store.sqlite")} cannot be opened: file is not a database`),
  )
})

test.for(["wrapping-keys.json", "secrets.json"])("a store without %s gets no new one", async (name) => {
  const folder = await withData(aFolder())
  const file = join(folder, name)
  const { size } = statSync(file)
  for (const length of [size >> 1, 0]) {
    truncateSync(file, length)
    expect(refused(folder)).toEqual(refusal(`${file} cannot be read, or is not whole: put back a copy of it`))
  }
  rmSync(file)
  expect(refused(folder)).toEqual(
    refusal(
      `${file} is missing, and what is stored cannot be read without it: put it back, ` +
        "or begin anew in another folder with DATA_DIR=...",
    ),
  )
})

test.for([
  ["wrapping-keys.json", '{"session":["AAAA"]}'],
  ["secrets.json", "{}"],
  ["account.json", '{"accountId":"'],
  ["network.json", '{"netw'],
  ["network.json", '{"network":"another"}'],
] as const)("a folder whose %s is %s is refused, and nothing is written", async ([name, content]) => {
  const folder = await withData(aFolder())
  const file = join(folder, name)
  writeFileSync(file, content)
  expect(refused(folder)).toEqual(refusal(`${file} cannot be read, or is not whole: put back a copy of it`))
})

/** With data; root needs a file system for it, since no mode keeps root out. */
async function aReadOnlyFolder() {
  if (isRoot) {
    const disk = mountSmallDisk(20)
    onTestFinished(disk.remove)
    await withData(disk.folder)
    remountReadOnly(disk)
    return { folder: disk.folder, why: "EROFS: read-only file system" }
  }
  const folder = await withData(aFolder())
  chmodSync(folder, 0o500)
  onTestFinished(() => chmodSync(folder, 0o700))
  return { folder, why: "EACCES: permission denied" }
}

test.skipIf(isRoot && !canMount())("a folder that cannot be written to is refused", async () => {
  const { folder, why } = await aReadOnlyFolder()
  expect(refused(folder)).toEqual(refusal(`${folder} cannot be written to: ${why}, access '${folder}'`))
})

test.skipIf(!canMount())("on a full disk a start is refused, and nothing is written", async () => {
  const disk = mountSmallDisk(20)
  onTestFinished(disk.remove)
  await withData(disk.folder)
  disk.fill(100_000)
  expect(refused(disk.folder)).toEqual(
    refusal(
      `the disk of ${disk.folder} is full: 0 MB are free, and a start needs 16. Nothing is lost: make room, then start again`,
    ),
  )
})

test("a store whose creation was cut short is made anew", async () => {
  const folder = aFolder()
  writeFileSync(join(folder, "store.sqlite"), "")
  const store = await startDynamoDb({ at: { port: 0 }, path: folder })
  await store.close()
  const db = new DatabaseSync(join(folder, "store.sqlite"))
  const settings = ["auto_vacuum", "user_version", "journal_mode"].map(
    (name) => Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0],
  )
  db.close()
  expect(settings).toEqual([2, 2, "wal"])
})
