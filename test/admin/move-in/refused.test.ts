import "#test/support/store.ts"
import { execFileSync } from "node:child_process"
import { randomInt } from "node:crypto"
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { BufferJSON } from "@whiskeysockets/baileys"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { fileOfKey } from "#admin/move-in/baileys.ts"
import { importing } from "#admin/move.ts"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { config } from "#core/platform/config.ts"
import { scan } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aFolder, letRest } from "#test/support/network/gateway.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aDevice, someCreds, someKeys, writeFolder } from "#test/support/session/baileys-folder.ts"
import { canMount, mountSmallDisk, remountReadOnly } from "#test/support/small-disk.ts"

let account = ""
let number = ""
beforeEach(async () => {
  account = (await anAccount()).id
  number = `49151${randomInt(1e7, 1e8)}`
})

const moveIn = async (where: string, more = {}) =>
  await importing({}).run(["baileys", where], { account, ...more })

/** Everything in a folder, and every row of a session. */
async function all(folder: string) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).toSorted((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )
  const texts = files.map((file) => [
    file.name,
    file.isFile() ? readFileSync(join(file.parentPath, file.name), "latin1") : "",
  ])
  const rows = [tables.sessions, tables.leases, tables.accounts].map(
    async (table) => (await Array.fromAsync(scan(table))).length,
  )
  return { texts, rows: await Promise.all(rows) }
}

/** Why nothing was imported from a folder; everything is as it was. */
async function whyNot(folder: string): Promise<string> {
  const before = await all(folder)
  const said: string[] = []
  const { error } = console
  console.error = (line: string) => said.push(line)
  try {
    const why = await moveIn(folder).then(
      (rows) => `did it: ${JSON.stringify(rows)}`,
      (reason: unknown) => String(reason),
    )
    if (!why.includes("nothing was imported")) return why
  } finally {
    console.error = error
  }
  expect(await all(folder)).toEqual(before)
  expect(said[0]).toMatch(/^1 of 1: \S+ was not imported$/)
  return said[2]?.replace(/^ {2}shop: /, "").replaceAll(folder, "<folder>") ?? ""
}

const aShop = () => join(aFolder(), "shop")

test("an account that may create no bridge gets none from another gateway either", async () => {
  const folder = writeFolder(aShop(), someCreds(number), someKeys(number))
  letRest(folder)
  await Account.setBridgeLimit(account, 1)
  await Bridge.create({ accountId: account, customerRef: "other" })
  expect(await whyNot(folder)).toBe(
    "the account may have no more bridges: its subscription is active, and it has 1 of 1. " +
      `\`account subscription ${account} active\` or \`account limit ${account} <bridges>\` changes that`,
  )
  await Account.setBridgeLimit(account, 2)
  await Account.setSubscription(account, "canceled")
  expect(await whyNot(folder)).toContain("its subscription is canceled, and it has 1 of 2")
  await Account.setSubscription(account, "active")
  expect(await whyNot(folder)).toContain("did it")
  // What is here counts no more when it is named again.
  expect(await Account.get(account)).toMatchObject({ bridges: 2 })
})

test("half a folder is refused", async () => {
  const withoutCreds = writeFolder(aShop(), undefined, someKeys(number))
  expect(await whyNot(withoutCreds)).toBe(
    "<folder>/creds.json is missing: what is there is half of a session",
  )
  const withoutKeys = writeFolder(aShop(), someCreds(number), [])
  expect(await whyNot(withoutKeys)).toBe("<folder>: it is not whole: its prekeys are missing")
})

test("credentials that were cut are refused, or without a part, or with one of another login", async () => {
  const cut = aDevice(aShop(), number)
  truncateSync(join(cut, "creds.json"), 500)
  letRest(cut)
  expect(await whyNot(cut)).toBe("<folder>/creds.json was cut, or is not JSON")
  const { noiseKey, ...rest } = someCreds(number)
  expect(await whyNot(writeFolder(aShop(), rest, someKeys(number)))).toBe(
    "<folder>: its credentials are not whole",
  )
  expect(noiseKey.public).toHaveLength(32)
  const { account: other } = someCreds(number)
  const mixed = { ...someCreds(number), account: other }
  expect(await whyNot(writeFolder(aShop(), mixed, someKeys(number)))).toBe(
    "<folder>: its credentials are those of two logins, mixed",
  )
})

test("keys of another number, or of another login of the same, are refused", async () => {
  const other = writeFolder(aShop(), someCreds(number), someKeys("4915100000001"))
  expect(await whyNot(other)).toBe("<folder>: its keys are those of another number")
  const login = { ...someCreds(number), myAppStateKeyId: "another" }
  expect(await whyNot(writeFolder(aShop(), login, someKeys(number)))).toBe(
    "<folder>: its keys are those of another login",
  )
})

test("a session that was logged out is refused", async () => {
  const { me: _, ...withoutMe } = someCreds(number)
  const { account: __, ...withoutAccount } = someCreds(number)
  for (const creds of [withoutMe, withoutAccount])
    expect(await whyNot(writeFolder(aShop(), creds, someKeys(number)))).toBe(
      "<folder>: no phone is linked to it: it was logged out, or never linked",
    )
})

test("what has changed lately, or is open, is refused: the old gateway may run", async () => {
  const folder = aDevice(aShop(), number)
  const open = openSync(join(folder, "creds.json"), "r")
  expect(await whyNot(folder)).toBe(
    `process ${process.pid} has <folder>/creds.json open: stop the gateway first`,
  )
  closeSync(open)
  utimesSync(join(folder, "pre-key-1.json"), new Date(), new Date())
  expect(await whyNot(folder)).toBe(
    "<folder>/pre-key-1.json has changed within the last minute: stop the gateway, and wait for a minute",
  )
})

test("credentials behind a symbolic link are refused, since they could not be marked; a folder is not", async () => {
  const folder = aDevice(aShop(), number)
  const creds = join(aShop(), "..", "elsewhere.json")
  renameSync(join(folder, "creds.json"), creds)
  symlinkSync(creds, join(folder, "creds.json"))
  expect(await whyNot(folder)).toBe(
    "<folder>/creds.json is a symbolic link: name the folder that it leads to",
  )
  const link = aShop()
  symlinkSync(aDevice(aShop(), number), link)
  expect(await moveIn(link)).toMatchObject([{ customer_ref: "shop" }])
  expect(readdirSync(link)).toContain("creds.json.moved")
})

test("what is no key among the keys is left out: links, pipes, folders, and prekeys without a number", async () => {
  const folder = aDevice(aShop(), number)
  symlinkSync("/nowhere", join(folder, "pre-key-77.json"))
  symlinkSync("/etc/passwd", join(folder, "session-1.0.json"))
  execFileSync("mkfifo", [join(folder, "pre-key-78.json")])
  mkdirSync(join(folder, "pre-key-79.json"))
  for (const id of ["-1", "99999999999999999999"])
    cpSync(join(folder, "pre-key-1.json"), join(folder, `pre-key-${id}.json`), { preserveTimestamps: true })
  const [row] = await moveIn(folder)
  expect(row).toMatchObject({ customer_ref: "shop" })
  expect(await rowsOf(tables.sessions, String(row?.imported))).toHaveLength(6)
  const piped = aDevice(aShop(), number)
  rmSync(join(piped, "creds.json"))
  execFileSync("mkfifo", [join(piped, "creds.json")])
  expect(await whyNot(piped)).toBe("<folder>/creds.json is no file that Baileys writes")
})

test("files of a clock that was ahead are at rest", async () => {
  const folder = aDevice(aShop(), number)
  const tomorrow = new Date(Date.now() + 86_400_000)
  utimesSync(join(folder, "creds.json"), tomorrow, tomorrow)
  expect(await moveIn(folder)).toMatchObject([{ customer_ref: "shop" }])
})

test("a name that would drive a terminal, or write a line of its own, is shown without that", async () => {
  const folder = aDevice(join(aFolder(), "x\u001b[2J\nimported: all"), number)
  const said: string[] = []
  const { error } = console
  console.error = (line: string) => said.push(line)
  const rows = await moveIn(folder)
  console.error = error
  expect(rows).toMatchObject([{ was: "x?[2J?imported: all" }])
  expect(said[0]).toMatch(/^1 of 1: x\?\[2J\?imported: all is here, as /)
})

test("a number that is here is refused, and a name that another bridge has", async () => {
  const first = aDevice(aShop(), number)
  const [row] = await moveIn(first)
  expect(await whyNot(aDevice(join(aFolder(), "shop-2"), number))).toContain(
    `its number is here already, linked to the bridge ${String(row?.imported)}`,
  )
  expect(await whyNot(aDevice(aShop(), "4915100000002"))).toBe(
    `the account ${account} has another bridge called shop, ${String(row?.imported)}: delete one of the two`,
  )
})

test("what has moved is here already; where it is not, it is refused until its mark is taken away", async () => {
  const folder = aDevice(aShop(), number)
  const [row] = await moveIn(folder)
  expect(await moveIn(folder)).toEqual([
    { here_already: row?.imported, customer_ref: "shop", account, was: "shop" },
  ])
  account = (await anAccount()).id
  await Bridge.remove((await Bridge.byId(String(row?.imported)))!)
  expect(await whyNot(folder)).toBe(
    "it has moved already: if no service has it any more, rename <folder>/creds.json.moved to creds.json",
  )
})

test("an account without a private id moves in", async () => {
  expect(await moveIn(aDevice(aShop(), number))).toMatchObject([{ customer_ref: "shop" }])
})

test("a session in one file moves in, in each form, and the file is marked", async () => {
  const byKind = (names: Record<string, string> = {}) =>
    Object.fromEntries(
      [...Map.groupBy(someKeys(number), ({ type }) => names[type] ?? type)].map(([type, keys]) => [
        type,
        Object.fromEntries(keys.map(({ id, value }) => [id, value])),
      ]),
    )
  const flat = Object.fromEntries(
    someKeys(number).map((key) => [fileOfKey(key).replace(".json", ""), key.value]),
  )
  const former = {
    "pre-key": "preKeys",
    "sender-key": "senderKeys",
    "app-state-sync-key": "appStateSyncKeys",
  }
  for (const keys of [byKind(), byKind(former), flat]) {
    number = `49155${randomInt(1e7, 1e8)}`
    const folder = aFolder()
    const creds = { ...someCreds(number), myAppStateKeyId: "AA/A" }
    const own = JSON.parse(
      JSON.stringify({ creds, keys }, BufferJSON.replacer).replaceAll(/49151\d{8}/g, number),
    )
    writeFileSync(join(folder, "till.json"), JSON.stringify(own))
    letRest(folder)
    account = (await anAccount()).id
    const [row] = await moveIn(join(folder, "till.json"))
    expect(row).toMatchObject({ customer_ref: "till" })
    expect(await rowsOf(tables.sessions, String(row?.imported))).toHaveLength(6)
    expect(readdirSync(folder)).toEqual(["till.json.moved"])
    expect(await moveIn(join(folder, "till.json"))).toMatchObject([{ here_already: row?.imported }])
  }
})

test("of 60 sessions all but three bad ones come, and a second time nothing changes", async () => {
  const folder = aFolder()
  await Account.setBridgeLimit(account, 60)
  for (let n = 0; n < 60; n++) aDevice(join(folder, `shop ${n}`), `49160${1_000_000 + n}`)
  truncateSync(join(folder, "shop 7", "creds.json"), 100)
  letRest(join(folder, "shop 7"))
  rmSync(join(folder, "shop 8", "creds.json"))
  writeFolder(join(folder, "shop 9"), { ...someCreds("49160"), me: undefined }, [])
  const rows = await moveIn(folder)
  expect(rows).toHaveLength(60)
  expect(rows.filter((row) => row.imported)).toHaveLength(57)
  expect(rows.filter((row) => row.not_imported).map((row) => row.not_imported)).toEqual([
    "shop 7",
    "shop 8",
    "shop 9",
  ])
  expect(rows.find(({ was }) => was === "shop 12")).toMatchObject({ customer_ref: "shop-12" })
  const again = await moveIn(folder)
  expect(again.filter((row) => row.here_already)).toHaveLength(57)
  expect(await Bridge.list(account)).toHaveLength(57)
}, 60_000)

test("on a disk that is nearly full nothing comes", async () => {
  const folder = aDevice(aShop(), number)
  Object.assign(config, { STORAGE_DIR: folder, STORAGE_RESERVE_MB: 1e9 })
  expect(await whyNot(folder)).toBe("the disk of this service is nearly full: make room, and import again")
})

test.skipIf(!canMount())(
  "a folder that cannot be written to is refused: it could not be marked",
  async () => {
    const disk = mountSmallDisk(4)
    onTestFinished(disk.remove)
    const folder = join(disk.folder, "shop")
    cpSync(aDevice(aShop(), number), folder, { recursive: true, preserveTimestamps: true })
    remountReadOnly(disk)
    expect(await whyNot(folder)).toBe(
      "<folder> cannot be written: its session is marked there once it is here",
    )
  },
)
