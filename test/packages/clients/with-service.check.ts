import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { stopListening, listen } from "#one-machine/listen.ts"
import { messagingBridge, webhooks } from "#sdk-typescript/index.ts"
import { startReceiver } from "../../support/service/start-receiver.ts"
import { home, run } from "./command-line.ts"
import { friend, owner, service, shop } from "./shop.ts"

const loginOf = (key = shop.key) => ({ url: service.baseUrl, key })
const clientOf = (key = shop.key) => messagingBridge(loginOf(key))

/** A program with a webhook of the SDK. It grows a list of what it got. */
async function aProgram(secret: string) {
  const got: string[] = []
  const hook = webhooks.handler({ other: (event) => void got.push(event.event) }, { secret })
  const server = createServer((request, response) => void webhooks.node(hook)(request, response))
  const port = await listen(server)
  onTestFinished(() => stopListening(server))
  return { got, url: `http://127.0.0.1:${port}/` }
}

test("what trigger makes happen in the sandbox is posted by listen to a program that verifies it", async () => {
  const { webhook_secret } = await clientOf().bridge("sandbox").getBridge()
  const program = await aProgram(webhook_secret)
  const listener = run(loginOf(), "listen", "--bridge", "sandbox", "--forward", program.url, "--json")
  await expect.poll(() => listener.said.err).toContain("listening to sandbox")
  for (const type of ["message", "poll_vote", "event_response"]) {
    const { code, out } = await run(loginOf(), "trigger", type).ended
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^${type}  evt_`))])
  }
  const posted = (type: string) => program.got.filter((one) => one === type)
  await expect
    .poll(() => ["message", "poll_vote", "event_response"].map((type) => posted(type).length))
    .toEqual([1, 1, 1])
  listener.child.kill("SIGINT")
  const { code, out } = await listener.ended
  expect(code).toBe(0)
  const rows = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { ok: boolean; status: number })
  expect(rows.every(({ ok, status }) => ok && status === 204)).toBe(true)
})

test("an event that was given up is sent again, to the webhook and to a program here", async () => {
  // The session's own events may come first.
  const receiver = await startReceiver(({ type, headers }) =>
    type === "message" && !headers["x-webhook-resend"] ? 400 : 200,
  )
  onTestFinished(receiver.stop)
  const client = clientOf().bridge("shop")
  await client.updateBridge({ webhook_url: receiver.url })
  await service.network.send(friend, owner, "a question")
  const { eventId: id } = await receiver.until((all) => all.find(({ text }) => text === "a question"))
  await expect.poll(async () => (await client.getDelivery({ event_id: id })).state).toBe("undelivered")
  expect((await run(loginOf(), "resend", id, "--bridge", "shop").ended).code).toBe(0)
  const again = await receiver.until((all) => all.find(({ headers }) => headers["x-webhook-resend"]))
  expect(again.eventId).toBe(id)
  const program = await aProgram((await client.getBridge()).webhook_secret)
  expect(await run(loginOf(), "resend", id, "-b", "shop", "-f", program.url).ended).toMatchObject({ code: 0 })
  expect(program.got).toEqual(["message"])
  const none = await run(loginOf(), "resend", "--since", "2026-01-01T00:00Z", "-b", "shop").ended
  expect(none).toMatchObject({ code: 0, out: "nothing was given up then\n" })
})

test("qr ends when the phone is linked, send sends texts and files, and status and logs say how it is", async () => {
  await shop.bridge("new")
  const linking = run(loginOf(), "qr", "-b", "new")
  await expect.poll(() => linking.said.out).toContain("▀")
  const phone = (await service.network.create("New")).number
  const code = await clientOf().bridge("new").qr()
  await service.network.scan(phone, new Uint8Array(await code.arrayBuffer()))
  expect(await linking.ended).toMatchObject({
    code: 0,
    out: expect.stringContaining(`linked to ${phone}`) as string,
  })
  expect(await run(loginOf(), "status", "-b", "new").ended).toMatchObject({
    code: 0,
    out: `Connected. Phone: +${phone}. 0 events wait for delivery.\n`,
  })

  const file = join(home, "list.pdf")
  writeFileSync(file, "%PDF-1.4 a list")
  const text = run(loginOf(), "send", friend, "-", "-b", "new")
  text.child.stdin.end("Grüße\n")
  expect((await text.ended).code).toBe(0)
  expect((await run(loginOf(), "send", friend, "our list", "-b", "new", "--file", file).ended).code).toBe(0)
  const read = await service.network.read(friend, { from: phone, count: 2, wait: 10_000 })
  expect(JSON.stringify(read)).toMatch(/Grüße.*list\.pdf/)

  const log = run(loginOf(), "logs", "-b", "new", "--tail", "5")
  await expect.poll(() => log.said.out.split("\n").length).toBeGreaterThan(1)
  log.child.kill("SIGINT")
  expect((await log.ended).code).toBe(0)
})

test("a key that may only read listens, but cannot forward or send, and hears no more once it is revoked", async () => {
  const made = await clientOf().createKey({ name: "reader", scope: "read" })
  const reader = loginOf(made.key)
  const sent = await run(reader, "send", friend, "Hi", "-b", "shop").ended
  expect(sent).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^this API key may only read.*\(request /) as string,
  })
  expect((await run(reader, "listen", "-b", "shop", "-f", "http://127.0.0.1:1/").ended).err).toMatch(
    /^this key may only read/,
  )
  const listener = run(reader, "listen", "-b", "shop")
  await expect.poll(() => listener.said.err).toContain("listening to shop")
  await service.network.send(friend, owner, "another question")
  await expect.poll(() => listener.said.out).toContain("another question")
  await clientOf().removeKey({ id: made.id })
  const { code, err } = await listener.ended
  expect([code, err]).toEqual([1, expect.stringContaining("no valid API key")])
})
