import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import "#test/support/store.ts"
import { SessionStatus } from "#contract/session.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { config } from "#core/platform/config.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { call, eventsOfType, statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
config.LOG_DIR = folder
afterAll(() => rmSync(folder, { recursive: true }))

/** A linked session that has to log in, and whose next logins are refused like this. */
async function refused(fault: { code: number; expire?: number; times?: number }) {
  const network = await aNetwork()
  const dialledAt: number[] = []
  const session = await aPairedSession(network, {
    timing: { beatMs: 1000, goneMs: 1500 },
    connect: (input) => {
      dialledAt.push(performance.now())
      return connect({ ...input, url: network.url })
    },
  })
  const { bridge, phone, end } = session
  await eventsOfType(bridge.id, "connected")
  dialledAt.length = 0
  await network.fault({ kind: "refuse_login", device: `${phone.number}:1`, ...fault })
  await end("cut")
  return {
    ...session,
    dialledAt,
    said: async () => SessionStatus.parse(await (await call(bridge.id, "GET", "/status")).json()),
    disconnected: async () => (await eventsOfType(bridge.id, "disconnected"))[0]!,
    /** Resolves when its customer can read this text in the bridge's log. */
    logs: (text: string) =>
      until(async () => {
        for await (const lines of BridgeLog.follow(bridge.id, 20))
          return lines.some((line) => line.includes(text))
        return false
      }),
  }
}

test.for([
  [401, undefined, "link it again", "session disconnected: logged_out, Connection Failure (401)"],
  [403, "locked", "locked the account", "session disconnected: logged_out, locked, Connection Failure (403)"],
  [406, "banned", "banned the account", "session disconnected: logged_out, banned, Connection Failure (406)"],
] as const)(
  "a login refused with %i unlinks, and the customer hears why",
  async ([code, objection, detail, line]) => {
    const { said, bridge, disconnected, logs } = await refused({ code })
    expect(await disconnected()).toEqual({
      event: "disconnected",
      reason: "logged_out",
      detail: expect.stringContaining(detail),
    })
    await until(async () => (await statusOf(bridge.id)) === "unpaired")
    expect((await said()).objection).toBe(objection)
    await logs(line)
  },
)

test("a client that is taken for outdated is told so, and tried again", async () => {
  const { said, disconnected, logs, dialledAt } = await refused({ code: 405 })
  expect(await disconnected()).toEqual({ event: "disconnected", detail: expect.stringContaining("outdated") })
  // A host that the machine starves ends a login by itself, and then has heard no objection to it.
  const { status } = await until(async () => {
    const now = await said()
    return now.objection === "outdated" && now
  })
  expect(status).toBe("disconnected")
  await logs("session disconnected: lost, outdated, Connection Failure (405)")
  await until(() => dialledAt.length > 2)
})

test("a temporary ban is waited out before the next dialling, and the log and the customer know", async () => {
  const { bridge, host, said, disconnected, logs, dialledAt } = await refused({
    code: 402,
    expire: 4,
    times: 1,
  })
  expect(await disconnected()).toEqual({
    event: "disconnected",
    detail: expect.stringContaining("banned the account for some time"),
  })
  await logs("session disconnected: lost, temporarily_banned, Connection Failure (402)")
  await logs("connecting again at")
  const { objection_until = 0 } = await said()
  expect(objection_until * 1000 - dialledAt[0]!).toBeGreaterThanOrEqual(4000)
  // A host that was silent for a while does the same.
  host.sessions.get(bridge.id)!.connectAgain()
  await until(async () => (await statusOf(bridge.id)) === "connected")
  for (const field of ["objection", "objection_until"]) expect(await said()).not.toHaveProperty(field)
  const [first, second] = dialledAt
  expect(dialledAt).toHaveLength(2)
  expect(second! - first!).toBeGreaterThanOrEqual(4000)
})

test("a session that is rate-limited waits for minutes before it dials, and its customer reads until when", async () => {
  const { bridge, end } = await aPairedSession(await aNetwork())
  await eventsOfType(bridge.id, "connected")
  await end("rate_limited")
  const at = await until(async () => {
    for await (const lines of BridgeLog.follow(bridge.id, 20))
      return /connecting again at (\S+)/.exec(lines.join("\n"))?.[1]
    return undefined
  })
  expect(Date.parse(at) - Date.now()).toBeGreaterThan(3 * 60_000)
  expect(await statusOf(bridge.id)).toBe("disconnected")
})
