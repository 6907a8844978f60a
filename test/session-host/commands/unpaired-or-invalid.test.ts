import { expect, test } from "vitest"
import "#test/support/store.ts"
import { pictureOf } from "#session-host/commands/session.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, call, held } from "#test/support/session/host.ts"

const nowhere = { url: "ws://127.0.0.1:1/", rootKey: Buffer.alloc(32) }

async function aBridgeAtAHost() {
  const host = await aHost(nowhere, { timing: { beatMs: 1000 } })
  const bridge = await aBridge()
  await held(bridge.id, host)
  return async (method: string, path: string, body?: unknown) => {
    const answer = await call(bridge.id, method, path, { body })
    // Compared by the caller.
    const { code, issues } = (await answer.json()) as { code?: string; issues?: unknown[] }
    return { status: answer.status, code, issues }
  }
}

const commands = [
  ["POST", "/calls/ABC/reject", { contact_id: "4915112345678" }],
  ["GET", "/contacts", undefined],
  ["POST", "/contacts/check", { phones: ["4915112345678"] }],
  ["GET", "/contacts/4915112345678", undefined],
  ["GET", "/contacts/4915112345678@s.whatsapp.net/avatar", undefined],
  ["GET", "/groups/120363041234567890@g.us", undefined],
  ["GET", "/profile", undefined],
  ["PATCH", "/profile/status", { status: "at sea" }],
  ["GET", "/profile/avatar", undefined],
  ["PUT", "/profile/avatar", { url: "https://example.com/me.jpg" }],
  ["DELETE", "/profile/avatar", undefined],
  ["GET", "/profile/qr", undefined],
  ["GET", "/status/privacy", undefined],
  ["POST", "/presence", { state: "available" }],
  ["POST", "/presence/subscribe", { chat: "4915112345678" }],
] as const

test("whatever asks something of the network is refused while no phone is linked", async () => {
  const ask = await aBridgeAtAHost()
  const answers = await Promise.all(commands.map(([method, path, body]) => ask(method, path, body)))
  for (const [at, [method, path]] of commands.entries())
    expect({ method, path, ...answers[at] }).toMatchObject({ status: 409, code: "not_paired" })
})

const bad = [
  ["POST", `/calls/${"x".repeat(257)}/reject`, { contact_id: "4915112345678" }],
  ["POST", "/calls/ABC/reject", {}],
  ["POST", "/calls/ABC/reject", { contact_id: "bob" }],
  ["GET", "/contacts?limit=0", undefined],
  ["POST", "/contacts/check", { phones: [] }],
  ["POST", "/contacts/check", {}],
  ["GET", "/contacts/bob", undefined],
  ["GET", "/contacts/12@g.us/avatar", undefined],
  ["GET", "/groups/4915112345678", undefined],
  ["PATCH", "/profile/status", {}],
  ["PATCH", "/profile/status", { status: "x".repeat(140) }],
  ["PATCH", "/profile/status", { status: "\0" }],
  ["PUT", "/profile/avatar", { url: "" }],
  ["PUT", "/profile/avatar", {}],
  ["POST", "/presence", { state: "busy" }],
  ["POST", "/presence", []],
  ["POST", "/presence/subscribe", { chat: "bob" }],
  ["POST", "/pair", { phone: "" }],
] as const

test("input against the contract is refused, with the place of the fault", async () => {
  const ask = await aBridgeAtAHost()
  for (const [method, path, body] of bad)
    expect({ method, path, body, ...(await ask(method, path, body)) }).toMatchObject({
      status: 400,
      code: "invalid_request",
      issues: expect.arrayContaining([expect.objectContaining({ path: expect.any(String) })]),
    })
})

test("codes are drawn one after the other, so that messages have their turn between two", async () => {
  const drawn: string[] = []
  const draw = async (code: string) => {
    await pictureOf(code)
    drawn.push(code)
  }
  const [large, small] = ["2@".padEnd(2000, "x"), "2@x"]
  await Promise.all([draw(large), draw(small)])
  expect(drawn).toEqual([large, small])
})
