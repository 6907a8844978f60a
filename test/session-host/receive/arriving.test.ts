import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { WebSocket } from "ws"
import { decode } from "#session-host/network/decode.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aScriptedNetwork } from "#test/support/network/scripted-network.ts"
import { aLinkedDevice, outgoing, texts } from "#test/support/session/linked-device.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import { aVault } from "#test/support/session/vault.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

test("a message's receipt leaves only when the message is durable, and what is asked later waits with it", async () => {
  const { ada, bob, vault, connection, heard } = await aLinkedDevice(network)
  await connection.send(outgoing(bob.jid, "so that the session is there"))
  const release = vault.hold()
  const { id } = await bob.send(ada.number, "kept first")
  // Both messages are read: only what would leave has to wait.
  await expect.poll(() => texts(vault)).toContain("kept first")
  await bob.send(ada.number, "kept next")
  await expect.poll(() => texts(vault)).toContain("kept next")
  const answered = connection.registered([bob.number])
  expect(await heard("receipt", id)).toEqual([])

  release()
  expect((await answered).get(bob.number)).toMatchObject({ jid: bob.jid, lid: bob.lid })
  expect(await heard("receipt", id, 5_000)).toHaveLength(1)
  expect(texts(vault)).toContain("kept first")
  connection.close()
})

test("while look-ups are slower than the traffic the network is read no further, and later in order", async () => {
  const { ada, bob, vault, connection } = await aLinkedDevice(network)
  const paused = vi.spyOn(WebSocket.prototype, "pause")
  onTestFinished(() => paused.mockRestore())
  const before = vault.arrived()
  const release = vault.holdReads()
  const sent = Array.from({ length: 160 }, (_, n) => `${n} ${"x".repeat(65_000)}`)
  for (const text of sent) await bob.send(ada.number, text)
  await expect.poll(() => paused.mock.calls.length).toBeGreaterThan(0)
  // The bound, and what had been read already when it was reached.
  expect(vault.arrived() - before).toBeLessThan(140)
  expect(texts(vault)).toEqual([])

  release()
  await vault.takes(sent.length)
  expect(texts(vault)).toEqual(sent)
  connection.close()
})

test("while receipts that ask for messages wait for look-ups, no more is read; later each is acknowledged", async () => {
  const { ada, bob, vault, connection, device } = await aLinkedDevice(network)
  const paused = vi.spyOn(WebSocket.prototype, "pause")
  onTestFinished(() => paused.mockRestore())
  const asked = () => network.keyQuestions(device)
  const before = await asked()
  const release = vault.holdReads()
  await network.control.flood(bob.number, { to: ada.number, kind: "retries", count: 400 })
  await expect.poll(() => paused.mock.calls.length).toBeGreaterThan(0)
  const acks = () => network.control.log({ who: device, kind: "in", tag: "ack", attrs: { type: "retry" } })
  expect(await acks()).toEqual([])

  release()
  await expect.poll(async () => (await acks()).length).toBe(400)
  // For a message that never was, no keys are asked for.
  expect(await asked()).toBe(before)
  connection.close()
})

test("while calls wait to become events, the network is read no further", async () => {
  const { ada, bob, vault, connection, device } = await aLinkedDevice(network)
  connection.close()
  await vault.settled()
  const paused = vi.spyOn(WebSocket.prototype, "pause")
  onTestFinished(() => paused.mockRestore())
  const taken = Promise.withResolvers<void>()
  const next = aConnection({ url: network.url, vault, takes: taken.promise })
  await next.happens("open")
  await network.control.flood(bob.number, { to: ada.number, kind: "calls", count: 300 })
  await expect.poll(() => paused.mock.calls.length).toBeGreaterThan(0)

  taken.resolve()
  await next.happens("stanza", 300)
  expect(await network.control.settled(device, 10_000)).toBe(true)
  next.close()
})

test("while too much waits to become durable, the network is read no further, even if nothing is to leave", async () => {
  const scripted = await aScriptedNetwork()
  trustRoot(scripted.rootKey)
  onTestFinished(async () => {
    trustRoot(network.rootKey)
    await scripted.close()
  })
  const [paused, resumed] = [vi.spyOn(WebSocket.prototype, "pause"), vi.spyOn(WebSocket.prototype, "resume")]
  onTestFinished(() => [paused, resumed].forEach((spy) => spy.mockRestore()))
  const vault = aVault()
  const connection = aConnection({ url: scripted.url, vault })
  await scripted.shaken()
  const release = vault.hold()
  await vault.change({})
  Object.assign(vault.gate, { isFull: true })
  scripted.say({ tag: "chatstate", attrs: { from: "1@lid" }, content: [{ tag: "composing", attrs: {} }] })
  await expect.poll(() => paused.mock.calls.length).toBe(1)
  expect(resumed.mock.calls).toHaveLength(0)
  // A notice that a contact is typing gets no answer.
  expect(scripted.heard).toEqual([])

  Object.assign(vault.gate, { isFull: false })
  release()
  await expect.poll(() => resumed.mock.calls.length).toBe(1)
  connection.close()
})

test("a phone's answer that cannot be read is asked for once more, and has no receipt before it is durable", async () => {
  const { ada, bob, vault, connection, device, heard } = await aLinkedDevice(network)
  await network.fault({ kind: "unavailable", device, times: 1 })
  await network.fault({ kind: "unreadable", device, times: 1 })
  await bob.send(ada.number, "on the phone alone")
  const [refused] = await network.log({ who: device, kind: "in", tag: "ack", attrs: { error: "500" } })
  const { id = "" } = refused!.stanza!.attrs
  await vault.takes(1)
  const [answer] = vault.taken()
  expect(answer?.attrs).toMatchObject({ id, category: "peer" })
  expect(JSON.stringify(decode(answer!.plaintext))).toContain("placeholderMessageResendResponse")
  await expect
    .poll(async () => (await heard("receipt", id)).map(({ type }) => type))
    .toEqual(["retry", "peer_msg"])
  connection.close()
})

test("after a crash between the commit and the receipt, the message comes again and gets a plain receipt", async () => {
  const { ada, bob, vault, connection, device, heard } = await aLinkedDevice(network)
  await network.fault({ kind: "cut_before_receipt", device, times: 1 })
  const { id } = await bob.send(ada.number, "once")
  await connection.happens("closed")
  await vault.settled()
  expect(texts(vault)).toEqual(["once"])
  vault.forgetTaken()
  const before = (await heard("receipt", id)).length

  const second = aConnection({ url: network.url, vault })
  await expect.poll(async () => (await heard("receipt", id)).length).toBe(before + 1)
  const last = (await heard("receipt", id)).at(-1)
  expect(last?.type ?? "inactive").toBe("inactive")
  expect(vault.taken()).toEqual([])
  expect(await heard("ack", id)).toEqual([])
  second.close()
})

test("when the store refuses, the socket is closed first: neither receipt nor refusal leaves", async () => {
  const { ada, bob, vault, connection, device, heard } = await aLinkedDevice(network)
  vault.fail(() => connection.close())
  const { id } = await bob.send(ada.number, "not now")
  await network.log({ who: device, event: "disconnected" })
  expect(await heard("receipt", id)).toEqual([])
  expect(await heard("ack", id)).toEqual([])
  expect(connection.happenings.map(({ kind }) => kind)).not.toContain("closed")
})

test("when the store fails without its owner closing, the connection closes itself", async () => {
  const { ada, bob, vault, connection, heard } = await aLinkedDevice(network)
  vault.fail(() => {})
  const { id } = await bob.send(ada.number, "not now")
  expect((await connection.happens("closed")).reason).toBe("lost")
  expect(await heard("receipt", id)).toEqual([])
  expect(await heard("ack", id)).toEqual([])
})

test("with a slow store, 100 sends while 100 messages arrive are all readable on both sides", async () => {
  const vault = aVault({ latencyMs: () => Math.random() * 30 })
  const { ada, bob, connection, undecrypted } = await aLinkedDevice(network, vault)
  const out = Array.from({ length: 100 }, (_, n) => outgoing(bob.jid, `out ${n}`))
  const inbound = async () => {
    for (let n = 0; n < 100; n++) await bob.send(ada.number, `in ${n}`)
  }
  await Promise.all([inbound(), ...out.map((message) => connection.send(message))])

  const read = await bob.read({ from: ada.number, count: 100 })
  expect(read.map(({ text }) => text)).toEqual(out.map((_, n) => `out ${n}`))
  await expect.poll(() => texts(vault).length).toBe(100)
  expect(texts(vault)).toEqual(Array.from({ length: 100 }, (_, n) => `in ${n}`))
  expect(await undecrypted()).toBe(0)
  connection.close()
})

test.for(["cut_before_receipt", "cut_after_receipt", "cut_mid_frame", "twice"] as const)(
  "through a network that does %s again and again, each message is taken in once, in order",
  async (kind) => {
    const vault = aVault({ latencyMs: () => Math.random() * 5 })
    const { ada, bob, connection, device, undecrypted } = await aLinkedDevice(network, vault)
    let current = connection
    let stopped = false
    const stayConnected = async (): Promise<void> => {
      await current.happens("closed")
      await vault.settled()
      if (stopped) return
      current = aConnection({ url: network.url, vault })
      await stayConnected()
    }
    void stayConnected()

    const all = Array.from({ length: 40 }, (_, n) => `${kind} ${n}`)
    for (const [n, text] of all.entries()) {
      if (n % 8 === 0) await network.fault({ kind, device, times: 1 })
      await bob.send(ada.number, text)
    }
    await expect.poll(() => texts(vault).length).toBe(all.length)
    await network.control.settled(device, 10_000)
    stopped = true
    current.close()
    expect(texts(vault)).toEqual(all)
    expect(await undecrypted()).toBe(0)
  },
)

test("messages that came while it was away arrive between preview and completion", async () => {
  const { ada, bob, vault, connection } = await aLinkedDevice(network)
  connection.close()
  await vault.settled()
  for (const n of [1, 2, 3]) await bob.send(ada.number, `away ${n}`)

  const slow = aConnection({ url: network.url, vault })
  const completed = await slow.happens("stanza", 2)
  expect(texts(vault)).toEqual(["away 1", "away 2", "away 3"])
  expect(completed.stanza.children).toMatchObject([{ tag: "offline" }])
  expect(vault.taken().at(-1)?.attrs.offline).toBeDefined()
  slow.close()
})

const garbage = { base64: randomBytes(40).toString("base64") }

test.for<[string, Record<string, string>, string[]]>([
  ["names no sender", { from: "" }, ["enc"]],
  ["comes from a group and names no member", { from: "120@g.us" }, ["enc"]],
  ["is for somebody else", { recipient: "4915112345678@s.whatsapp.net" }, ["enc"]],
  ["brings a certificate that is none", {}, ["verified_name", "enc"]],
])("a message of the backlog that %s keeps nothing waiting", async ([, attrs, tags]) => {
  const { ada, bob, vault, connection, device } = await aLinkedDevice(network)
  connection.close()
  await vault.settled()
  await network.control.stanza(device, {
    tag: "message",
    attrs: { from: bob.lid, t: "1", type: "text", ...attrs },
    content: tags.map((tag) => ({ tag, attrs: { v: "2", type: "pkmsg" }, content: garbage })),
  })
  await bob.send(ada.number, "after it")
  const next = aConnection({ url: network.url, vault })
  await expect.poll(() => texts(vault)).toEqual(["after it"])
  next.close()
})
