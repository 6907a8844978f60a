import { afterAll, beforeAll, expect, test } from "vitest"
import { textMessage } from "#session-host/baileys/compose.ts"
import { decode } from "#session-host/baileys/decode.ts"
import { trustRoot } from "#session-host/baileys/certificates.ts"
import { aConnection, aPairedConnection } from "#test/support/connection.ts"
import { aNetwork, type Network } from "#test/support/network.ts"
import { aVault } from "#test/support/vault.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

test("it pairs by a code, is told to restart, opens, and texts both ways", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const vault = aVault()

  const linking = aConnection({ url: network.url, vault })
  await ada.scan((await linking.happens("qr")).text)
  expect((await linking.happens("closed")).reason).toBe("restart")
  expect(linking.happenings.map(({ kind }) => kind)).toEqual(["qr", "paired", "closed"])

  const connection = aConnection({ url: network.url, vault })
  const { me } = await connection.happens("open")
  expect(me).toMatchObject({ jid: ada.jid, lid: ada.lid, phone: ada.number })

  const message = textMessage({ body: "hello Bob" })
  const { timestamp } = await connection.send({ messageId: "3EB0A1", chat: bob.jid, message })
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60)
  expect(await bob.read({ text: "hello Bob" })).toMatchObject([{ id: "3EB0A1", from: ada.number, times: 1 }])

  await bob.send(ada.number, "hello Ada")
  await expect
    .poll(() => vault.journal().map(({ plaintext }) => decode(plaintext).conversation))
    .toContain("hello Ada")
  connection.close()
})
