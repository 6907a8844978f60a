import { expect, test } from "vitest"
import type { Evidence } from "#dashboard/parts/evidence.ts"
import { Linking } from "#functions/dashboard/numbers/linking.ts"

const at = 1_795_000_000_000
const fresh = Linking.resumed(undefined)

/** What a page has seen once these codes, which expire then (seconds from `at`), came one after the other. */
function afterCodes(...expire: number[]): Linking.Info {
  let seen = fresh
  let now = 0
  for (const end of expire) {
    seen = Linking.shown(seen, at + end * 1000, at + now * 1000)
    now = end
  }
  return seen
}

test("the codes of a round are counted, the same code once, and behind the sixth the round is over", () => {
  expect(afterCodes(60).number).toBe(1)
  expect(afterCodes(60, 60, 80).number).toBe(2)
  const last = afterCodes(60, 80, 100, 120, 140, 160)
  expect([last.number, Linking.isOver(last)]).toEqual([6, false])
  expect(Linking.isOver(afterCodes(60, 80, 100, 120, 140, 160, 220))).toBe(true)
})

test("a page that comes in the middle of a round does not guess, and a new connection begins anew", () => {
  expect(afterCodes(20).number).toBe(0)
  expect(afterCodes(20, 40).number).toBe(0)
  expect(afterCodes(60, 80, 140).number).toBe(1)
})

test("a stream that comes back with its last id goes on where it was, and a wrong id is a new page", () => {
  const seen = Linking.stepped(afterCodes(60, 80), said("unpaired"), at)
  expect(Linking.resumed(Linking.idOf(seen))).toMatchObject({ number: 2, step: 0, times: [at, ...none] })
  for (const id of ["", "x", "1_2", "1_2_3_4_5_6_7_8", "<b>"]) expect(Linking.resumed(id)).toEqual(fresh)
})

const none = [undefined, undefined, undefined]
const said = (status: string): Evidence => ({ kind: "said", atMs: at, status, phone: "", name: "" })

test("each step has the time at which it was seen to come, and those before the first look have none", () => {
  const waiting = Linking.stepped(fresh, said("unpaired"), at)
  const signing = Linking.stepped(waiting, said("connecting"), at + 1000)
  const done = Linking.stepped(signing, said("connected"), at + 3000)
  expect(done.times).toEqual([at, at + 1000, at + 1000, at + 3000])
  expect(Linking.stepped(fresh, said("connected"), at).times).toEqual([])
  expect(Linking.stepped(done, said("unpaired"), at + 9000).times).toEqual([at + 9000])
})

test("near the end of a code the next one is looked for more often", () => {
  const seen = afterCodes(60)
  expect(Linking.lookAgainMs(seen, at)).toBe(400)
  expect(Linking.lookAgainMs(seen, at + 59_500)).toBeLessThan(100)
})
