import { expect, test } from "vitest"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import type { Notice } from "#session-host/network/happening.ts"
import type { Stanza } from "#session-host/network/stanza.ts"
import { newRestrictionsQuestions, restrictionsIn } from "#session-host/whatsapp/questions/restrictions.ts"

const node = (tag: string, children: Stanza[], bytes?: Uint8Array): Stanza => ({
  tag,
  attrs: {},
  children,
  ...(bytes && { bytes }),
})
const saying = (text: string) => node("iq", [node("result", [], Buffer.from(text))])
const quota = (info: unknown) => saying(JSON.stringify({ data: { xwa2_message_capping_info: info } }))
const lock = (info: unknown) =>
  saying(JSON.stringify({ data: { xwa2_fetch_account_reachout_timelock: info } }))

/**
 * A login's two questions are both answered with this: the notices, errors and unknown answers that follow.
 */
async function made(answer: () => Stanza) {
  const told: Notice[] = []
  const errors: unknown[] = []
  let unknown = 0
  const settled = Promise.withResolvers<void>()
  const end = () => told.length + errors.length + unknown >= 2 && settled.resolve()
  const { atLogin } = newRestrictionsQuestions({
    ask: async () => answer(),
    onNotice: (notice) => void (told.push(notice), end()),
    onUnknown: () => void (unknown++, end()),
    onError: (error) => void (errors.push(error), end()),
  })
  atLogin()
  await settled.promise
  return { told, errors, unknown }
}

const capped = { capping_status: "CAPPED", cycle_end_timestamp: "1800000000" }

test.for<[string, Stanza]>([
  ["nothing in it", node("iq", [])],
  ["an empty result", node("iq", [node("result", [])])],
  ["parts in place of a text", node("iq", [node("result", [node("quota", [])])])],
  ["no JSON", saying("<html>quota</html>")],
  ["half of its JSON", saying('{"data":{"xwa2_message_capping_info":{"capping_status":"CAP')],
  ["a list", saying("[]")],
  ["a number", saying("7")],
  ["no data", saying('{"data":null}')],
  ["data of another question", saying('{"data":{"xwa2_newsletter":{}}}')],
  ["a quota that is a text", quota("CAPPED")],
  ["a quota without a status", quota({ cycle_end_timestamp: "1800000000" })],
  ["a status that is a number", quota({ ...capped, capping_status: 3 })],
  ["a status that nobody knows", quota({ ...capped, capping_status: "CAPPED_TWICE" })],
  ["a lock that is neither on nor off", lock({ is_active: "yes", time_enforcement_ends: "0" })],
  ["a megabyte of fields", quota({ ...capped, more: "x".repeat(1_000_000) })],
  ["lists in lists", saying(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)],
  ["an error without a code", saying('{"data":null,"errors":[{"message":"no"}]}')],
])("an answer about new chats with %s is unknown, and restricts nothing", async ([, answer]) => {
  expect(await made(() => answer)).toEqual({ told: [], errors: [], unknown: 2 })
})

test.for<[string, unknown]>([
  ["none", undefined],
  ["of the wrong kind", { at: 1 }],
  ["no number", "soon"],
  ["before its time", "-1"],
  ["in the next century", "99999999999999"],
])("a quota that is used up is told without its end, if that is %s", async ([, end]) => {
  const until = { kind: "new_chats_quota", until: 0 }
  const { told, unknown } = await made(() => quota({ ...capped, cycle_end_timestamp: end }))
  expect(told).toContainEqual({ kind: "restriction", restriction: until, isOn: true })
  expect(unknown).toBe(0)
})

test.for<[string, () => Stanza, unknown]>([
  [
    "in GraphQL's way",
    () => saying('{"data":null,"errors":[{"message":"no","extensions":{"error_code":400}}]}'),
    new NetworkRejected(400),
  ],
  [
    "with a code",
    () => {
      throw new NetworkRejected(503)
    },
    new NetworkRejected(503),
  ],
  [
    "by silence",
    () => {
      throw new NoAnswer("the network did not answer")
    },
    new NoAnswer("the network did not answer"),
  ],
])(
  "a question about new chats that is refused %s is an error, and no unknown answer",
  async ([, answer, error]) => {
    expect(await made(answer)).toEqual({ told: [], errors: [error, error], unknown: 0 })
  },
)

test("an answer that there is no quota and no lock is known, and tells nothing", () => {
  for (const field of ["xwa2_message_capping_info", "xwa2_fetch_account_reachout_timelock"]) {
    const content = Buffer.from(JSON.stringify({ data: { [field]: null } }))
    expect(restrictionsIn({ content })).toEqual([])
  }
})

test("an answer with a lock and a quota tells both", () => {
  const data = {
    xwa2_fetch_account_reachout_timelock: { is_active: true, time_enforcement_ends: "1700000000" },
    xwa2_message_capping_info: capped,
  }
  expect(restrictionsIn({ content: Buffer.from(JSON.stringify({ data })) })).toEqual([
    { kind: "restriction", restriction: { kind: "new_chats", until: 1_700_000_000 }, isOn: true },
    { kind: "restriction", restriction: { kind: "new_chats_quota", until: 1_800_000_000 }, isOn: true },
  ])
})
