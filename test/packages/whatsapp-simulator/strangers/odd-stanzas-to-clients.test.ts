import { randomBytes } from "node:crypto"
import { type BinaryNodeAttributes, proto } from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import type { Client } from "../../../support/network/baileys-client.ts"
import { aNetwork, deviceOf } from "../../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

/** The stanzas that come to a client under this tag, read or not. */
function stanzas(client: Client, tag: string) {
  const seen: BinaryNodeAttributes[] = []
  client.sock.ws.on(`CB:${tag}`, ({ attrs }: { attrs: BinaryNodeAttributes }) => {
    seen.push(attrs)
    client.changed()
  })
  return {
    seen,
    until: (id: string, times = 1) =>
      client.until(`${times} of ${tag} ${id}`, () => {
        const those = seen.filter((one) => one.id === id)
        return those.length >= times ? those : undefined
      }),
  }
}

test("a client that got a placeholder asks its phone, which gives it the message", async () => {
  const { ada, bob, client, device } = await network.chat()
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(ada.number, "not for everybody at once")
  await client.until("the placeholder", () =>
    client.messages.find(({ message }) => message.key.id === id && !message.message),
  )
  const { message } = await client.message("not for everybody at once")
  expect(message.key).toMatchObject({ id, fromMe: false, remoteJid: bob.lid })
})

test("bytes that are no message, unknown fields and a giant reach a client as they are, and it lives on", async () => {
  const { ada, bob, client, device } = await network.chat()
  const messages = stanzas(client, "message")
  const write = (bytes: Uint8Array) => bob.post(ada.number, { bytes: Buffer.from(bytes).toString("base64") })
  const broken = await write(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]))
  // Field 9999, a text, which no version of the protocol has.
  const unknown = await write(Buffer.from([0xfa, 0xf0, 0x04, 2, 0x68, 0x69]))
  const giant = await write(proto.Message.encode({ conversation: "x".repeat(1_000_000) }).finish())
  for (const { id } of [broken, unknown, giant]) await messages.until(id)
  // It asks again for a message that it cannot read. That may cost it the next message, until it is sent
  // again, too.
  const got = await client.until("the giant", () =>
    client.messages.find(({ message }) => message.key.id === giant.id && message.message),
  )
  expect(got.message.message?.conversation).toHaveLength(1_000_000)
  await bob.send(ada.number, "still there?")
  await client.message("still there?")
  const { settled } = (await network.call("GET", `/devices/${device}/settled?wait=10000`)) as {
    settled: boolean
  }
  expect(settled).toBe(true)
  // The phone that sent them keeps a record of each.
  expect((await bob.read({ id: broken.id }))[0]?.kind).toBe("bytes")
})

test("any stanza can be queued for a device, and waits until it is settled; none for an unknown device", async () => {
  const { bob, client, device } = await network.chat()
  client.close()
  await client.closed()
  const stanza = {
    tag: "message",
    attrs: { id: "POISON", from: bob.lid, type: "text", t: "1700000000" },
    content: [
      {
        tag: "enc",
        attrs: { v: "9", type: "frob" },
        content: { base64: randomBytes(50).toString("base64") },
      },
    ],
  }
  await network.call("POST", `/devices/${device}/stanzas`, stanza)
  for (const asked of [
    network.call("POST", `/devices/${device}9/stanzas`, stanza),
    network.call("GET", `/devices/${device}9/settled?wait=10000`),
  ])
    await expect(asked).rejects.toThrow("unknown_device")
  const again = network.client(client.device)
  const messages = stanzas(again, "message")
  expect(await messages.until("POISON")).toMatchObject([{ offline: "0" }])
  expect(await network.call("GET", `/devices/${device}/settled?wait=10000`)).toMatchObject({ settled: true })
})

test("a stanza that nothing settles comes again with every connection", async () => {
  const { ada, bob, client, device } = await network.chat()
  const remove = await network.fault({ kind: "unsettled", device })
  const { id } = await bob.send(ada.number, "for ever")
  await client.message("for ever")
  let last = client
  for (let i = 0; i < 2; i++) {
    last.close()
    await last.closed()
    last = network.client(client.device)
    await stanzas(last, "message").until(id)
  }
  await remove()
  last.close()
  await last.closed()
  await network.client(client.device).online()
  expect(await network.call("GET", `/devices/${device}/settled?wait=10000`)).toMatchObject({ settled: true })
})

test("a phone that has lost its sessions and sender keys asks clients again, and reads then", async () => {
  const { ada, bob, client } = await network.chat()
  const { jid } = await network.group([bob, ada])
  await client.sock.sendMessage(bob.lid, { text: "one" })
  await bob.read({ text: "one" })
  await client.sock.sendMessage(jid, { text: "one to all" })
  await bob.read({ text: "one to all" })

  await network.call("DELETE", `/phones/${bob.number}/sessions`)
  await client.sock.sendMessage(jid, { text: "two to all" })
  expect(await bob.read({ text: "two to all" })).toMatchObject([{ times: 1, chat: jid }])
  await client.sock.sendMessage(bob.lid, { text: "two" })
  expect(await bob.read({ text: "two" })).toMatchObject([{ times: 1 }])
  const asked = await network.log({ kind: "out", who: deviceOf(client), attrs: { type: "retry" } })
  expect(asked.map(({ stanza }) => stanza?.attrs.from)).toContain(jid)
  expect(await network.call("GET", `/phones/${bob.number}`)).toMatchObject({
    not_decrypted: { bad: 0, repeated: 0, no_session: asked.length },
  })
  await bob.send(jid, "and back")
  await client.message("and back")
})
