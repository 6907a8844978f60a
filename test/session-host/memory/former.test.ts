import { createHash } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { dynamoDb } from "#test/support/store.ts"
import { aHost, eventsOf, eventsOfType, held } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { aReceivedMessage } from "#test/support/session/received-message.ts"
import { until } from "#test/support/until.ts"
import type { Event } from "#core/contract/event.ts"
import { Lease } from "#core/lease/lease.ts"
import { connect } from "#session-host/baileys/socket/connect.ts"
import type { Received } from "#session-host/network/connection.ts"

/** The rows of a release before 0.2 that died right after it had decrypted these messages. */
async function leaveFormer(one: Awaited<ReturnType<typeof aMemory>>, ...messages: Received[]) {
  const { store, commits, vault } = one.memory
  const rows = messages.flatMap(({ hash, attrs, plaintext }, i) => {
    const sk = `JOURNAL#${"2".padStart(12, "0")}-${String(i + 1).padStart(12, "0")}`
    const head = Buffer.from(`${JSON.stringify({ hash, attrs })}\n`)
    return [store.put(sk, Buffer.concat([head, plaintext])), store.put(`SEEN#${hash}`, sk)]
  })
  const { Put } = store.toWrite(vault.again())
  const { marks_until: _new, ...creds } = Put!.Item
  await commits.write([...rows, { Put: { TableName: Put!.TableName, Item: creds } }])
  one.crash()
  await Lease.letGo(one.lease)
}

const bodies = (events: Event[]) =>
  events.map((event) => (event.event === "message" ? event.body : event.event))

test("messages that a former release decrypted become events once, in order, and those it has seen are not told again", async () => {
  const first = await aMemory()
  const left = ["left 1", "left 2"].map((text) => aReceivedMessage({ text }))
  await leaveFormer(first, ...left)
  const next = await aMemory({ bridgeId: first.bridgeId })
  await next.memory.settled()
  expect(bodies(await eventsOf(next.bridgeId))).toEqual(["left 1", "left 2"])
  expect(await next.memory.store.names("JOURNAL#")).toEqual([])
  for (const received of left) expect(await next.memory.vault.isSeen(received)).toBe(true)
  await next.letGo()

  const last = await aMemory({ bridgeId: first.bridgeId })
  expect(await last.memory.vault.isSeen({ ...left[0]!, attrs: { ...left[0]!.attrs, id: "OTHER" } })).toBe(
    true,
  )
  expect(await eventsOf(last.bridgeId)).toHaveLength(2)
})

const short = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22)

test("a message whose row a former release wrote is not told again", async () => {
  const first = await aMemory()
  const { store, commits } = first.memory
  const sender = "491710000001@s.whatsapp.net"
  const head = { id: "OLD", chat: sender, sender, fromMe: false }
  const row = store.put(
    `MESSAGE#${short("OLD")}#${short(`${sender}\n${sender}`)}`,
    `${JSON.stringify(head)}\n`,
    { at: 1 },
  )
  await commits.write([row])
  await first.memory.vault.keep({ received: aReceivedMessage({ id: "OLD", text: "told before" }) })
  await first.memory.settled()
  expect(await eventsOf(first.bridgeId)).toEqual([])
  expect(await first.memory.messages.all("OLD")).toHaveLength(1)
})

test("messages that a former release left become events before the next owner connects", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network)
  await host.stop()
  const left = ["left 1", "left 2"].map((text) => aReceivedMessage({ text }))
  await leaveFormer(await aMemory({ bridgeId: bridge.id }), ...left)

  const atDialling: Promise<Event[]>[] = []
  const next = await aHost(network, {
    connect: (input) => {
      atDialling.push(eventsOf(bridge.id))
      return connect({ ...input, url: network.url })
    },
  })
  await held(bridge.id, next)
  await until(async () => atDialling.length > 0)
  expect(bodies(await atDialling[0]!).slice(-2)).toEqual(["left 1", "left 2"])
  expect(await eventsOfType(bridge.id, "message", 2)).toHaveLength(2)
})

const unreadable = () => aReceivedMessage({ plaintext: Buffer.from([0xff, 0xff, 1]) })

test("parked messages are not read before the next owner has connected", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network)
  await host.stop()
  const first = await aMemory({ bridgeId: bridge.id })
  for (let i = 0; i < 50; i++) await first.memory.vault.keep({ received: unreadable() })
  await first.letGo()

  const happened: string[] = []
  const look = (request: object) => {
    if (JSON.stringify(request).includes("PARKED#")) happened.push("read")
    return false
  }
  onTestFinished(dynamoDb.faults.add({ fault: "slow", when: look }))
  const next = await aHost(network, {
    connect: (input) => {
      const onHappening: typeof input.onHappening = (happening) => {
        if (happening.kind === "open") happened.push("open")
        input.onHappening(happening)
      }
      return connect({ ...input, url: network.url, onHappening })
    },
  })
  await held(bridge.id, next)
  await until(async () => happened.includes("read"))
  expect(happened[0]).toBe("open")
})
