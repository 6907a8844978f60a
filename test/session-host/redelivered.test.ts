import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aChat } from "../support/session/chat.ts"
import { aHost, eventsOf, held } from "../support/session/host.ts"
import { until } from "../support/until.ts"

test.for(["marked as the backlog", "unmarked"])(
  "messages that the network delivers again to the bridge's next holder, %s, get plain receipts and become no second event",
  async (how) => {
    const { network, bob, phone, bridge, host } = await aChat()
    const device = `${phone.number}:1`
    const group = await network.group([bob, phone])
    const texts = async () =>
      (await eventsOf(bridge.id)).flatMap((event) => (event.event === "message" ? event.body : []))

    await network.fault({ kind: "unsettled", device })
    const sent: string[] = []
    for (const to of [phone.number, group.jid, phone.number, group.jid])
      sent.push((await bob.send(to, `message ${sent.length}`)).id)
    await until(async () => (await texts()).length === sent.length)
    const before = await texts()

    if (how === "unmarked") await network.fault({ kind: "unmarked", device })
    await host.stop()
    const next = await aHost(network)
    await held(bridge.id, next)
    const after = await bob.send(phone.number, "after")
    const receiptsOf = async (id: string) =>
      await network.control.log({ who: device, kind: "in", tag: "receipt", attrs: { id }, wait: 0 })
    await until(async () => (await texts()).includes("after") && (await receiptsOf(after.id)).length > 0)

    expect(await texts()).toEqual([...before, "after"])
    for (const id of sent) {
      const types = (await receiptsOf(id)).map(({ stanza }) => stanza!.attrs.type)
      expect(types).toEqual(["inactive", "inactive"])
    }
  },
)
