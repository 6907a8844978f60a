import { setImmediate as nextTurn } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { built, textOf } from "#session-host/messages/compose.ts"
import { decode } from "#session-host/messages/decode.ts"
import { trustRoot } from "#session-host/baileys/certificates.ts"
import { NetworkRejected, NotSent, OutcomeUnknown } from "#session-host/network-errors.ts"
import { aConnection, aPairedConnection } from "#test/support/connection.ts"
import { aNetwork, type Network } from "#test/support/network.ts"
import { aScriptedNetwork } from "#test/support/scripted-network.ts"
import { until } from "#test/support/until.ts"
import { aVault, type VolatileVault } from "#test/support/vault.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

/** Ada's linked device, open, with what her phone had to tell it behind it, and Bob, who writes to her. */
async function linked(vault: VolatileVault = aVault()) {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const connection = await aPairedConnection({ url: network.url, vault, phone: ada })
  const device = `${ada.number}:1`
  await connection.happens("journalled", 3)
  await network.call("GET", `/devices/${device}/settled?wait=5000`)
  connection.happenings.length = 0
  vault.drain()
  return { ada, bob, vault, connection, device }
}

const texts = (vault: VolatileVault) =>
  vault.journal().flatMap(({ plaintext }) => decode(plaintext).conversation ?? [])

const Log = z.array(
  z.object({ n: z.number(), stanza: z.object({ attrs: z.record(z.string(), z.string()) }) }),
)

/** What the network heard of that kind from this device, about this message. */
async function heard(device: string, tag: string, id: string, wait = 0) {
  const query = new URLSearchParams({
    who: device,
    kind: "in",
    tag,
    attrs: JSON.stringify({ id }),
    wait: String(wait),
  })
  return Log.parse(await network.call("GET", `/log?${query.toString()}`)).map(({ stanza }) => stanza.attrs)
}

const fault = (input: { kind: string; device?: string; code?: number; times?: number }) =>
  network.call("POST", "/faults", input)

/** How many messages this phone could not read. */
async function undecrypted(number: string) {
  const Phone = z.object({ not_decrypted: z.record(z.string(), z.number()) })
  const { not_decrypted: counts } = Phone.parse(await network.call("GET", `/phones/${number}`))
  return Object.values(counts).reduce((sum, n) => sum + n, 0)
}

let messages = 0
const outgoing = (chat: string, body: string) => ({
  messageId: `3EB0${(++messages).toString(16).padStart(6, "0").toUpperCase()}`,
  chat,
  message: built(textOf(body)),
})

test("it pairs by a code, is told to restart, opens, and texts both ways", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const vault = aVault()

  const linking = aConnection({ url: network.url, vault })
  const code = await linking.happens("qr")
  expect(Math.abs(code.expiresAt - 60 - Date.now() / 1000)).toBeLessThan(5)
  await ada.scan(code.text)
  expect((await linking.happens("closed")).reason).toBe("restart")
  expect(linking.happenings.map(({ kind }) => kind)).toEqual(["qr", "paired", "closed"])

  const connection = aConnection({ url: network.url, vault })
  const { me } = await connection.happens("open")
  expect(me).toMatchObject({ jid: ada.jid, lid: ada.lid, phone: ada.number })

  const message = outgoing(bob.jid, "hello Bob")
  const { timestamp } = await connection.send(message)
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60)
  const read = { id: message.messageId, from: ada.number, times: 1 }
  expect(await bob.read({ text: "hello Bob" })).toMatchObject([read])

  await bob.send(ada.number, "hello Ada")
  await expect.poll(() => texts(vault)).toEqual(["hello Ada"])
  expect(vault.journal().at(-1)?.attrs).toMatchObject({ from: bob.lid, sender_pn: bob.jid, notify: "Bob" })
  connection.close()
})

test("the network hears that it is paired only when the credentials are kept", async () => {
  const ada = await network.phone()
  const vault = aVault()
  const linking = aConnection({ url: network.url, vault })
  const { text } = await linking.happens("qr")
  const release = vault.hold()
  const signatures = async () =>
    JSON.stringify(await network.call("GET", "/log?kind=in&tag=iq")).split("pair-device-sign").length
  const before = await signatures()
  const scanning = ada.scan(text)
  // The commit that waits is the one with the account in it.
  await expect.poll(() => vault.asked().some(({ creds }) => creds?.includes(ada.number))).toBe(true)
  expect(await signatures()).toBe(before)
  expect(linking.happenings.map(({ kind }) => kind)).toEqual(["qr"])

  release()
  await scanning
  await linking.happens("closed")
  expect(await signatures()).toBe(before + 1)
  expect(vault.creds).toContain(ada.number)
})

test("a message's receipt leaves only when the message is kept", async () => {
  const { ada, bob, vault, connection, device } = await linked()
  await connection.send(outgoing(bob.jid, "so that the session is there"))
  const release = vault.hold()
  const { id } = await bob.send(ada.number, "kept first")
  // The next stanza is answered while the message waits: the connection is not merely slow.
  const answered = await connection.registered([bob.number])
  expect(answered.get(bob.number)).toMatchObject({ jid: bob.jid, lid: bob.lid })
  expect(await heard(device, "receipt", id)).toEqual([])
  expect(connection.happenings.map(({ kind }) => kind)).not.toContain("journalled")

  release()
  expect(await heard(device, "receipt", id, 5_000)).toHaveLength(1)
  expect(texts(vault)).toContain("kept first")
  connection.close()
})

test("after a crash between keeping and receipt, the message comes again and is the same, then drained", async () => {
  const { ada, bob, vault, connection, device } = await linked()
  await fault({ kind: "cut_before_receipt", device, times: 1 })
  const { id } = await bob.send(ada.number, "once")
  await connection.happens("closed")
  await vault.settled()
  const [kept] = vault.journal().filter(({ attrs }) => attrs.id === id)
  expect(kept).toBeDefined()

  const second = aConnection({ url: network.url, vault })
  expect(await heard(device, "receipt", id, 5_000)).not.toEqual([])
  expect(vault.journal().filter(({ attrs }) => attrs.id === id)).toEqual([kept])
  expect(await heard(device, "ack", id)).toEqual([])
  second.close()
})

test("a message that was drained before its receipt left gets a plain receipt", async () => {
  const { ada, bob, vault, connection, device } = await linked()
  await fault({ kind: "cut_before_receipt", device, times: 1 })
  const { id } = await bob.send(ada.number, "drained")
  await connection.happens("closed")
  await vault.settled()
  vault.drain()
  const before = (await heard(device, "receipt", id)).length

  const second = aConnection({ url: network.url, vault })
  await expect.poll(async () => (await heard(device, "receipt", id)).length).toBe(before + 1)
  const last = (await heard(device, "receipt", id)).at(-1)
  expect(last?.type ?? "inactive").toBe("inactive")
  expect(vault.journal()).toEqual([])
  second.close()
})

test("when the store refuses, the socket is closed first: neither receipt nor refusal leaves", async () => {
  const { ada, bob, vault, connection, device } = await linked()
  vault.fail(() => connection.close())
  const { id } = await bob.send(ada.number, "not now")
  await network.call("GET", `/log?who=${device}&event=disconnected&wait=5000`)
  expect(await heard(device, "receipt", id)).toEqual([])
  expect(await heard(device, "ack", id)).toEqual([])
  expect(connection.happenings.map(({ kind }) => kind)).not.toContain("closed")
})

test("when the store fails without its owner closing, the connection closes itself", async () => {
  const { ada, bob, vault, connection, device } = await linked()
  vault.fail(() => {})
  const { id } = await bob.send(ada.number, "not now")
  expect((await connection.happens("closed")).reason).toBe("lost")
  expect(await heard(device, "receipt", id)).toEqual([])
  expect(await heard(device, "ack", id)).toEqual([])
})

test("with a slow store, 100 sends while 100 messages arrive are all readable on both sides", async () => {
  const vault = aVault({ latencyMs: () => Math.random() * 30 })
  const { ada, bob, connection } = await linked(vault)
  const out = Array.from({ length: 100 }, (_, n) => outgoing(bob.jid, `out ${n}`))
  const inbound = async () => {
    for (let n = 0; n < 100; n++) await bob.send(ada.number, `in ${n}`)
  }
  await Promise.all([inbound(), ...out.map((message) => connection.send(message))])

  const read = await bob.read({ from: ada.number, count: 100 })
  expect(read.map(({ text }) => text)).toEqual(out.map((_, n) => `out ${n}`))
  await expect.poll(() => texts(vault).length, { timeout: 20_000 }).toBe(100)
  expect(texts(vault)).toEqual(Array.from({ length: 100 }, (_, n) => `in ${n}`))
  expect(await undecrypted(bob.number)).toBe(0)
  connection.close()
}, 60_000)

test.for(["cut_before_receipt", "cut_after_receipt", "cut_mid_frame", "twice"])(
  "through a network that does %s again and again, each message is journalled once, in order",
  async (kind) => {
    const vault = aVault({ latencyMs: () => Math.random() * 5 })
    const { ada, bob, connection, device } = await linked(vault)
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
      if (n % 8 === 0) await fault({ kind, device, times: 1 })
      await bob.send(ada.number, text)
    }
    await expect.poll(() => texts(vault).length, { timeout: 20_000 }).toBe(all.length)
    await network.call("GET", `/devices/${device}/settled?wait=10000`)
    stopped = true
    current.close()
    expect(texts(vault)).toEqual(all)
    expect(await undecrypted(bob.number)).toBe(0)
  },
)

test("a message is kept before its stanza leaves", async () => {
  const { bob, vault, connection, device } = await linked()
  await connection.send(outgoing(bob.jid, "so that the session is there"))
  const release = vault.hold()
  const message = outgoing(bob.jid, "kept before")
  const sending = connection.send(message)
  await connection.registered([bob.number])
  expect(await heard(device, "message", message.messageId)).toEqual([])
  expect(await vault.sent(message.messageId)).toBeUndefined()

  release()
  await sending
  expect(Buffer.from((await vault.sent(message.messageId))!)).toEqual(Buffer.from(message.message))
  connection.close()
})

test("what the network refuses is refused with its number", async () => {
  const { bob, connection, device } = await linked()
  await fault({ kind: "nack", device, code: 463, times: 1 })
  const refused = connection.send(outgoing(bob.jid, "no"))
  await expect(refused).rejects.toThrow(NetworkRejected)
  await expect(refused).rejects.toMatchObject({ networkCode: 463 })
  await connection.send(outgoing(bob.jid, "yes"))
  connection.close()
})

test("a send whose connection ends before the acknowledgement has an unknown outcome, and goes out again with the same bytes", async () => {
  const { bob, vault, connection, device } = await linked()
  await fault({ kind: "lose_acks", device, times: 1 })
  const message = outgoing(bob.jid, "known once")
  const sending = connection.send(message)
  await bob.read({ text: "known once" })
  connection.close()
  await expect(sending).rejects.toThrow(OutcomeUnknown)
  await vault.settled()

  const second = aConnection({ url: network.url, vault })
  await second.happens("open")
  const rows = vault.changes.filter(({ sending: row }) => row).length
  await second.send(message, true)
  expect(vault.changes.filter(({ sending: row }) => row)).toHaveLength(rows)
  await expect.poll(async () => await bob.read({ id: message.messageId })).toMatchObject([{ times: 2 }])
  second.close()
})

test("on a closed connection nothing is sent", async () => {
  const { bob, connection } = await linked()
  connection.close()
  await expect(connection.send(outgoing(bob.jid, "closed"))).rejects.toThrow(NotSent)
})

test("another login of the same device replaces the connection", async () => {
  const { vault, connection } = await linked()
  const second = aConnection({ url: network.url, vault })
  expect((await connection.happens("closed")).reason).toBe("replaced")
  await second.happens("open")
  second.close()
})

test.for([
  ["device_removed", "logged_out"],
  ["replaced", "replaced"],
  ["restart", "restart"],
  ["unavailable", "lost"],
  ["cut", "lost"],
] as const)("a connection ended by %s is %s", async ([how, reason]) => {
  const { connection, device } = await linked()
  await network.call("POST", `/connections/${device}/end`, { how })
  expect((await connection.happens("closed")).reason).toBe(reason)
})

test("a device that the network does not know is logged out", async () => {
  const { vault, connection } = await linked()
  connection.close()
  const stranger = await aNetwork()
  trustRoot(stranger.rootKey)
  try {
    const refused = aConnection({ url: stranger.url, vault })
    expect((await refused.happens("closed")).reason).toBe("logged_out")
  } finally {
    trustRoot(network.rootKey)
    await stranger.close()
  }
})

test("a logout removes the device from the account", async () => {
  const { ada, connection } = await linked()
  await connection.logout()
  expect((await connection.happens("closed")).reason).toBe("logged_out")
  const { devices } = z
    .object({ devices: z.array(z.object({ id: z.number() })) })
    .parse(await network.call("GET", `/phones/${ada.number}`))
  expect(devices.filter(({ id }) => id === 1)).toEqual([])
})

test("an upgrade that is answered by HTTP ends the connection", async () => {
  await fault({ kind: "refuse_upgrade", times: 1 })
  const connection = aConnection({ url: network.url, vault: aVault() })
  expect(await connection.happens("closed")).toMatchObject({
    reason: "lost",
    detail: "HTTP 503 to the upgrade",
  })
})

test("nobody there ends the connection", async () => {
  const scripted = await aScriptedNetwork()
  await scripted.close()
  const connection = aConnection({ url: scripted.url, vault: aVault() })
  expect((await connection.happens("closed")).reason).toBe("lost")
})

test("what came while it was away arrives between preview and completion", async () => {
  const { ada, bob, vault, connection } = await linked()
  connection.close()
  await vault.settled()
  for (const n of [1, 2, 3]) await bob.send(ada.number, `away ${n}`)

  const slow = aConnection({ url: network.url, vault })
  const completed = await slow.happens("stanza", 2)
  expect(texts(vault)).toEqual(["away 1", "away 2", "away 3"])
  expect(completed.stanza.children).toMatchObject([{ tag: "offline" }])
  expect(vault.journal().at(-1)?.attrs.offline).toBeDefined()
  const kinds = slow.happenings.map(({ kind }) => kind)
  expect(kinds.indexOf("stanza")).toBeLessThan(kinds.indexOf("journalled"))
  expect(kinds.lastIndexOf("journalled")).toBeLessThan(kinds.lastIndexOf("stanza"))
  slow.close()
})

test("it knows the phone number behind a LID it has met, and none behind a stranger's", async () => {
  const { bob, connection } = await linked()
  expect(await connection.phoneOf(bob.lid)).toBeUndefined()
  expect(await connection.registered([bob.number, "19999999999"])).toEqual(
    new Map([[bob.number, { jid: bob.jid, lid: bob.lid, isBusiness: false, verifiedName: "" }]]),
  )
  expect(await connection.phoneOf(bob.lid)).toBe(bob.jid)
  connection.close()
})

test("whoever asks on a socket that breaks hears of it after the session has: it is not an error of ours", async () => {
  const { connection, device, ada } = await linked()
  const asked: { failed: boolean; over: boolean }[] = []
  const ask = async () => {
    const failed = await connection.watch(ada.jid).then(
      () => false,
      () => true,
    )
    asked.push({ failed, over: connection.happenings.some(({ kind }) => kind === "closed") })
  }
  const asking = (async () => {
    while (!asked.some(({ failed }) => failed)) {
      await ask()
      await nextTurn()
    }
  })()
  await network.call("POST", `/connections/${device}/end`, { how: "cut" })
  await asking
  expect(asked.filter(({ failed, over }) => failed && !over)).toEqual([])
})

test("an address book is read with each login until it is durable, and then no more", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const person = { number: bob.number, full_name: "Bob the Builder" }
  await network.call("POST", `/phones/${ada.number}/contacts`, person)
  const vault = aVault()
  const linking = aConnection({ url: network.url, vault })
  await ada.scan((await linking.happens("qr")).text)
  await linking.happens("closed")

  const login = async (learns: boolean) => {
    await vault.settled()
    const connection = aConnection({ url: network.url, vault, learns })
    await connection.happens("open")
    const names = () =>
      connection.happenings
        .flatMap((one) => (one.kind === "people" ? one.people : []))
        .map((one) => one.fullName)
    return { ...connection, knowsBob: async () => names().includes(person.full_name) }
  }
  for (const learns of [false, false, true]) {
    const connection = await login(learns)
    await until(connection.knowsBob)
    if (learns) await until(async () => vault.ofType("app-state-sync-version").length === 2)
    connection.close()
    expect(vault.ofType("app-state-sync-version")).toHaveLength(learns ? 2 : 0)
  }
  const last = await login(true)
  // Its answer comes after that to whatever the login asked for by itself.
  await last.registered([bob.number])
  expect(await last.knowsBob()).toBe(false)
  last.close()
})
