import { pino, stdSerializers } from "pino"
import { expect, onTestFinished, test, vi } from "vitest"
import "#test/support/store.ts"
import { log } from "#core/platform/log.ts"
import { removeRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { dialCurrentVersion, type Version, WebVersion } from "#session-host/host/web-version.ts"
import { connect } from "#session-host/whatsapp/connect.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"

async function started(latest: () => Promise<Version>, pinned?: string) {
  const version = new WebVersion({ pinned, latest, log })
  await version.start()
  return version.current
}
const unreachable = () => Promise.reject(new Error("no way there"))

test("the current version is asked for; without an answer the last good one is used, of whatever host", async () => {
  expect(await started(unreachable)).toBeUndefined()
  expect(await started(async () => [2, 3000, 1_030_000_000])).toEqual([2, 3000, 1_030_000_000])
  expect(await started(unreachable)).toEqual([2, 3000, 1_030_000_000])
  await started(async () => [2, 3000, 1_040_000_000])
  expect(await started(unreachable)).toEqual([2, 3000, 1_040_000_000])
})

test("a first start that cannot learn the version says in its first line what is missing and what to do", async () => {
  const lines: { level: number; msg: string }[] = []
  const said = pino(
    { base: null, serializers: { error: stdSerializers.err } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  await removeRow({ TableName: tables.sessions, Key: { pk: "WHATSAPP_WEB", sk: "VERSION" } })
  const version = new WebVersion({ pinned: undefined, latest: unreachable, log: said })
  await version.start()
  expect(lines[0]).toMatchObject({ level: 50, error: { message: "no way there" } })
  expect(lines[0]!.msg).toMatch(/web\.whatsapp\.com did not say it.*probably refuses.*WHATSAPP_WEB_VERSION/)
  expect(lines).toHaveLength(1)
  expect(version.ageH).toBeGreaterThan(24 * 100)
})

test("the version's age is told in hours since the site last named it, on whichever host", async () => {
  const heard = new WebVersion({ pinned: undefined, latest: async () => [2, 3000, 7], log })
  await heard.start()
  expect(heard.ageH).toBeLessThan(1)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const other = new WebVersion({ pinned: undefined, latest: unreachable, log })
  await other.start()
  expect([heard.ageH, other.ageH].map((age) => Math.round(age!))).toEqual([10, 10])
  const pinned = new WebVersion({ pinned: "2.3000.7", latest: unreachable, log })
  await pinned.start()
  expect(pinned.ageH).toBeUndefined()
})

test("an operator's choice is taken, and the network is not asked", async () => {
  expect(await started(unreachable, "2.3000.1029999999")).toEqual([2, 3000, 1_029_999_999])
})

test("a session whose version the network finds too old asks for the current one, and connects as it", async () => {
  const network = await aNetwork()
  const versions: Version[] = [
    [2, 3000, 1],
    [2, 3000, 9],
  ]
  let asked = 0
  const webVersion = new WebVersion({
    pinned: undefined,
    latest: async () => versions[Math.min(asked++, 1)]!,
    log,
  })
  await webVersion.start()
  await network.fault({ kind: "outdated", version: "2.3000.5" })
  const dial = dialCurrentVersion((input) => connect({ ...input, url: network.url }), webVersion)
  const session = await aPairedSession(network, { connect: dial, timing: { beatMs: 4000 } })
  expect(await statusOf(session.bridge.id)).toBe("connected")
  expect(asked).toBe(2)
  expect(webVersion.current).toEqual([2, 3000, 9])
})

test("however many are refused, the current version is asked for once a minute; an operator's choice stays", async () => {
  let asked = 0
  const latest = async (): Promise<Version> => [2, 3000, ++asked]
  const version = new WebVersion({ pinned: undefined, latest, log })
  await version.start()
  await Promise.all([version.refused(), version.refused(), version.refused()])
  await version.refused()
  expect(asked).toBe(2)

  const pinned = new WebVersion({ pinned: "2.3000.7", latest, log })
  await pinned.start()
  await pinned.refused()
  expect(asked).toBe(2)
  expect(pinned.current).toEqual([2, 3000, 7])
})
