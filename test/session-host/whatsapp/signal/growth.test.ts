import { initAuthCreds, proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { compress } from "#session-host/memory/compress.ts"
import { decode } from "#session-host/network/decode.ts"
import { credsFromText, credsToText } from "#session-host/whatsapp/signal/keys-as-text.ts"
import { aSignalDevice, twoSignalDevices } from "#test/support/network/signal-device.ts"
import { advanceRatchet, advanceSenderKeys } from "#test/support/session/advance-ratchets.ts"

type Party = Awaited<ReturnType<typeof aSignalDevice>>

/** The largest of these values, as its row holds it. */
function largest({ vault }: Party, type: string): number {
  return Math.max(...vault.ofType(type).map((value) => compress(value).bytes.length))
}

const text = async (plaintext: Promise<Uint8Array>) => decode(await plaintext).conversation

test("however long a conversation with a device, its row stays as small as after the first messages", async () => {
  const { ada, bob } = await twoSignalDevices()
  for (let i = 0; i < 50; i++) {
    const [there, back] = [`there ${i}`, `back ${i}`]
    expect(await text(bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: there })))).toBe(there)
    expect(await text(ada.decrypt(bob.lid, await bob.encrypt(ada.lid, { conversation: back })))).toBe(back)
  }
  for (const party of [ada, bob]) expect(largest(party, "session")).toBeLessThan(700)
})

test("first messages, each of which skips all that one may skip, make no large row, and all are read", async () => {
  const [eve, bob] = [await aSignalDevice("111@lid"), await aSignalDevice("222@lid")]
  for (let i = 0; i < 12; i++) {
    // Without a prekey it uses up nothing that could run out.
    await eve.open({ lid: bob.lid, bundle: async () => ({ ...(await bob.bundle()), preKey: undefined }) })
    await advanceRatchet(eve, bob.lid, 1_999)
    const sealed = await eve.encrypt(bob.lid, { conversation: `${i}` })
    expect(sealed.type).toBe("pkmsg")
    expect(await text(bob.decrypt(eve.lid, sealed))).toBe(`${i}`)
  }
  expect(largest(bob, "session")).toBeLessThan(64 * 1024)
})

test("a chain that skips again and again makes no large row", async () => {
  const { ada, bob } = await twoSignalDevices()
  for (let i = 0; i < 5; i++) {
    await advanceRatchet(ada, bob.lid, 1_999)
    expect(await text(bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: `${i}` })))).toBe(
      `${i}`,
    )
  }
  expect(largest(bob, "session")).toBeLessThan(64 * 1024)
})

test("the last thousand messages that were overtaken are still readable", async () => {
  const { ada, bob } = await twoSignalDevices()
  const late = await Promise.all(
    Array.from({ length: 1_001 }, (_, i) => ada.encrypt(bob.lid, { conversation: `${i}` })),
  )
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "first to come" }))
  for (const i of [1, 500, 1_000]) expect(await text(bob.decrypt(ada.lid, late[i]!))).toBe(`${i}`)
  await expect(bob.decrypt(ada.lid, late[0]!)).rejects.toThrow("Key used already or never filled")
})

test("messages of the last turns of a conversation are readable however late they come", async () => {
  const { ada, bob } = await twoSignalDevices()
  const late = []
  for (let i = 0; i < 4; i++) {
    late.push(await ada.encrypt(bob.lid, { conversation: `late ${i}` }))
    await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "there" }))
    await ada.decrypt(bob.lid, await bob.encrypt(ada.lid, { conversation: "back" }))
  }
  for (const [i, sealed] of late.entries()) expect(await text(bob.decrypt(ada.lid, sealed))).toBe(`late ${i}`)
})

const group = "999@g.us"
const own = `${group}::111_1::0`

const padded = (content: proto.IMessage) => writeRandomPadMax16(proto.Message.encode(content).finish())

async function aGroup() {
  const [ada, bob] = [await aSignalDevice("111@lid"), await aSignalDevice("222@lid")]
  await ada.open(bob)
  const encrypt = (conversation: string) =>
    ada.repository.encryptGroupMessage({ group, meId: ada.lid, data: padded({ conversation }) })
  const share = async () => {
    const { senderKeyDistributionMessage } = await encrypt("shared")
    const distribution = { groupId: group, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage }
    const carrier = await ada.encrypt(bob.lid, { senderKeyDistributionMessage: distribution })
    await bob.decrypt(ada.lid, carrier, { from: group, participant: ada.lid })
  }
  const send = async (said: string) => {
    expect(await text(bob.decryptGroup(group, ada.lid, (await encrypt(said)).ciphertext))).toBe(said)
  }
  return { ada, bob, share, send }
}

test("a sender key that skips again and again makes no large row, on neither side", async () => {
  const { ada, bob, share, send } = await aGroup()
  for (let i = 0; i < 5; i++) {
    await share()
    await advanceSenderKeys(ada, own, 1_900)
    await send(`${i}`)
  }
  expect(largest(bob, "sender-key")).toBeLessThan(64 * 1024)
})

test("however many messages are sent to a group, the row of our own key stays small", async () => {
  const { ada, share, send } = await aGroup()
  await share()
  for (let i = 0; i < 50; i++) await send(`${i}`)
  expect(largest(ada, "sender-key")).toBeLessThan(1000)
})

const history = (n: number) => ({ key: { id: `H${n}` }, messageTimestamp: n })

test("however many histories a phone has sent, the credentials say that there was one", () => {
  const creds = initAuthCreds()
  creds.processedHistoryMessages = Array.from({ length: 3000 }, (_, n) => history(n))
  const kept = credsFromText(credsToText(creds))
  expect(kept).toEqual({ ...creds, processedHistoryMessages: [history(2999)] })
})
