import "#test/support/store.ts"
import { createHmac } from "node:crypto"
import { expect, onTestFinished, test, vi } from "vitest"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { Troubles } from "#core/account/troubles.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { getRow, store, updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { isGenuine } from "#test/support/service/start-receiver.ts"

/** An account with a number whose phone was linked, an owner, a member and a viewer. */
async function aShop() {
  const name = crypto.randomUUID()
  const at = (who: string) => `${who}-${name}@example.com`
  const { accountId } = await findOrOpenAccount(at("owner"))
  for (const role of ["member", "viewer"] as const)
    await Member.add(accountId, (await findOrOpenAccount(at(role))).person, role)
  await Account.setSubscription(accountId, "active")
  const { bridge } = await Bridge.create({ accountId, customerRef: "shop" })
  let held = await aHeldLease(bridge.id)
  const takeAgain = async () => void (held = await aHeldLease(bridge.id))
  const report = async (status: "connected" | "unpaired" | "disconnected" | "replaced", more = {}) =>
    await Lease.reportStatus(held, { status, phone: "sealed", since: now(), epoch: held.epoch, ...more })
  const failing = async (since: number | undefined, id = Delivery.first(bridge.id)) =>
    await updateRow({
      TableName: tables.events,
      Key: Delivery.key(id),
      UpdateExpression: since === undefined ? "REMOVE failing_since" : "SET failing_since = :since",
      ...(since !== undefined && { ExpressionAttributeValues: { ":since": since } }),
    })
  /** What was mailed to whom at this look. */
  const told = async () => {
    const before = new Set(Mail.latest())
    await Troubles.report()
    return Mail.latest()
      .filter((mail) => !before.has(mail) && mail.to.includes(name))
      .map(({ to, subject }) => `${to.split("-")[0]}: ${subject}`)
      .toSorted()
  }
  return { accountId, bridgeId: bridge.id, takeAgain, report, failing, told }
}

test("owners are mailed once when a linked phone is unlinked, banned or replaced, and when it is well", async () => {
  const { bridgeId, takeAgain, report, told } = await aShop()
  await report("unpaired", { phone: undefined })
  expect(await told()).toEqual([])
  await report("connected")
  expect(await told()).toEqual([])
  await report("unpaired")
  expect(await told()).toEqual(["owner: shop: its phone was unlinked"])
  expect(await told()).toEqual([])
  await report("unpaired", { objection: "banned" })
  expect(await told()).toEqual(["owner: shop: the network has banned it"])
  await Lease.stop(bridgeId, "billing")
  expect(await told()).toEqual([])
  await Lease.wake(bridgeId, "billing")
  await takeAgain()
  await report("connected")
  expect(await told()).toEqual(["owner: shop is well again: it is over that the network has banned it"])
})

test("what may pass is told after a quarter of an hour: a lost connection, and a receiver that fails", async () => {
  const { report, failing, told } = await aShop()
  await report("disconnected", { since: now() - 800 })
  await failing(now() - 800)
  expect(await told()).toEqual([])
  await report("disconnected", { since: now() - 1000 })
  expect(await told()).toEqual(["owner: shop: it has had no connection for 15 minutes"])
  expect(Mail.latest()[0]?.text).toMatch(/What happened: \/numbers\/shop\/what-happened\?from=\d+&to=\d+/)
  await report("connected")
  await failing(now() - 1000)
  expect(await told()).toEqual(["owner: 2 changes of your numbers"])
  await failing(undefined)
  expect(await told()).toEqual([
    "owner: shop is well again: it is over that its webhook has failed for 15 minutes",
  ])
})

test("a number whose killed host is not replaced within a quarter of an hour is silent; a moved one is not", async () => {
  const { bridgeId, report, told } = await aShop()
  await report("connected")
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"] })
  const lease = (await Lease.get(bridgeId))!
  const host = { id: lease.host, addr: lease.addr }
  await Host.beat({ ...host, capacity: 1, sessions: 1, network: "simulated" })
  await Lease.freeFromDead([lease], { key: Host.key(host.id), seenVersion: 1, isBlameless: true })
  pass(800)
  expect(await told()).toEqual([])
  pass(200)
  expect(await told()).toEqual(["owner: shop: it has had no connection for 15 minutes"])
  const next = (await Lease.acquire((await Lease.get(bridgeId))!, host))!
  expect(await told()).toHaveLength(1)
  pass(1000)
  await Lease.release(next)
  expect(await told()).toEqual([])
})

test("an account chooses who is mailed, and where alerts are posted, signed; a failed post delays no mail", async () => {
  const { accountId, report, told } = await aShop()
  const receiver = await aReceiver([500])
  await expect(Troubles.setRecipients(accountId, "members", "ftp://x")).rejects.toMatchObject({
    code: "invalid_webhook_url",
  })
  await Troubles.setRecipients(accountId, "members", receiver.url)
  await report("unpaired")
  const both = ["member: shop: its phone was unlinked", "owner: shop: its phone was unlinked"]
  expect(await told()).toEqual(both)
  await Troubles.setRecipients(accountId, "nobody", receiver.url)
  await report("connected")
  expect(await told()).toEqual([])
  expect(receiver.arrivals.map(({ body }) => JSON.parse(body.toString()) as object)).toMatchObject([
    { customer_ref: "shop", trouble: "unlinked", state: "begun" },
    { customer_ref: "shop", trouble: "unlinked", state: "over" },
  ])
  const secret = (await WebhookSecret.ofBridge((await Bridge.get(accountId, "shop")).id)).secrets[0]
  for (const { headers, body } of receiver.arrivals) {
    const [, at, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers["x-webhook-signature"]))!
    expect(createHmac("sha256", secret).update(`${at}.`).update(body).digest("hex")).toBe(signature)
  }
})

test("a mail and a post that say that a webhook works again say what was sent again by itself", async () => {
  const { accountId, bridgeId, failing, told } = await aShop()
  const receiver = await aReceiver()
  await Troubles.setRecipients(accountId, "owners", receiver.url)
  await failing(now() - 1000)
  await told()
  await failing(undefined)
  const at = now() - 20
  await updateRow({
    TableName: tables.events,
    Key: Delivery.key(Delivery.first(bridgeId)),
    UpdateExpression: "SET recovered = :recovered",
    ExpressionAttributeValues: { ":recovered": { at, events: 212, left: 0, tookMs: 9100 } },
  })
  expect(await told()).toEqual([
    "owner: shop is well again: it is over that its webhook has failed for 15 minutes",
  ])
  expect(Mail.latest().map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/Back at \d\d:\d\d UTC: 212 events sent again in 9 s\. /),
  )
  expect(JSON.parse(receiver.arrivals.at(-1)!.body.toString())).toMatchObject({
    trouble: "failing",
    state: "over",
    recovered: { at, events: 212, left: 0, took_ms: 9100 },
  })
})

test("an account's webhook that fails at many bridges is one trouble, told once, and signed by itself", async () => {
  const { accountId, failing, told } = await aShop()
  const receiver = await aReceiver()
  await Troubles.setRecipients(accountId, "owners", receiver.url)
  const { webhook } = await AccountWebhook.create(accountId, receiver.urlOf("all"), {})
  const lines = [await Bridge.get(accountId, "shop")]
  for (const customerRef of ["b", "c"]) lines.push((await Bridge.create({ accountId, customerRef })).bridge)
  for (const { id } of lines) await AccountWebhook.followAt(id)
  const failAt = async (since: number | undefined) => {
    for (const { id } of lines) await failing(since, { bridgeId: id, webhookId: webhook.webhookId })
  }
  await failAt(now() - 1000)
  expect(await told()).toEqual(["owner: All numbers: the webhook of the account has failed for 15 minutes"])
  expect(await told()).toEqual([])
  await failAt(undefined)
  expect(await told()).toEqual([
    "owner: All numbers are well again: it is over that the webhook of the account has failed for 15 minutes",
  ])
  const posted = receiver.arrivals.map(({ body }) => JSON.parse(body.toString()) as object)
  const about = { webhook_id: webhook.webhookId, trouble: "failing" }
  expect(posted).toMatchObject([
    { ...about, state: "begun" },
    { ...about, state: "over" },
  ])
  const [secret] = (await Receiver.keysOf(webhook.receiver)).secrets
  for (const { headers, body } of receiver.arrivals)
    expect(isGenuine(body, String(headers["x-webhook-signature"]), secret)).toBe(true)
})

test("a look at any number of bridges that are well reads none of them, and a deleted one is forgotten", async () => {
  const { accountId, bridgeId, report, told } = await aShop()
  await report("unpaired")
  await told()
  expect(await readByALook()).toContain(bridgeId)
  await report("connected")
  await told()
  expect(await readByALook()).not.toContain(bridgeId)

  await report("unpaired")
  expect(await told()).toHaveLength(1)
  await Bridge.remove(await Bridge.get(accountId, "shop"))
  expect(await told()).toEqual([])
  const known = await getRow(tables.accounts, { pk: "TROUBLES", sk: bridgeId })
  expect(known).toBeUndefined()
})

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

/** The bridges of which a look reads anything. */
async function readByALook(): Promise<Set<string>> {
  const read = new Set<string>()
  const { send } = store
  store.send = async (request) => {
    const answer = await send(request)
    for (const id of JSON.stringify(answer).match(/(?<=BRIDGE#)[\w-]{36}/g) ?? []) read.add(id)
    return answer
  }
  await Troubles.report()
  store.send = send
  return read
}

test("while most sessions are away, nobody is told that a number is silent; who still is so later is told", async () => {
  const { report, told } = await aShop()
  await report("disconnected", { since: now() - 16 * 60 })
  const beat = { id: Host.newId(), addr: "127.0.0.1:1", capacity: 50, network: "simulated" } as const
  onTestFinished(async () => await Host.remove(beat.id))
  await Host.beat({ ...beat, sessions: 1000, up: 4 })
  expect(await told()).toEqual([])
  await Host.beat({ ...beat, sessions: 1000, up: 900 })
  expect(await told()).toEqual(["owner: shop: it has had no connection for 15 minutes"])
  // It is no news that it is over because others are away.
  await Host.beat({ ...beat, sessions: 1000, up: 4 })
  expect(await told()).toEqual([])
})
