import "#test/support/store.ts"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { bridge } from "#admin/bridge.ts"
import { events } from "#admin/events.ts"
import { Refused } from "#admin/verb.ts"
import { type Facts, sentence } from "#admin/why.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import type { KnownState } from "#core/bridge/known-state.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { HostShortage } from "#core/lease/host-shortage.ts"
import type { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { aNetwork } from "../support/network/network.ts"
import { aBridge, anAccount } from "../support/service/bridge.ts"
import { aReceiver } from "../support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "../support/session/events-and-doorbells.ts"
import { aPairedSession } from "../support/session/paired.ts"

const lease: Lease.Info = {
  bridgeId: "b",
  host: "h",
  addr: "127.0.0.1:1",
  epoch: 3,
  stopped: [],
  failures: 0,
  deaths: 0,
  provenEpoch: 3,
  failCount: 0,
  network: "live",
  used: 0,
  startedMs: 0,
  failedAt: 0,
  logins: 0,
  loginAt: 0,
  removedUntil: 0,
  moves: 0,
  choice: { ignore: [], dailyPresence: true, linkPreviews: false, messageStatus: "counts", history: false },
}
const said = (status: string): KnownState => ({ kind: "said", atMs: 1, status, phone: "", name: "" })
const host = { id: "h", state: "up" } as Host.Info // the parts that are read
const quota = {
  kind: "quota",
  why: "the limit on vCPUs",
  since: 900,
  at: 950,
  retryAt: 1010,
  failures: 2,
} as const

test.for<[string, Partial<Facts>, RegExp]>([
  ["connected", { known: said("connected") }, /^Connected\.$/],
  ["unpaired", { known: said("unpaired") }, /^Not linked\. No phone is linked/],
  ["disconnected", { known: said("disconnected") }, /connects again by itself/],
  ["at a host that does not answer for it", { known: { kind: "silent" } }, /slow to answer/],
  [
    "kept from logging in",
    { known: said("disconnected"), lease: { ...lease, logins: 6, loginAt: 999 } },
    /^its last 6 logins did not last\. The next is at 1970-01-01T00:1/,
  ],
  ["replaced", { known: said("replaced") }, /Another program signed in/],
  ["paused by hand", { lease: { ...lease, host: Lease.STOPPED, stopped: ["operator"] } }, /`bridge wake`/],
  ["suspended", { lease: { ...lease, host: Lease.STOPPED, stopped: ["suspended"] } }, /`bridge resume`/],
  ["moved", { lease: { ...lease, host: Lease.STOPPED, stopped: ["operator", "moved"] } }, /`take-back`/],
  ["deleted", { lease: { ...lease, host: Lease.GONE } }, /deleted/],
  [
    "without a host",
    { lease: { ...lease, host: Lease.FREE }, host: undefined },
    /waits for a host: one takes/,
  ],
  [
    "without a host that could be started",
    { lease: { ...lease, host: Lease.FREE }, host: undefined, shortage: quota },
    /none can be started \(quota\): the limit on vCPUs\. Tried again at 1970-01-01T00:16:50/,
  ],
  [
    "without a host because the operator stopped all",
    { lease: { ...lease, host: Lease.FREE }, host: undefined, isStopped: true, shortage: quota },
    /`host stop` keeps all hosts from starting: `host start`/,
  ],
  [
    "a suspect that waits",
    { lease: { ...lease, host: Lease.FREE, failures: 3, failedAt: 999 }, shortage: quota },
    /^its last 3 sessions .* tried again at/,
  ],
  ["at a dead host", { host: { ...host, state: "dead" } }, /host died/],
  ["at a host that drains", { host: { ...host, state: "draining" } }, /drains/],
  ["at a host that is gone", { host: undefined }, /host is gone/],
  ["held by a session that has said nothing yet", {}, /its session is starting/],
])("a bridge that is %s is told so", ([, facts, said]) => {
  const around = { lease, host, shortage: undefined, isStopped: false, known: undefined, now: 1000 }
  expect(sentence({ ...around, ...facts })).toMatch(said)
})

test("a bridge is found by its phone's number, and why it is up or down is said of the real one", async () => {
  const network = await aNetwork()
  onTestFinished(() => network.close())
  const { bridge: linked, phone, host: holder } = await aPairedSession(network)
  const found = await bridge.find!.run([`+${phone.number}`])
  expect(found).toMatchObject([{ id: linked.id, account: linked.accountId, host: holder.id }])
  expect(await bridge.find!.run(["490000000000"])).toEqual([])

  const said = Object.assign({}, ...(await bridge.why!.run([linked.id])))
  expect(said).toMatchObject({
    why: "Connected.",
    status: "connected",
    subscription: "active",
    host: holder.id,
    host_state: "up",
    shortage: "",
  })
  expect(JSON.stringify(said)).not.toContain(phone.number)

  const [byReference] = await bridge.why!.run([linked.customerRef])
  expect(byReference).toEqual({ why: "Connected." })
  await Bridge.create({ accountId: (await anAccount()).id, customerRef: linked.customerRef })
  await expect(bridge.why!.run([linked.customerRef])).rejects.toThrow("2 accounts")

  await bridge.pause!.run([linked.id])
  expect(await bridge.why!.run([linked.id])).toContainEqual({
    why: expect.stringContaining("its operator has paused it"),
  })
  await HostShortage.note("simulated", "quota", "the limit")
  onTestFinished(() => HostShortage.end("simulated"))
  await holder.stop()
  await bridge.wake!.run([linked.id])
  expect(await bridge.why!.run([linked.id])).toContainEqual({
    why: expect.stringContaining("none can be started (quota): the limit"),
  })
})

test("a deployed stage is asked by what its settings say, where no service runs on this machine", async () => {
  const made = await aBridge()
  const cloudWatch = await startCloudWatchLogs()
  onTestFinished(cloudWatch.close)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["admin/main.ts", "--json", "bridge", "why", made.id],
    {
      env: {
        ...process.env,
        DATA_DIR: "/nowhere",
        ...Object.fromEntries(
          ["Accounts", "Leases", "Sessions", "Events", "Requests"].map((name) => [
            `${name.toUpperCase()}_TABLE`,
            name,
          ]),
        ),
        LOG_GROUP: "/bridges",
        STAGE: "production",
        DASHBOARD_URL: "https://bridge.example.com",
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudWatch.endpoint,
      },
    },
  )
  expect(JSON.parse(stdout)).toContainEqual({ why: expect.stringContaining("it waits for a host") })
  expect(cloudWatch.asked).toContain("GetLogEvents")
})

test("events that were given up are listed without what is in them, and sent again", async () => {
  const receiver = await aReceiver([400, 400])
  const made = await aBridge(receiver.url)
  const { id } = made
  const outbox = await anOutbox(made)
  const ids = await outbox.append(anEvent("one"), anEvent("two"))
  await answerAll()
  const listed = await events.undelivered!.run([id])
  expect(listed.map((row) => row.event_id)).toEqual(ids)
  expect(JSON.stringify(listed)).not.toContain("one")

  expect(await events.resend!.run([id, "all"])).toHaveLength(2)
  await answerAll()
  expect(receiver.arrivals.slice(2).map(({ eventId }) => eventId)).toEqual(ids)
  expect(await events.undelivered!.run([id])).toEqual([])
  expect(await events.resend!.run([id, ids[0]!])).toMatchObject([{ event_id: ids[0] }])
})

test("of several webhooks the operator sees each, what it gave up, and sends it to that one again", async () => {
  const [good, bad] = [await aReceiver(), await aReceiver([400])]
  const made = await aBridge(good.url)
  const { webhook } = await Webhook.create(made, bad.url, {})
  const [eventId] = await (await anOutbox(made)).append(anEvent("one"))
  await answerAll()
  expect(await events.undelivered!.run([made.id])).toMatchObject([
    { event_id: eventId, webhook: webhook.webhookId },
  ])
  expect((await bridge.why!.run([made.id])).filter((row) => "webhook_id" in row)).toMatchObject([
    { webhook: good.url, webhook_id: "first", last_attempt: expect.stringContaining("200") },
    { webhook: bad.url, webhook_id: webhook.webhookId, last_attempt: expect.stringContaining("400") },
  ])
  expect(await events.resend!.run([made.id, "all"])).toEqual([])
  expect(await events.resend!.run([made.id, "all", webhook.webhookId])).toHaveLength(1)
  await answerAll()
  expect([good, bad].map(({ arrivals }) => arrivals.length)).toEqual([1, 2])
  await expect(events.resend!.run([made.id, "all", "wh_1"])).rejects.toThrow(webhook.webhookId)
})

test.for([
  ["a number that is none", bridge.find!, ["Ada"]],
  ["why of an unknown bridge", bridge.why!, ["nothing"]],
  ["events of an unknown bridge", events.undelivered!, ["nothing"]],
  ["an unknown bridge's event", events.resend!, ["nothing", "all"]],
] as const)("%s is refused with a sentence", async ([, verb, args]) => {
  await expect(verb.run([...args])).rejects.toThrow(Refused)
})
