import { randomBytes, randomUUID } from "node:crypto"
import { expect, onTestFinished, test, vi } from "vitest"
import { Idempotency } from "#core/message/idempotency.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { dynamoDb } from "#test/support/store.ts"

const deliveryKey = randomBytes(32)
const answer = { message_id: "unset", chat_id: "1@s.whatsapp.net", timestamp: 1_700_000_000 }

function aRequest(fields: Partial<Parameters<typeof Idempotency.claim>[0]> = {}) {
  return { accountId: randomUUID(), bridgeId: randomUUID(), key: "order-1", fingerprint: "f", ...fields }
}

async function claimed(request: Parameters<typeof Idempotency.claim>[0]): Promise<Idempotency.Claim> {
  const outcome = await Idempotency.claim(request)
  if (outcome.kind !== "claimed") throw new Error(`the key is not free: ${outcome.kind}`)
  return outcome.claim
}

async function age(claim: Idempotency.Claim, field: "lease_until" | "expires_at"): Promise<void> {
  await updateRow({
    TableName: tables.requests,
    Key: { pk: claim.record, sk: "IDEM" },
    UpdateExpression: "SET #field = :long_ago",
    ExpressionAttributeNames: { "#field": field },
    ExpressionAttributeValues: { ":long_ago": 1 },
  })
}

test("the same key of another bridge or account is another key", async () => {
  const request = aRequest()
  const others = [request, { ...request, bridgeId: randomUUID() }, { ...request, accountId: randomUUID() }]
  const ids = await Promise.all(others.map(async (other) => (await claimed(other)).messageId))
  expect(new Set(ids).size).toBe(3)
})

test("a caller that lost a key to a take-over can neither free nor release it", async () => {
  const request = aRequest()
  const first = await claimed(request)
  await age(first, "lease_until")
  const second = await claimed(request)
  expect(second.messageId).toBe(first.messageId)
  await Idempotency.free(first)
  await Idempotency.release(first)
  expect(await Idempotency.claim(request)).toEqual({ kind: "conflict" })
})

test("after 24 hours the same key is a new message, whatever became of the old one", async () => {
  for (const done of [true, false]) {
    const request = aRequest()
    const old = await claimed(request)
    if (done) await Idempotency.complete({ ...old, deliveryKey }, answer)
    await age(old, "lease_until")
    await age(old, "expires_at")
    const outcomes = await Promise.all([Idempotency.claim(request), Idempotency.claim(request)])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["claimed", "conflict"])
    const fresh = outcomes.find((outcome) => outcome.kind === "claimed")!
    expect(fresh.claim.messageId).not.toBe(old.messageId)
  }
})

test("after 24 hours a key whose request may still be under way is not given to another request", async () => {
  const request = aRequest()
  const old = await claimed(request)
  await age(old, "expires_at")
  expect(await Idempotency.claim(request)).toEqual({ kind: "conflict" })
})

test("the record of one message is not completed by another", async () => {
  const request = aRequest()
  const claim = await claimed(request)
  await Idempotency.complete({ ...claim, messageId: "3EB0OTHER", deliveryKey }, answer)
  expect(await Idempotency.claim(request)).toEqual({ kind: "conflict" })
})

test("a claim whose answer was lost on its way is still the claimer's", async () => {
  onTestFinished(dynamoDb.faults.add({ fault: "lost-answer", operation: "UpdateItem", times: 1 }))
  expect((await claimed(aRequest())).messageId).toMatch(/^3EB0[0-9A-F]{18}$/)
  expect(dynamoDb.faults.injected.get("lost-answer")).toBe(1)
})

test("once a process claims alone, older claims but its own are dead, and their messages keep their ids", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const [request, other] = [aRequest(), aRequest()]
  const dead = await claimed(request)
  onTestFinished(Idempotency.voidEarlierClaims())
  vi.setSystemTime(Date.now() + 1000)
  expect(await claimed(request)).toMatchObject({ messageId: dead.messageId, isNew: false })
  await claimed(other)
  for (const again of [request, other])
    expect(await Idempotency.claim(again)).toMatchObject({ kind: "conflict" })
})
