import { afterAll, expect, test } from "vitest"
import { until } from "#test/support/until.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const { ada, bob, client, device } = await network.chat()

test("a connection closes with the code of how it is ended", async () => {
  const ended = await network.chat()
  let last = ended.client
  const codes = { replaced: 440, restart: 515, unavailable: 503, cut: 428, device_removed: 401 }
  for (const [how, code] of Object.entries(codes)) {
    await network.call("POST", `/connections/${ended.device}/end`, { how })
    expect([how, await last.closed()]).toEqual([how, code])
    last = network.client(last.device)
    if (how !== "device_removed") await last.open()
  }
})

/** The texts that have come to the client since, in order. */
function textsSince() {
  const from = client.messages.length
  return () => client.messages.slice(from).flatMap(({ message }) => message.message?.conversation ?? [])
}

function acksOf() {
  const acks: (string | undefined)[] = []
  client.sock.ws.on("CB:ack,class:message", ({ attrs }: { attrs: Record<string, string> }) => {
    acks.push(attrs.id)
    client.changed()
  })
  return acks
}

test("acks are held by a second fault when the first has held all that it may", async () => {
  const acks = acksOf()
  const removeFirst = await network.fault({ kind: "hold_acks", device, times: 1 })
  const first = await client.sock.sendMessage(bob.jid, { text: "first" })
  await bob.read({ text: "first" })
  const removeSecond = await network.fault({ kind: "hold_acks", device })
  const second = await client.sock.sendMessage(bob.jid, { text: "second" })
  await bob.read({ text: "second" })
  await removeFirst()
  await client.until("the first ack", () => acks.find((id) => id === first?.key.id))
  expect(acks).not.toContain(second?.key.id)
  await removeSecond()
  await client.until("the second ack", () => acks.find((id) => id === second?.key.id))
})

test("acks that are lost never come, though the message does", async () => {
  await network.fault({ kind: "lose_acks", device, times: 1 })
  const acks = acksOf()
  const lost = await client.sock.sendMessage(bob.jid, { text: "lost" })
  const kept = await client.sock.sendMessage(bob.jid, { text: "kept" })
  for (const text of ["lost", "kept"]) await bob.read({ text })
  await client.until("the second ack", () => acks.find((id) => id === kept?.key.id))
  expect(acks).not.toContain(lost?.key.id)
})

test("a stanza that is sent twice is one message, and a repetition", async () => {
  const { ada, bob, client, device } = await network.chat()
  const stanzas: string[] = []
  client.sock.ws.on("CB:message", ({ attrs }: { attrs: Record<string, string> }) => stanzas.push(attrs.id!))
  await network.fault({ kind: "twice", device, times: 1 })
  const { id } = await bob.send(ada.number, "echo")
  await bob.send(ada.number, "last")
  await client.message("last")
  expect(stanzas.filter((one) => one === id)).toHaveLength(2)
  const texts = client.messages.flatMap(({ message }) => message.message?.conversation ?? [])
  expect(texts).toEqual(["echo", "last"])
})

test("a message that is spoilt twice is asked for twice, and read under the keys of the second request", async () => {
  const { ada, bob, client, device } = await network.chat()
  for (const kind of ["unreadable", "unreadable_again"] as const)
    await network.fault({ kind, device, times: 1 })
  const preKeys = async () =>
    (await network.control.phone(ada.number)).devices.find(({ id }) => id === 1)?.prekeys
  const before = (await preKeys())!
  const { id } = await bob.send(ada.number, "legible at last")
  await client.message("legible at last")
  const asked = { who: device, kind: "in", tag: "receipt", attrs: { id, type: "retry" } } as const
  expect(await network.log(asked)).toHaveLength(2)
  // For the message itself, and for the first request.
  expect(await preKeys()).toBe(before - 2)
})

test("the refusal of a message that was asked for again does not settle the copy that has come meanwhile", async () => {
  const { ada, bob, client, device } = await network.chat()
  await bob.send(ada.number, "before")
  await client.message("before")
  await until(async () => await network.control.settled(device, 0))
  const waiting = async () =>
    ((await network.call("GET", `/devices/${device}/settled`)) as { waiting: { message?: number } }).waiting
  const release = await network.fault({ kind: "hold", device })
  const { id } = await bob.send(ada.number, "twice")
  const t = String(Math.floor(Date.now() / 1000))
  const retry = { tag: "retry", attrs: { v: "1", count: "1", id, t } }
  await client.sock.sendNode({
    tag: "receipt",
    attrs: { id, to: bob.lid, type: "retry" },
    content: [retry, { tag: "registration", attrs: {}, content: Buffer.alloc(4) }],
  })
  await until(async () => (await waiting()).message === 2)
  await client.sock.sendNode({ tag: "ack", attrs: { class: "message", id, to: bob.lid, error: "500" } })
  await network.log({ kind: "in", who: device, tag: "ack", attrs: { id } })
  expect(await waiting()).toEqual({ message: 1 })
  await release()
})

test("stanzas that are held for a device come when the fault is removed, all of them and in order", async () => {
  const texts = textsSince()
  const release = await network.fault({ kind: "hold", device })
  const { id } = await bob.send(ada.number, "first")
  await bob.send(ada.number, "second")
  expect(await network.log({ kind: "out", who: device, attrs: { id }, wait: 0 })).toEqual([])
  await release()
  await bob.send(ada.number, "third")
  await client.message("third")
  expect(texts()).toEqual(["first", "second", "third"])
})

test("latency delays everything to a device and changes no order", async () => {
  const texts = textsSince()
  const remove = await network.fault({ kind: "delay", device, ms: 1000 })
  const start = performance.now()
  const late = client.message("slow one").then(() => performance.now() - start)
  await bob.send(ada.number, "slow one")
  await bob.send(ada.number, "slow two")
  await remove()
  await bob.send(ada.number, "quick three")
  expect(await late).toBeGreaterThan(1000)
  await client.message("quick three")
  expect(texts()).toEqual(["slow one", "slow two", "quick three"])
})

test("a client that is not told of the end of its backlog waits for the next stanza", async () => {
  const { ada, bob, client, device } = await network.chat()
  client.close()
  await client.closed()
  await bob.send(ada.number, "waiting")
  await network.fault({ kind: "no_offline", device, times: 1 })
  const again = network.client(client.device)
  await again.open()
  await network.call("GET", `/devices/${device}/settled?wait=10000`)
  expect(again.updates.some(({ receivedPendingNotifications }) => receivedPendingNotifications)).toBe(false)
})

test("a fault that was used up is gone; one without a number stays until it is removed", async () => {
  await network.fault({ kind: "nack", device, times: 1, code: 500 })
  const standing = await network.fault({ kind: "hold_acks", device })
  await client.sock.sendMessage(bob.jid, { text: "refused" })
  expect(await network.call("GET", "/faults")).toMatchObject([{ kind: "hold_acks", times: null }])
  await standing()
  expect(await network.call("GET", "/faults")).toEqual([])
})

test("a login is refused with the number that is wanted, and for how long", async () => {
  const { client, device } = await network.chat()
  client.close()
  await client.closed()
  for (const { code, expire } of [{ code: 402, expire: 3600 }, { code: 402 }, { code: 403 }, { code: 406 }]) {
    await network.fault({ kind: "refuse_login", device, code, times: 1, ...(expire && { expire }) })
    const again = network.client(client.device)
    expect(await again.closed()).toBe(code)
    const { lastDisconnect } = again.updates.find(({ connection }) => connection === "close")!
    const told = { reason: String(code), location: "sim", ...(expire && { expire: String(expire) }) }
    expect(lastDisconnect?.error).toHaveProperty("data", told)
  }
})

const ask = (xmlns: string, tag: string) =>
  client.sock.query({
    tag: "iq",
    attrs: { to: "@s.whatsapp.net", xmlns, type: "get" },
    content: [{ tag, attrs: {} }],
  })

test("questions of one namespace are refused or left open, all others answered", async () => {
  await network.fault({ kind: "refuse_iq", device, xmlns: "privacy", code: 429, times: 1 })
  await ask("w:p", "ping")
  await expect(ask("privacy", "privacy")).rejects.toMatchObject({ data: 429 })

  await network.fault({ kind: "ignore_iq", device, xmlns: "privacy", times: 1 })
  const answered: string[] = []
  ask("privacy", "privacy").then(
    () => answered.push("privacy"),
    () => answered.push("the end of the connection"),
  )
  await ask("w:p", "ping")
  expect(answered).toEqual([])
  await ask("privacy", "privacy")
})
