import { expect, test } from "vitest"
import { aNetwork } from "#test/support/network.ts"

test("a Baileys client pairs by QR code and texts both ways", async () => {
  const network = await aNetwork()
  const ada = await network.phone("Ada")
  const bob = await network.phone("Bob")
  const client = await network.paired(ada)

  const sent = await client.sock.sendMessage(bob.jid, { text: "hello Bob" })
  const [read] = await bob.read({ text: "hello Bob" })
  expect(read).toMatchObject({ id: sent?.key.id, from: ada.number, times: 1 })

  await bob.send(ada.number, "hello Ada")
  await client.message("hello Ada")
  client.close()
  await network.close()
})
