import { expect, test } from "vitest"
import "#test/support/store.ts"
import { bridge as admin } from "#admin/bridge.ts"
import { anIntruder } from "../support/network/intruder.ts"
import { aChat } from "../support/session/chat.ts"
import { aHost, eventsOf, held } from "../support/session/host.ts"
import { until } from "../support/until.ts"

/** A linked session whose messages can be asked for, and that moves to another host when it is told. */
async function aMovingChat() {
  const chat = await aChat()
  const { network, phone, bridge, host } = chat
  const device = `${phone.number}:1`
  const texts = async () =>
    (await eventsOf(bridge.id)).flatMap((event) => (event.event === "message" ? event.body : []))
  return {
    ...chat,
    device,
    texts,
    /** Resolves when this text is an event. */
    told: async (text: string) => await until(async () => (await texts()).includes(text)),
    /** The types of receipts for a message. */
    receiptsOf: async (id: string) => {
      const about = { who: device, kind: "in" as const, tag: "receipt", attrs: { id }, wait: 0 }
      return (await network.control.log(about)).map(({ stanza }) => stanza!.attrs.type)
    },
    move: async () => {
      await host.stop()
      await held(bridge.id, await aHost(network))
    },
  }
}

test.for(["marked", "unmarked"])(
  "messages delivered again to the bridge's next holder, %s, get plain receipts and are no second event",
  async (how) => {
    const { network, bob, phone, device, texts, told, receiptsOf, move } = await aMovingChat()
    const group = await network.group([bob, phone])
    await network.fault({ kind: "unsettled", device })
    const sent: string[] = []
    for (const to of [phone.number, group.jid, phone.number, group.jid])
      sent.push((await bob.send(to, `message ${sent.length}`)).id)
    await until(async () => (await texts()).length === sent.length)
    const before = await texts()

    if (how === "unmarked") await network.fault({ kind: "unmarked", device })
    await move()
    const after = await bob.send(phone.number, "after")
    await told("after")
    await until(async () => (await receiptsOf(after.id)).length > 0)

    expect(await texts()).toEqual([...before, "after"])
    for (const id of sent) {
      expect(await receiptsOf(id)).toEqual(["inactive", "inactive"])
      const came = await network.control.log({ who: device, kind: "out", tag: "message", attrs: { id } })
      const marks = came.map(({ stanza }) => stanza!.attrs.offline !== undefined)
      expect(marks).toEqual([false, how === "marked"])
    }
  },
)

test("a message that its sender sends again under its id, encrypted anew, becomes no second event", async () => {
  const { bob, phone, texts, told, move } = await aMovingChat()
  const { id } = await bob.send(phone.number, "first")
  await told("first")
  await move()
  await bob.send(phone.number, "between")
  await told("between")
  await bob.send(phone.number, "again", { id })
  await bob.send(phone.number, "after")
  await told("after")
  expect(await texts()).toEqual(["first", "between", "after"])
})

test("a first message that is replayed when its session was pruned becomes no second event", async () => {
  const chat = await aMovingChat()
  const { bob, phone, texts, told, move } = chat
  const eve = await anIntruder(chat)
  await eve.begin()
  const first = await eve.encrypt({ conversation: "first" })
  await eve.post({ id: "REPLAYED" }, first)
  await told("first")
  for (let n = 1; n <= 13; n++) {
    await eve.begin()
    await eve.post({ id: `LATER${n}` }, await eve.encrypt({ conversation: `later ${n}` }))
    await told(`later ${n}`)
  }
  await move()
  await bob.send(phone.number, "between")
  await told("between")
  await eve.post({ id: "REPLAYED" }, first)
  await bob.send(phone.number, "after")
  await told("after")
  expect((await texts()).filter((text) => text === "first")).toHaveLength(1)
})

test("a message that was received before uses up no skip of the operator's", async () => {
  const { network, bob, phone, bridge, device, texts, told, receiptsOf, move } = await aMovingChat()
  await network.fault({ kind: "unsettled", device })
  const received = await bob.send(phone.number, "received")
  await told("received")
  await network.fault({ kind: "unmarked", device })
  await admin.skip!.run([bridge.id])
  await move()
  const skipped = await bob.send(phone.number, "skipped")
  await until(async () => (await receiptsOf(skipped.id)).includes("retry"))
  expect(await receiptsOf(received.id)).not.toContain("retry")
  expect((await texts())[0]).toBe("received")
})
