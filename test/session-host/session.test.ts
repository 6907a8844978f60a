import { PNG } from "pngjs"
import jsqrModule from "jsqr"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aBridge } from "#test/support/bridge.ts"
import { aHost, call, eventsOf, eventsOfType, held, sendText, statusOf } from "#test/support/host.ts"
import { aNetwork } from "#test/support/network.ts"
import { until } from "#test/support/until.ts"

// CommonJS: the function is its default's default.
const jsqr = jsqrModule as unknown as typeof jsqrModule.default

test("a phone links by the PNG of `qr`, a text goes out, the answer becomes an event row", async () => {
  const network = await aNetwork()
  await aHost(network)
  const bridge = await aBridge()
  await held(bridge.id)
  expect(await statusOf(bridge.id)).toBe("unpaired")

  const qr = await call(bridge.id, "GET", "/qr")
  expect(qr.status).toBe(200)
  const png = PNG.sync.read(Buffer.from(await qr.arrayBuffer()))
  const code = jsqr(new Uint8ClampedArray(png.data), png.width, png.height)
  const phone = await network.phone("Ada")
  await phone.scan(code!.data)
  await until(async () => (await statusOf(bridge.id)) === "connected")

  const contact = await network.phone("Bob")
  const sent = await sendText(bridge.id, contact.number, "hello Bob")
  expect(sent).toMatchObject({ status: 200 })
  const [read] = await contact.read({ text: "hello Bob" })
  expect(read).toMatchObject({ text: "hello Bob", times: 1 })

  await contact.send(phone.number, "hello Ada")
  const [message] = await eventsOfType(bridge.id, "message")
  expect(message).toMatchObject({ body: "hello Ada", phone: contact.number, from_me: false, type: "text" })
  expect((await eventsOf(bridge.id)).map((event) => event.event)).toContain("connected")
})
