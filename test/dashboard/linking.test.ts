import { afterEach, expect, test, vi } from "vitest"
import { type ErrorCode, errorStatus } from "#contract/error.ts"
import type { Event } from "#contract/event.ts"
import { pair, passkey, qr } from "#contract/session.ts"
import type { Objection } from "#contract/status-and-objection.ts"
import type { KnownState } from "#core/bridge/known-state.ts"
import { linkFailures } from "#dashboard/events/failure-words.ts"
import { LinkSteps } from "#dashboard/linking/link-steps.ts"
import { codePiece, refusedCard, stepOf } from "#dashboard/linking/linking-cards.ts"
import { followOfflineSync } from "#dashboard/numbers/offline-sync.ts"
import { stateLine, inWords } from "#dashboard/numbers/state-words.ts"
import { aBridge } from "../support/service/bridge.ts"
import { anEvent, anOutbox } from "../support/session/events-and-doorbells.ts"

import "#test/support/store.ts"

afterEach(() => vi.useRealTimers())

const at = 1_795_000_000_000
const fresh = LinkSteps.fromStreamId(undefined)

/** The page's state once these codes, which expire then (seconds from `at`), came one after the other. */
function afterCodes(...expire: number[]): LinkSteps.Info {
  let seen = fresh
  let now = 0
  for (const end of expire) {
    seen = LinkSteps.withCode(seen, at + end * 1000, at + now * 1000)
    now = end
  }
  return seen
}

test("the codes of a round are counted, the same code once, and behind the sixth the round is over", () => {
  expect(afterCodes(60).number).toBe(1)
  expect(afterCodes(60, 60, 80).number).toBe(2)
  const last = afterCodes(60, 80, 100, 120, 140, 160)
  expect([last.number, LinkSteps.isOver(last)]).toEqual([6, false])
  expect(LinkSteps.isOver(afterCodes(60, 80, 100, 120, 140, 160, 220))).toBe(true)
})

test("a page that comes in the middle of a round does not guess, and a new connection begins anew", () => {
  expect(afterCodes(20).number).toBe(0)
  expect(afterCodes(20, 40).number).toBe(0)
  expect(afterCodes(60, 80, 140).number).toBe(1)
})

test("a stream that comes back with its last id goes on where it was, and a wrong id is a new page", () => {
  const seen = LinkSteps.withState(afterCodes(60, 80), said("unpaired"), at)
  expect(LinkSteps.fromStreamId(LinkSteps.streamIdOf(seen))).toMatchObject({
    number: 2,
    step: 0,
    times: [at, ...none],
  })
  for (const id of ["", "x", "1_2", "1_2_3_4_5_6_7", "1_2_3_4_5_6_7_8_9", "<b>"])
    expect(LinkSteps.fromStreamId(id)).toEqual(fresh)
})

const none = [undefined, undefined, undefined, undefined]
const connectedIn = (ms: number) => ({ ...said("connected"), sinceMs: Date.now() + ms })
const said = (status: string): KnownState => ({ kind: "said", atMs: at, status, phone: "", name: "" })

test("each step has the time at which it was seen to come, and those before the first look have none", () => {
  const waiting = LinkSteps.withState(fresh, said("unpaired"), at)
  const signing = LinkSteps.withState(waiting, said("connecting"), at + 1000)
  const done = LinkSteps.withState(signing, said("connected"), at + 3000)
  expect(done.times).toEqual([at, at + 1000, at + 1000, at + 3000, at + 3000])
  expect(LinkSteps.withState(fresh, said("connected"), at).times).toEqual([])
  expect(LinkSteps.withState(done, said("unpaired"), at + 9000).times).toEqual([at + 9000])
})

test("near the end of a code the next one is looked for more often", () => {
  const seen = afterCodes(60)
  expect(LinkSteps.lookAgainMs(seen, at)).toBe(400)
  expect(LinkSteps.lookAgainMs(seen, at + 59_500)).toBeLessThan(100)
})

/** Codes that linking does not expect: one of another route, and one of a later release. */
const unexpected = ["group_full", "of_a_later_release"]

test("each refusal of a link has words on Connect, says what to do, and its code if no reader is at fault", async () => {
  for (const code of [...Object.keys(linkFailures), ...unexpected]) {
    const { title, next } = linkFailures[code as keyof typeof linkFailures] ?? linkFailures.internal_error
    const status = unexpected.includes(code) ? 500 : (errorStatus[code as ErrorCode] ?? 400)
    const isReaders = status < 500
    const scanned = codePiece("/x", { kind: "refused", code, sentence: "As the API says it." })
    const typed = refusedCard({ at: "/x", code, sentence: "As the API says it.", phone: "", digits: "4567" })
    for (const piece of [scanned, typed]) {
      const said = String(await piece)
      for (const part of [`<b>${title}.</b>`, next.split("{digits}")[0]]) expect(said).toContain(part)
      expect([code, said.includes(`<code>${code}</code>`)]).toEqual([code, !isReaders])
      // Only the API's own sentence says how long to wait.
      const isTold = !isReaders || code === "rate_limited"
      expect([code, said.includes("As the API says it.")]).toEqual([code, isTold])
    }
  }
  const all = Object.values(linkFailures)
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length)
})

test("every code that the contract names for linking has words on Connect, but those about an API key", () => {
  const answers = [qr, pair, passkey].flatMap(({ responses }) => Object.values(responses))
  const named = answers.flatMap(({ description }) =>
    [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code!),
  )
  const codes = new Set(named.filter((code) => code in errorStatus)).difference(
    new Set(["unauthorized", "forbidden"]),
  )
  expect(codes.size).toBeGreaterThan(10)
  expect([...codes.difference(new Set(Object.keys(linkFailures)))]).toEqual([])
})

test.for<[Objection, string, string]>([
  ["locked", "unpaired", "Unlock the account on its phone"],
  ["banned", "unpaired", "Its phone says whether that can be reviewed"],
  ["temporarily_banned", "disconnected", "do not link it again before"],
  ["outdated", "disconnected", "the operator has to update the service"],
  ["outdated", "connecting", "the operator has to update the service"],
])("an account that the network calls %s is %s with words of its own", ([objection, status, next]) => {
  const { tone, cause } = inWords({ kind: "said", atMs: at, status, phone: "", name: "", objection })
  expect([tone, cause]).toEqual(["bad", expect.stringContaining(next)])
})

test("a number says until when it is banned, and who unlinked its phone", async () => {
  const since = { kind: "said", atMs: at, phone: "", name: "" } as const
  const banned = { ...since, status: "disconnected", objection: "temporarily_banned" } as const
  const unlinked = { ...since, status: "unpaired", hadPhone: true } as const
  for (const [knownState, words] of [
    [{ ...banned, objection_until: 1_800_000_000 }, "2027-01-15 08:00"],
    [{ ...unlinked, unlinked: "here" }, "through the API"],
    [{ ...unlinked, unlinked: "elsewhere" }, "or by the network"],
  ] as const)
    expect(String(await stateLine(knownState))).toContain(words)
  const over = String(await stateLine({ ...banned, objection_until: 1_000_000_000 }))
  expect(over).not.toContain("It tries again on")
})

test("a session catches up from the preview to the end of what came before, and no longer than ten minutes", async () => {
  const bridge = await aBridge()
  const outbox = await anOutbox(bridge)
  const preview: Event = {
    event: "offline_sync_preview",
    total: 2,
    messages: 2,
    notifications: 0,
    receipts: 0,
    app_data_changes: 0,
  }
  const withCatchUp = followOfflineSync(bridge.id)
  const seen = async (follow: typeof withCatchUp, status: string) => {
    const knownState = await follow(said(status))
    return [stepOf(knownState), inWords(knownState).word]
  }
  vi.useFakeTimers({ toFake: ["Date"] })
  expect(await seen(withCatchUp, "connecting")).toEqual([2, "Signing in"])
  // A login that was seen may have a backlog; a page that comes later asks the events.
  expect(await seen(withCatchUp, "connected")).toEqual([3, "Catching up"])
  expect(await seen(followOfflineSync(bridge.id), "connected")).toEqual([4, "Connected"])
  await outbox.write(preview, anEvent("while it was away"))
  expect(await seen(withCatchUp, "connected")).toEqual([3, "Catching up"])
  const late = followOfflineSync(bridge.id)
  expect(await seen(late, "connected")).toEqual([3, "Catching up"])
  // A backlog of an earlier login is none of this one's.
  expect(stepOf(await followOfflineSync(bridge.id)(connectedIn(1000)))).toBe(3)
  expect(stepOf(await followOfflineSync(bridge.id)(connectedIn(60_000)))).toBe(4)
  vi.setSystemTime(Date.now() + 601_000)
  expect(await seen(late, "connected")).toEqual([4, "Connected"])
  vi.setSystemTime(Date.now() - 601_000)
  await outbox.write({ event: "offline_sync_completed", count: 2 })
  expect(await seen(withCatchUp, "connected")).toEqual([4, "Connected"])
  expect(await seen(followOfflineSync(bridge.id), "connected")).toEqual([4, "Connected"])
})

test("a session without a backlog is connected at once when told so, and after three seconds in any case", async () => {
  const bridge = await aBridge()
  const outbox = await anOutbox(bridge)
  vi.useFakeTimers({ toFake: ["Date"] })
  const [first, second] = [followOfflineSync(bridge.id), followOfflineSync(bridge.id)]
  for (const follow of [first, second]) await follow(said("connecting"))
  expect(stepOf(await second(said("connected")))).toBe(3)
  await outbox.write({ event: "offline_sync_completed", count: 0 })
  expect(stepOf(await first(said("connected")))).toBe(4)
  const untold = followOfflineSync((await aBridge()).id)
  await untold(said("connecting"))
  expect(stepOf(await untold(said("connected")))).toBe(3)
  vi.setSystemTime(Date.now() + 3001)
  expect(stepOf(await untold(said("connected")))).toBe(4)
})
