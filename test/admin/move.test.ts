import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, afterAll, expect, onTestFinished, test } from "vitest"
import { bridge as ofBridge } from "#admin/bridge.ts"
import { exporting, importing, takeBack, undoImport } from "#admin/move.ts"
import { exportBridges } from "#admin/move/export.ts"
import { importBridges } from "#admin/move/import.ts"
import { type Row as Printed, Refused, type Verb } from "#admin/verb.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { seal } from "#core/keys/seal.ts"
import { Lease } from "#core/lease/lease.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { config, type Environment } from "#core/platform/config.ts"
import type { StoreWithoutHttp } from "#core/store/client.ts"
import { batchWrite, useStoreWithoutHttp } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { scryptCost, writeSealed as sealFile } from "#one-machine/backup/sealed-file.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { removeBridge } from "#session-host/host/remove-bridge.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aBridge, anAccount } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

const passphrase = "correct horse battery staple"
/** What the program was started with. */
let environment: Environment = { MOVE_PASSPHRASE: passphrase }

/** Another service, with a store, a pepper and wrapping keys of its own. */
let other: Awaited<ReturnType<typeof startDynamoDb>>
const pepper = randomBytes(32).toString("base64url")
const { N: usually } = scryptCost

beforeAll(async () => {
  scryptCost.N = 2
  other = await startDynamoDb({ at: { port: 0 } })
  await createTables(other.endpoint)
})
afterAll(async () => {
  scryptCost.N = usually
  await other.close()
})

/**
 * Does something at the other service. The power may be cut there: from the request after so many on, nothing
 * is done.
 */
async function elsewhere<Result>(
  work: () => Promise<Result>,
  { cutAfter = Infinity, store = other }: { cutAfter?: number; store?: { answer: StoreWithoutHttp } } = {},
): Promise<Result> {
  const { API_KEY_PEPPER, SESSION_WRAPPING_KEY, DELIVERY_WRAPPING_KEY } = config
  const end = useStoreWithoutHttp(cut(store.answer, cutAfter))
  Object.assign(config, {
    API_KEY_PEPPER: pepper,
    SESSION_WRAPPING_KEY: DELIVERY_WRAPPING_KEY,
    DELIVERY_WRAPPING_KEY: SESSION_WRAPPING_KEY,
  })
  try {
    return await work()
  } finally {
    end()
    Object.assign(config, { API_KEY_PEPPER, SESSION_WRAPPING_KEY, DELIVERY_WRAPPING_KEY })
  }
}

class PowerCut extends Error {}

/** The last request is done, and its answer lost. */
function cut(answer: StoreWithoutHttp, after: number): StoreWithoutHttp {
  let asked = 0
  return async (...request) => {
    if (asked++ >= after) throw new PowerCut()
    const answered = await answer(...request)
    if (asked > after) throw new PowerCut()
    return answered
  }
}

function aFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "move-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "bridges.export")
}

const quiet = () => {}
const leave = async (bridge: Bridge.Info, path = aFile()) => {
  await exportBridges({ path, passphrase, bridges: [bridge] }, quiet)
  return path
}
const arrive = async (path: string, into?: string) =>
  await elsewhere(async () => await importBridges({ path, passphrase, into }, quiet))

async function refused(verb: Verb, args: string[], options = {}): Promise<string> {
  return await verb.run(args, options).then(
    (rows: Printed[]) => `did it: ${JSON.stringify(rows)}`,
    (error: unknown) => {
      expect(error).toBeInstanceOf(Refused)
      return (error as Refused).message
    },
  )
}

/** What must be the same wherever the bridge is: all but its holder, and how its keys are wrapped. */
async function stateOf(id: string) {
  const events = await rowsOf(tables.events, id)
  return {
    sessions: await rowsOf(tables.sessions, id),
    events: events.filter(({ sk }) => !String(sk).startsWith("DELIVERY")),
    deliveries: (await Delivery.ofBridge(id)).map(({ head, attempts, failures, missed, batch, further }) => {
      return { head, attempts, failures, missed, batch, further }
    }),
  }
}

/** More rows than one transaction takes, sealed as a session's are. */
async function aSession(bridge: Bridge.Info, rows = 120): Promise<void> {
  const { session } = (await DataKeys.get(bridge.id))!
  const writes = Array.from({ length: rows }, (_, n) => {
    const at = { pk: `BRIDGE#${bridge.id}`, sk: `SIGNAL#${n}` }
    return { table: tables.sessions, row: { ...at, sealed: seal(session, at, `key ${n}`), n } }
  })
  await batchWrite(writes)
}

test("a bridge arrives exactly as it left, with its account, keys, people, secrets and events that wait", async () => {
  const receiver = await aReceiver()
  const account = await anAccount()
  const key = await ApiKey.create(account.id, "till")
  await Member.add(account.id, await Person.findOrMake("ada@example.com"), "owner")
  const { bridge: made } = await Bridge.create({
    accountId: account.id,
    customerRef: "till",
    webhookUrl: receiver.url,
  })
  await WebhookSecret.roll(await Webhook.get(made, "first"))
  await Webhook.create(made, `${receiver.url}/further`, { headers: { "x-key": "secret" }, batch: 5 })
  const bridge = await Bridge.get(account.id, "till")
  await aSession(bridge)
  const [id] = await (await anOutbox(bridge)).append(anEvent("it waits"))
  const claimed = await Idempotency.claim({
    accountId: account.id,
    bridgeId: bridge.id,
    key: "one",
    fingerprint: "a",
  })
  const messageId = claimed.kind === "claimed" && claimed.claim.messageId
  const [before, secrets] = [await stateOf(bridge.id), (await WebhookSecret.ofBridge(bridge.id)).secrets]

  const path = aFile()
  const exported = await exporting(environment).run([path], { bridge: ["till"] })
  expect(exported).toEqual([{ moved: bridge.id, customer_ref: "till", account: account.id, rows: 122 }])
  expect(readFileSync(path, "latin1")).not.toContain("till")
  await answerAll()
  expect(receiver.arrivals).toEqual([])

  DataKeys.forget(bridge.id)
  await elsewhere(async () => {
    const imported = await importing(environment).run([path])
    expect(imported).toEqual([{ imported: bridge.id, customer_ref: "till", account: account.id }])
    expect(await stateOf(bridge.id)).toEqual(before)
    const here = await Bridge.get(account.id, "till")
    expect((await WebhookSecret.ofBridge(here.id)).secrets).toEqual(secrets)
    expect(await ApiKey.verify(key)).toMatchObject({ accountId: account.id, scope: "all" })
    const { API_KEY_PEPPER } = config
    config.API_KEY_PEPPER = "p".repeat(32)
    expect(await ApiKey.verify(key)).toBeUndefined()
    config.API_KEY_PEPPER = API_KEY_PEPPER
    expect(await Member.list(account.id)).toMatchObject([{ email: "ada@example.com", role: "owner" }])
    expect(await Account.get(account.id)).toMatchObject({ bridges: 1, subscription: "active" })
    expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE, stopped: [], moves: 1 })
    const row = { accountId: account.id, bridgeId: bridge.id, key: "one" }
    expect(await Idempotency.messageIdOf(row)).toBe(messageId)
    const [, further] = await Webhook.list(here)
    expect((await Receiver.keysOf(further!.receiver)).headers).toEqual({ "x-key": "secret" })
    await answerAll()
    // In a batch the body alone names it.
    const named = receiver.arrivals.map(({ eventId, body }) => eventId === id || body.includes(id!))
    expect(named).toEqual([true, true])
  })
})

test("it may come to an account that is there, without its own, and its secrets and records go with it", async () => {
  const bridge = await aBridge()
  await ApiKey.create(bridge.accountId, "stays behind")
  const record = { bridgeId: bridge.id, key: "one" }
  await Idempotency.claim({ ...record, accountId: bridge.accountId, fingerprint: "a" })
  const secret = (await WebhookSecret.ofBridge(bridge.id)).secrets[0]
  const path = await leave(bridge)
  DataKeys.forget(bridge.id)
  await elsewhere(async () => {
    const { id: accountId } = await anAccount()
    expect(await refused(importing(environment), [path], { account: "nobody" })).toContain(
      "there is no account nobody here",
    )
    await importing(environment).run([path], { account: accountId })
    const here = await Bridge.get(accountId, bridge.customerRef)
    expect([here.id, (await WebhookSecret.ofBridge(here.id)).secrets[0]]).toEqual([bridge.id, secret])
    expect(await Account.get(bridge.accountId)).toBeUndefined()
    expect(await ApiKey.list(accountId)).toEqual([])
    expect(await Idempotency.messageIdOf({ ...record, accountId })).toBeTypeOf("string")
    expect(await DataKeys.get(bridge.id)).toBeDefined()
  })
})

test("a webhook of the account that it comes to gets what happens from then on, and nothing from before", async () => {
  const own = await aReceiver()
  const bridge = await aBridge(own.url)
  await AccountWebhook.create(bridge.accountId, own.urlOf("all"), {})
  await (await anOutbox(bridge)).append(anEvent("before"))
  await answerAll()
  expect(own.arrivals).toHaveLength(2)
  const path = await leave(bridge)
  await elsewhere(async () => {
    const { id: accountId } = await anAccount()
    const all = await aReceiver()
    const { webhook } = await AccountWebhook.create(accountId, all.url, {})
    // It is older than all that the bridge brings along.
    await Delivery.update(webhook, {
      UpdateExpression: "SET created_at = :long_ago",
      ExpressionAttributeValues: { ":long_ago": 1 },
    })
    await importing(environment).run([path], { account: accountId })
    const here = await Bridge.get(accountId, bridge.customerRef)
    await (await anOutbox(here, 1)).append(anEvent("after"))
    await answerAll()
    const told = all.arrivals.map(({ body }) => JSON.parse(body.toString()) as object)
    expect(told).toMatchObject([{ body: "after", customer_ref: bridge.customerRef }])
    expect(own.arrivals).toHaveLength(3)
    expect((await Delivery.get(Delivery.first(here.id)))!.further).toEqual([webhook.webhookId])
  })
})

test("a bridge that leaves is fenced, its holder told, a begun POST waited for, and no other one made", async () => {
  const { promise: mayAnswer, resolve } = Promise.withResolvers<void>()
  const receiver = await aReceiver([(response) => void mayAnswer.then(() => response.end())])
  const bridge = await aBridge(receiver.url)
  const held = await aHeldLease(bridge.id)
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent("one"), anEvent("two"))
  const delivering = answerAll()
  await receiver.until((all) => all.length === 1)

  let isDone = false
  const leaving = leave(bridge).then((path) => {
    isDone = true
    return path
  })
  await until(async () => (await Lease.get(bridge.id))?.stopped.includes("moved"))
  expect(await Lease.release(held)).toBe(false)
  expect(isDone).toBe(false)
  resolve()
  const path = await leaving
  await delivering
  expect(receiver.arrivals).toHaveLength(1)
  expect(await Delivery.get(Delivery.first(bridge.id))).toMatchObject({ head: 1, due: 0 })

  DataKeys.forget(bridge.id)
  await arrive(path)
  await elsewhere(answerAll)
  expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1, 1])
})

test("it goes there and back: what it left here before gives way, and an older file is refused", async () => {
  const bridge = await aBridge()
  await aSession(bridge, 3)
  await Lease.stop(bridge.id, "operator")
  const first = await leave(bridge)
  expect(await Lease.get(bridge.id)).toMatchObject({
    host: Lease.STOPPED,
    stopped: ["operator", "moved"],
    moves: 1,
  })
  DataKeys.forget(bridge.id)
  await arrive(first)
  expect(await refused(importing(environment), [first])).toContain("has left this very service in that file")
  const second = await elsewhere(async () => {
    expect(await refused(importing(environment), [first])).toContain("is here already")
    await batchWrite([
      { table: tables.sessions, remove: { pk: `BRIDGE#${bridge.id}`, sk: "SIGNAL#1" } },
      { table: tables.sessions, row: { pk: `BRIDGE#${bridge.id}`, sk: "SIGNAL#new", n: 4 } },
    ])
    const path = await leave(await Bridge.get(bridge.accountId, bridge.customerRef))
    expect(await refused(importing(environment), [first])).toContain("has been here since that file was made")
    return path
  })
  DataKeys.forget(bridge.id)
  await importing(environment).run([second])
  const names = (await rowsOf(tables.sessions, bridge.id)).map(({ sk }) => sk)
  expect(names).toEqual(["SIGNAL#0", "SIGNAL#2", "SIGNAL#new"])
  expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.STOPPED, stopped: ["operator"], moves: 2 })
  expect(await Account.get(bridge.accountId)).toMatchObject({ bridges: 1 })
  await Lease.wake(bridge.id, "operator")
  expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE })
})

test("to take one back is to name what it breaks; then the bridge runs, and what waits is delivered", async () => {
  const receiver = await aReceiver()
  const bridge = await aBridge(receiver.url)
  expect(await refused(takeBack, [bridge.id, bridge.customerRef])).toContain("has not left")
  await (await anOutbox(bridge)).write(anEvent("it waits"))
  await leave(bridge)
  expect(await refused(takeBack, [bridge.id])).toContain("the network lets only one of the two be connected")
  expect(await refused(takeBack, [bridge.id, "another"])).toContain("name its customer_ref")
  expect(await refused(exporting(environment), [aFile()], { bridge: [bridge.id] })).toContain(
    "has moved already",
  )
  expect(await ofBridge.wake!.run([bridge.id]).catch((error: Error) => error.message)).toContain(
    "not stopped for",
  )
  await takeBack.run([bridge.id, bridge.customerRef])
  expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE, stopped: [], anew: true })
  expect(Delivery.highestNumberUsed((await Delivery.get(Delivery.first(bridge.id)))!)).toBeGreaterThan(
    1_000_000,
  )
  await answerAll()
  expect(receiver.arrivals).toHaveLength(1)
  await leave(await Bridge.get(bridge.accountId, bridge.customerRef))
  expect(await Lease.get(bridge.id)).toMatchObject({ moves: 2 })
})

test("what cannot be exported or imported is refused with a sentence, and changes nothing", async () => {
  const [bridge, sandbox] = [await aBridge(), await aBridge()]
  const { accountId, customerRef } = bridge
  const path = aFile()
  expect(await refused(exporting(environment), [path])).toContain("say --bridge")
  expect(await refused(exporting(environment), [path], { bridge: ["nobody"] })).toContain(
    "there is no bridge nobody",
  )
  expect(await refused(exporting(environment), [join(path, "deeper")], { bridge: [bridge.id] })).toContain(
    "cannot be written",
  )
  writeFileSync(path, "somebody's")
  expect(await refused(exporting(environment), [path], { bridge: [bridge.id] })).toContain("is there already")
  config.SANDBOX = true
  const own = await Bridge.get(sandbox.accountId, "sandbox")
  config.SANDBOX = false
  expect(await refused(exporting(environment), [aFile()], { bridge: [own.id] })).toContain("is a sandbox")
  environment = {}
  expect(await refused(exporting(environment), [aFile()], { bridge: [bridge.id] })).toContain(
    "MOVE_PASSPHRASE, or MOVE_PASSPHRASE_FILE, is not set",
  )
  environment = { MOVE_PASSPHRASE: passphrase }
  expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.FREE, stopped: [] })

  rmSync(path)
  await leave(bridge, path)
  DataKeys.forget(bridge.id)
  const damaged = aFile()
  const into = async (file: string, options = {}) =>
    await elsewhere(async () => {
      const said = await refused(importing(environment), [file], options)
      expect(await Lease.get(bridge.id)).toBeUndefined()
      return said
    })
  expect(await into("/not/there")).toContain("/not/there cannot be read")
  environment = { MOVE_PASSPHRASE: `${passphrase}!` }
  expect(await into(path)).toContain("was made with another passphrase")
  environment = { MOVE_PASSPHRASE: passphrase }
  writeFileSync(damaged, readFileSync(path))
  truncateSync(damaged, readFileSync(path).length - 1)
  expect(await into(damaged)).toContain("is cut or damaged")
  const sealed = async (kind: "backup" | "export", content: string) => {
    const file = aFile()
    async function* lines() {
      yield Buffer.from(content)
    }
    await sealFile(file, { kind, passphrase, service: "ab" }, lines())
    return file
  }
  expect(await into(await sealed("backup", "x\n"))).toContain("is not an export")
  const newer = {
    release: "99.0.0",
    madeMs: 0,
    bridges: [{ id: "b", customerRef: "b", accountId: "a", network: "live", moves: 1 }],
  }
  expect(await into(await sealed("export", `${JSON.stringify(newer)}\n`))).toContain("upgrade first")
  config.HOST_NETWORK = "live"
  expect(await into(path)).toContain("is on the simulated network, and this service on the live one")
  config.HOST_NETWORK = "simulated"
  const taken = await elsewhere(async () => {
    const { id } = await anAccount()
    await Bridge.create({ accountId: id, customerRef })
    return id
  })
  expect(await into(path, { account: taken })).toContain("has another bridge called")
  expect(await arrive(path)).toMatchObject([{ id: bridge.id, accountId }])
})

test("power cut at any request of an export leaves the bridge as it was, or stopped until that is settled", async () => {
  const bridge = await elsewhere(async () => {
    const made = await aBridge()
    await aSession(made, 3)
    return made
  })
  DataKeys.forget(bridge.id)
  for (let n = 0, isDone = false; !isDone; n++) {
    isDone = await untilCut(async () => await elsewhere(async () => await leave(bridge), { cutAfter: n }))
    const isBack = await elsewhere(async () => {
      const isHere = (await Lease.get(bridge.id))?.host === Lease.FREE
      expect([n, (await Bridge.byId(bridge.id))!.isMoved]).toEqual([n, !isHere])
      // Once it is noted that the bridge has left, the file may have been copied.
      const mayRepeat = !isHere && !isDone && (await Lease.get(bridge.id))!.movedMs === 0
      if (mayRepeat && n % 2 === 0) await leave(bridge)
      return isHere || (await takeBack.run([bridge.id, bridge.customerRef])).length === 1
    })
    expect([n, isBack]).toEqual([n, true])
  }
})

/** @returns whether it ended before the power was cut @throws what else it fails with */
async function untilCut(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof PowerCut) return false
    throw error
  }
}

test("power cut at any request of an import leaves nothing that runs; repeated, it ends, once and whole", async () => {
  const { id: accountId } = await anAccount()
  await ApiKey.create(accountId, "till")
  const bridges: Bridge.Info[] = []
  for (const customerRef of ["one", "two"])
    bridges.push((await Bridge.create({ accountId, customerRef })).bridge)
  for (const bridge of bridges) await aSession(bridge, 95)
  const before = await Promise.all(bridges.map(async ({ id }) => await stateOf(id)))
  const path = aFile()
  await exportBridges({ path, passphrase, bridges }, quiet)
  for (const { id } of bridges) DataKeys.forget(id)

  for (let n = 1, isDone = false; !isDone; n++) {
    const store = await startDynamoDb({ at: { port: 0 } })
    await createTables(store.endpoint)
    const into = async () => await importBridges({ path, passphrase }, quiet)
    isDone = await untilCut(async () => await elsewhere(into, { cutAfter: n, store }))
    const look = async () => {
      for (const [at, { id }] of bridges.entries()) {
        const runs = (await Lease.get(id))?.host === Lease.FREE
        expect([n, runs]).toEqual([n, (await Bridge.byId(id))?.isMoved === false])
        expect([n, runs ? await stateOf(id) : before[at]]).toEqual([n, before[at]])
      }
      expect([n, await into().then(() => "", String)]).toEqual([n, expect.stringMatching(/^$|here already/)])
      expect(await Promise.all(bridges.map(async ({ id }) => await stateOf(id)))).toEqual(before)
      expect(await Account.get(accountId)).toMatchObject({ bridges: 2 })
      expect(await ApiKey.list(accountId)).toHaveLength(1)
    }
    await elsewhere(look, { store })
    await store.close()
  }
}, 120_000)

/** A store, where something is done before the request after so many. */
function interrupted(
  answer: StoreWithoutHttp,
  after: number,
  meanwhile: () => Promise<unknown>,
): StoreWithoutHttp {
  let asked = 0
  return async (...request) => {
    if (asked++ === after) await meanwhile()
    return await answer(...request)
  }
}

test("an import that is not repeated is listed and undone whole; it writes no more; the file may return", async () => {
  const bridge = await aBridge()
  await aSession(bridge, 300)
  const path = await leave(bridge)
  DataKeys.forget(bridge.id)
  const undo = async () => {
    expect(await undoImport.run([])).toEqual([{ arriving: bridge.id }])
    expect(await rowsOf(tables.sessions, bridge.id)).not.toEqual([])
    expect(await undoImport.run([bridge.id])).toEqual([{ undone: bridge.id }])
  }
  const answer = interrupted(other.answer, 12, undo)
  const importing = async () => await importBridges({ path, passphrase }, quiet)
  await expect(elsewhere(importing, { store: { answer } })).rejects.toThrow(
    "was changed by somebody else meanwhile",
  )
  await elsewhere(async () => {
    await removeBridge(bridge.id, "a host", new AbortController().signal)
    expect([await Lease.get(bridge.id), await rowsOf(tables.sessions, bridge.id)]).toEqual([undefined, []])
    expect(await refused(undoImport, [bridge.id])).toContain("is not arriving here")
    await importing()
    expect(await refused(undoImport, [bridge.id])).toContain("is not arriving here")
  })
})

test("of a number that comes back, an interrupted import goes whole, undone or with the deleted bridge", async () => {
  for (const end of [undoImport, ofBridge.delete!]) {
    const bridge = await aBridge()
    await aSession(bridge, 300)
    const first = await leave(bridge)
    DataKeys.forget(bridge.id)
    await arrive(first)
    const path = await elsewhere(async () => await leave(bridge))
    const ended = interrupted(dynamoDb.answer, 12, async () => {
      expect(await refused(takeBack, [bridge.id, bridge.customerRef])).toContain("or `undo-import` it")
      expect(await ofBridge.why!.run([bridge.id])).toContainEqual({
        why: expect.stringContaining("`undo-import`"),
      })
      await end.run([bridge.id])
    })
    const here = useStoreWithoutHttp(ended)
    await expect(importBridges({ path, passphrase }, quiet)).rejects.toThrow("somebody else meanwhile")
    here()
    expect(await Lease.get(bridge.id)).toMatchObject({ host: Lease.GONE })
    expect(await Bridge.byId(bridge.id)).toBeUndefined()
    expect(await Account.get(bridge.accountId)).toMatchObject({ bridges: 0 })
  }
})

test("of two imports at once one is told of the other, and writes nothing more", async () => {
  const bridge = await aBridge()
  await aSession(bridge, 300)
  const before = await stateOf(bridge.id)
  const path = await leave(bridge)
  DataKeys.forget(bridge.id)
  await elsewhere(async () => {
    const both = await Promise.allSettled(
      [1, 2].map(async () => await importBridges({ path, passphrase }, quiet)),
    )
    const won = both.filter(({ status }) => status === "fulfilled")
    expect(won.length).toBeLessThanOrEqual(1)
    if (won.length === 0) await importBridges({ path, passphrase }, quiet)
    expect(await stateOf(bridge.id)).toEqual(before)
    expect(await Account.get(bridge.accountId)).toMatchObject({ bridges: 1 })
  })
})
