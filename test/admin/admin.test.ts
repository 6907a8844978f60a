import "#test/support/store.ts"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, onTestFinished, test } from "vitest"
import { account } from "#admin/account.ts"
import { bridge } from "#admin/bridge.ts"
import { events } from "#admin/events.ts"
import { key } from "#admin/key.ts"
import { Refused } from "#admin/verb.ts"
import { settingsOfStage, whichService } from "#admin/which-service.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { announceRunning } from "#one-machine/service/running.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { dynamoDb } from "#test/support/store.ts"
import { aScriptedHost } from "../support/scripted-host.ts"
import { aBridge } from "../support/service/bridge.ts"
import { aCustomer } from "../support/service/customer.ts"

test("an account is made without a subscription, and gets one when told so", async () => {
  const [made] = await account.create!.run(["Ada's shop"])
  expect(made).toMatchObject({ name: "Ada's shop", subscription: "none", bridges: 0, limit: 10 })
  const id = String(made!.id)
  await account.subscription!.run([id, "active"])
  await account.limit!.run([id, "25"])
  expect(await Account.get(id)).toMatchObject({ subscription: "active", bridgeLimit: 25 })
  expect(await account.list!.run([])).toContainEqual(expect.objectContaining({ id, limit: 25 }))
})

test("an account is made with its first key", async () => {
  const [made] = await account.create!.run(["Ada's shop", "active"], { key: true })
  expect(await ApiKey.verify(String(made!.key))).toMatchObject({ accountId: made!.id })
  expect(await key.list!.run([String(made!.id)])).toHaveLength(1)
})

test.for([
  ["an account without a name", account.create!, []],
  ["a subscription of no known state", account.create!, ["x", "free"]],
  ["a limit of an unknown account", account.limit!, ["nobody", "3"]],
  ["a limit that is no number", account.limit!, ["nobody", "many"]],
  ["a name of an unknown account", account.rename!, ["nobody", "The shop"]],
  ["a name that is an address", account.rename!, ["nobody", "ada@example.com"]],
  ["a key of an unknown account", key.create!, ["nobody"]],
  ["the end of an unknown key", key.revoke!, ["nobody", "nothing"]],
  ["a pause of an unknown bridge", bridge.pause!, ["nothing"]],
  ["a restart of an unknown bridge", bridge.restart!, ["nothing"]],
  ["a skip at an unknown bridge", bridge.skip!, ["nothing"]],
  ["the end of an unknown bridge", bridge.delete!, ["nothing"]],
  ["the end of an unknown account", account.delete!, ["nobody"]],
] as const)("%s is refused with a sentence", async ([, verb, args]) => {
  await expect(verb.run([...args])).rejects.toThrow(Refused)
})

test("a key opens its account until it is revoked, and is never listed whole", async () => {
  const { id } = await Account.create({ name: "keys" })
  const [made] = await key.create!.run([id, "laptop"])
  const secret = String(made!.key)
  expect(await ApiKey.verify(secret)).toMatchObject({ accountId: id })
  const [listed] = await key.list!.run([id])
  expect(listed).toMatchObject({ name: "laptop" })
  expect(JSON.stringify(listed)).not.toContain(secret.slice(-38))
  await key.revoke!.run([id, String(listed!.id)])
  expect(await ApiKey.verify(secret)).toBeUndefined()
  expect(await key.list!.run([id])).toEqual([])
})

test("a key is made for named bridges alone, which its list shows", async () => {
  const { accountId, customerRef, id } = await aBridge()
  const [made] = await key.create!.run([accountId, "till"], { bridge: [customerRef] })
  expect(await ApiKey.verify(String(made!.key))).toMatchObject({ bridges: [{ id, customerRef }] })
  expect(await key.list!.run([accountId])).toMatchObject([
    { scope: "all", customer_refs: customerRef, chats: "" },
  ])
  await expect(key.create!.run([accountId, "x"], { bridge: ["nobody"] })).rejects.toThrow("no bridge called")
})

test("a bridge is paused and woken, suspended and resumed; a pause does not end a suspension", async () => {
  const { id } = await aBridge()
  await bridge.pause!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.STOPPED, stopped: ["operator"] })
  await bridge.suspend!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.STOPPED, stopped: ["operator", "suspended"] })
  await expect(bridge.pause!.run([id])).rejects.toThrow(Refused)
  expect(await bridge.wake!.run([id])).toMatchObject([
    { still_stopped: id, why: expect.stringContaining("suspended") },
  ])
  await expect(bridge.wake!.run([id])).rejects.toThrow(Refused)
  await bridge.resume!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE })
  await bridge.pause!.run([id])
  await bridge.wake!.run([id])
  const lease = await Lease.get(id)
  expect(lease).toMatchObject({ host: Lease.FREE })
  expect(lease?.stopped).toEqual([])
  await Lease.stop(id, "customer")
  await bridge.suspend!.run([id])
  expect(await bridge.resume!.run([id])).toMatchObject([
    { still_stopped: id, why: expect.stringContaining("its own people") },
  ])
})

test("a bridge that is to skip a message is tried at once, alone and by a new session, unless it is paused", async () => {
  const { id } = await aBridge()
  const held = await aHeldLease(id)
  await Lease.release(held, { failed: true, proven: false })
  expect(await bridge.skip!.run([id])).toEqual([{ skips: id }])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE, skip: true, failures: 1, failedAt: 0 })
  const next = await aHeldLease(id)
  expect(await Lease.useSkip(held)).toBe(false)
  expect([await Lease.useSkip(next), await Lease.useSkip(next)]).toEqual([true, false])
  await bridge.pause!.run([id])
  await expect(bridge.skip!.run([id])).rejects.toThrow(Refused)
})

test("an operator may name a bridge by its reference, unless two accounts have one of that", async () => {
  const [one, other] = [await aCustomer(), await aCustomer()]
  const [customer_ref, twice] = [randomUUID(), randomUUID()]
  await one.post("/api/instances", { customer_ref })
  for (const customer of [one, other]) await customer.post("/api/instances", { customer_ref: twice })
  const { id } = (await Bridge.list(one.account.id)).find(({ customerRef }) => customerRef === customer_ref)!
  expect(await bridge.pause!.run([customer_ref])).toMatchObject([{ stopped: id }])
  expect(await bridge.wake!.run([customer_ref])).toMatchObject([{ woken: id }])
  expect(await events.undelivered!.run([customer_ref])).toEqual([])
  await expect(bridge.pause!.run([twice])).rejects.toThrow("2 accounts")
  await expect(events.undelivered!.run(["nobody's"])).rejects.toThrow("no such bridge")
})

test("an account ends with its keys, and with its bridges only where that is asked for", async () => {
  const customer = await aCustomer()
  const { id } = customer.account
  for (const customer_ref of ["one", "two"]) await customer.post("/api/instances", { customer_ref })
  const [first, second] = await Bridge.list(id)
  await expect(account.delete!.run([id])).rejects.toThrow("2 bridges")
  expect(await bridge.delete!.run([first!.id])).toEqual([{ deleted: first!.id, customer_ref: "one" }])
  expect(await Account.get(id)).toMatchObject({ bridges: 1, subscription: "active" })

  expect(await account.delete!.run([id, "all"])).toEqual([{ deleted: id, bridges: 1 }])
  // Its key is valid for a moment yet, but not even a sandbox, which does not count, is created.
  Object.assign(config, { SANDBOX: true })
  onTestFinished(() => void Object.assign(config, { SANDBOX: false }))
  const sandbox = Bridge.create({ accountId: id, customerRef: "sandbox" })
  await expect(sandbox).rejects.toMatchObject({ code: "unauthorized" })
  expect(await Lease.get(second!.id)).toMatchObject({ host: Lease.GONE })
  expect(await Account.get(id)).toBeUndefined()
  expect(await account.list!.run([])).not.toContainEqual(expect.objectContaining({ id }))
  expect((await customer.get("/api/instances")).status).toBe(401)
})

test("a sandbox is named where an account ends, and counted nowhere", async () => {
  Object.assign(config, { SANDBOX: true })
  onTestFinished(() => void Object.assign(config, { SANDBOX: false }))
  const customer = await aCustomer()
  const { id } = customer.account
  for (const customer_ref of ["one", "sandbox"]) await customer.post("/api/instances", { customer_ref })
  expect(await account.list!.run([])).toContainEqual(expect.objectContaining({ id, bridges: 1 }))
  await expect(account.delete!.run([id])).rejects.toThrow("1 bridges and a sandbox")
  expect(await account.delete!.run([id, "all"])).toEqual([{ deleted: id, bridges: 1, sandboxes: 1 }])
})

test("a bridge is restarted at its host, and moves where that does not answer", async () => {
  const { id } = await aBridge()
  await expect(bridge.restart!.run([id])).rejects.toThrow(Refused)
  const calls: string[] = []
  const host = await aScriptedHost((call, response) => {
    calls.push(call.path)
    response.writeHead(calls.length === 1 ? 204 : 500).end()
  })
  await host.take(id)
  const { epoch } = (await Lease.get(id))!
  expect(await bridge.restart!.run([id])).toEqual([{ restarted: id }])
  expect(await Lease.get(id)).toMatchObject({ epoch })
  expect(await bridge.restart!.run([id])).toEqual([{ moved: id }])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE, failures: 0 })
  expect(calls.slice(0, 2)).toEqual(["/restart", "/restart"])
})

/** `npm run admin` without npm, in an environment that names no service except the given one. */
async function admin(environment: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, ["admin/main.ts", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...bareEnvironment, DATA_DIR: "/nowhere", ...environment },
  })
  const [out, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { out, said: said.trim(), code: Number(code) }
}

const stage = {
  ...Object.fromEntries(settingsOfStage.map((name) => [name, "production".padEnd(32, "-")])),
  DASHBOARD_URL: "https://bridge.example.com",
}

test("the operator is told which service is meant, and asked where it could be either", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "admin-"))
  const server = createServer((_request, response) => response.end())
  onTestFinished(() => {
    server.close()
    rmSync(dataDir, { recursive: true })
  })
  const port = await listen(server)
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint }
  announceRunning(dataDir, { baseUrl: `http://127.0.0.1:${port}`, phonesUrl: "", environment })

  const here = await admin({ DATA_DIR: dataDir }, "account", "list")
  expect(here).toMatchObject({ code: 0, said: `on this machine: http://127.0.0.1:${port}, ${dataDir}` })
  const nothing = await admin({ DATA_DIR: dataDir }, "key", "list", "nobody")
  expect(nothing).toMatchObject({ code: 0, out: "", said: expect.stringMatching(/\nnone$/) })
  const program = await admin({ DATA_DIR: dataDir }, "--json", "account", "list")
  expect(program).toMatchObject({ code: 0, said: "" })
  expect(JSON.parse(program.out)).toBeInstanceOf(Array)
  const { id } = await aBridge()
  const deleted = await admin({ DATA_DIR: dataDir }, "--json", "bridge", "delete", id)
  expect(JSON.parse(deleted.out)).toMatchObject([{ deleted: id }])
  expect(deleted).toMatchObject({ code: 0, said: expect.stringContaining("bridge deleted") })
  const mistyped = await admin({ DATA_DIR: dataDir }, "account", "lits")
  expect(mistyped).toMatchObject({
    code: 2,
    said: expect.stringMatching(/there is no verb `account lits`: .*list/),
  })
  const either = await admin({ DATA_DIR: dataDir, ...stage }, "account", "list")
  expect(either).toMatchObject({
    code: 1,
    out: "",
    said: expect.stringMatching(/^which service\?.*new shell/),
  })
  const neither = await admin({}, "account", "list")
  expect(neither).toMatchObject({ code: 1, said: expect.stringMatching(/^no service runs on \/nowhere/) })
})

test("a service is found by itself on any data folder of the project, and named where several run", async () => {
  const project = mkdtempSync(join(tmpdir(), "project-"))
  const server = createServer((_request, response) => response.end())
  onTestFinished(() => {
    server.close()
    rmSync(project, { recursive: true })
  })
  const running = { baseUrl: `http://127.0.0.1:${await listen(server)}`, phonesUrl: "", environment: {} }
  const [live, trial] = [".data-live", ".data-trial"].map((name) => join(project, name))
  for (const folder of [join(project, ".data"), live!, trial!]) mkdirSync(folder)
  announceRunning(live!, running)
  expect((await whichService({}, project)).says).toBe(`on this machine: ${running.baseUrl}, ${live}`)
  await expect(whichService({ DATA_DIR: trial }, project)).rejects.toThrow(`no service runs on ${trial}`)
  announceRunning(trial!, running)
  await expect(whichService({}, project)).rejects.toThrow(/^which service\? .*-live or .*-trial$/)
  expect((await whichService({ DATA_DIR: trial }, project)).says).toContain(trial)
})

test.for([
  ["a part of a stage's settings", { ...stage, LOG_GROUP: "" }, /LOG_GROUP not set/],
  ["a setting that makes no sense", { ...stage, LOG_LEVEL: "loud" }, /^LOG_LEVEL: /],
] as const)("%s is one clear line", async ([, environment, sentence]) => {
  const { code, said } = await admin(environment, "account", "list")
  expect([code, said.split("\n")]).toEqual([1, [expect.stringMatching(sentence)]])
})
