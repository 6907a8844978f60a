import { generateSignalPubKey } from "@whiskeysockets/baileys"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { additionalDataOf } from "#session-host/whatsapp/additional-data.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { withUnusedPreKeys } from "#session-host/whatsapp/signal/anew.ts"
import { credsFromText } from "#session-host/whatsapp/signal/keys-as-text.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aSignalDevice } from "#test/support/network/signal-device.ts"
import { aLinkedDevice, texts } from "#test/support/session/linked-device.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import { until } from "#test/support/until.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})
afterAll(() => network.close())

/** A linked device, its signed prekey, and the days that pass. */
async function aDevice() {
  const linked = await aLinkedDevice(network)
  const { vault, device } = linked
  let { connection } = linked
  onTestFinished(() => void vi.useRealTimers())
  const creds = () => credsFromText(vault.creds!)
  return {
    ...linked,
    creds,
    id: () => creds().signedPreKey.keyId,
    /** So many days later it logs in again. */
    later: async (days: number) => {
      connection.close()
      await vault.settled()
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 86_400_000 })
      connection = aConnection({ url: network.url, vault })
      await connection.happens("open")
    },
    /** How often it has offered a signed prekey to the network. */
    offers: async () => {
      const asked = await network.control.log({
        who: device,
        kind: "in",
        attrs: { xmlns: "encrypt", type: "set" },
      })
      return asked.filter(({ stanza }) => JSON.stringify(stanza?.content).includes('"rotate"')).length
    },
    /** A peer who has got the present signed prekey, and writes with it whenever they are told to. */
    aWriter: async () => {
      const { lid, jid } = await network.phone()
      const writer = await aSignalDevice(lid)
      const { signedPreKey, signedIdentityKey, registrationId, me } = creds()
      const { keyId, keyPair, signature } = signedPreKey
      const session = {
        registrationId,
        identityKey: generateSignalPubKey(signedIdentityKey.public),
        signedPreKey: { keyId, publicKey: generateSignalPubKey(keyPair.public), signature },
      }
      const to = me!.lid!
      await writer.repository.injectE2ESession({ jid: to, session })
      return async (text: string) => {
        const { type, ciphertext } = await writer.encrypt(to, { conversation: text })
        const content = { base64: Buffer.from(ciphertext).toString("base64") }
        await network.control.stanza(device, {
          tag: "message",
          attrs: {
            from: lid,
            sender_pn: jid,
            id: text,
            t: String(Math.floor(Date.now() / 1000)),
            type: "text",
          },
          content: [{ tag: "enc", attrs: { v: "2", type }, content }],
        })
        await until(() => texts(vault).includes(text))
      }
    },
  }
}

test("a signed prekey is replaced after 27 days, and who has got a former one can still begin with it", async () => {
  const { id, later, offers, aWriter, bob, ada, vault } = await aDevice()
  const withFirst = await aWriter()
  await later(26)
  expect([id(), await offers()]).toEqual([1, 0])
  await later(2)
  await until(() => id() === 2)
  expect(await offers()).toBe(1)
  const withSecond = await aWriter()
  await withFirst("first")
  await later(28)
  await until(() => id() === 3)
  await withSecond("second")
  await bob.send(ada.number, "third")
  await until(() => texts(vault).includes("third"))
})

test("a former key that is two months old is forgotten", async () => {
  const { id, later, creds } = await aDevice()
  for (const next of [2, 3, 4, 5]) {
    await later(28)
    await until(() => id() === next)
  }
  expect(additionalDataOf(creds()).signedPreKeys?.former.map(({ keyId }) => keyId)).toEqual([4, 3])
})

test("a copy's credentials replace it at the next login, by an unused number, and the old one still reads", async () => {
  const { creds, id, later, vault, aWriter } = await aDevice()
  const write = await aWriter()
  await later(28)
  await until(() => id() === 2)
  await vault.change({ creds: withUnusedPreKeys(vault.creds!) })
  await later(0)
  await until(() => id() > 100_000)
  await write("begun with the first one")
  expect(additionalDataOf(creds()).signedPreKeys?.former.map(({ keyId }) => keyId)).toEqual([2, 1])
})

test("a key that the network does not answer for is offered again, and it is the same one", async () => {
  const { creds, id, later, offers, device } = await aDevice()
  const removed = await network.fault({ kind: "delay", device, ms: 1500 })
  await later(28)
  await until(async () => (await offers()) === 1)
  const next = additionalDataOf(creds()).signedPreKeys?.next
  expect(id()).toBe(1)
  await removed()
  await later(0)
  await until(() => id() === 2)
  expect(creds().signedPreKey.keyPair).toEqual(next?.keyPair)
  expect(await offers()).toBe(2)
})

test.for([
  [503, 1, true],
  [429, 27, true],
  [406, 27, false],
] as const)(
  "after a refusal with %i it offers a key again %i days later; the same one: %s",
  async ([code, days, isSame]) => {
    const { creds, id, later, offers, device } = await aDevice()
    const removed = await network.fault({ kind: "refuse_iq", device, xmlns: "encrypt", code })
    await later(28)
    const kept = await until(() => {
      const now = additionalDataOf(creds()).signedPreKeys
      return now && now.dueAt > Date.now() / 1000 ? now : undefined
    })
    await removed()
    await later(days - 0.5)
    expect([id(), await offers()]).toEqual([1, 1])
    await later(1)
    await until(() => id() === 2)
    expect(await offers()).toBe(2)
    expect(isSame ? kept.next?.keyPair : kept.next).toEqual(isSame ? creds().signedPreKey.keyPair : undefined)
  },
)
