import { createHash } from "node:crypto"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { decode } from "#session-host/network/decode.ts"
import { inTransmission } from "#session-host/whatsapp/send/transmission.ts"
import { SessionRecord } from "#session-host/whatsapp/signal/libsignal.ts"
import { closedInsteadOfDeleted } from "#session-host/whatsapp/signal/undo-deletions.ts"
import { aSignalDevice, twoSignalDevices } from "#test/support/network/signal-device.ts"
import { aTransmission } from "#test/support/session/transmission.ts"
import { aVault } from "#test/support/session/vault.ts"

const types = (change: { keys?: { type: string }[] } | undefined) => change?.keys?.map(({ type }) => type)

const padded = (content: proto.IMessage) => writeRandomPadMax16(proto.Message.encode(content).finish())

const slow = () => aVault({ latencyMs: () => Math.random() * 10 })

test("a decrypted message is taken in with the one change that moves the ratchet", async () => {
  const { ada, bob } = await twoSignalDevices()
  const sealed = await ada.encrypt(bob.lid, { conversation: "one" })
  const before = bob.vault.changes.length

  const plaintext = await bob.decrypt(ada.lid, sealed, { id: "A1", notify: "Ada" })

  expect(decode(plaintext).conversation).toBe("one")
  const [change, ...more] = bob.vault.changes.slice(before)
  expect(more).toEqual([])
  expect(types(change)).toEqual(["session"])
  expect(change?.received).toMatchObject({
    hash: createHash("sha256").update(sealed.ciphertext).digest("hex"),
    attrs: { id: "A1", from: ada.lid, notify: "Ada" },
    plaintext,
  })
})

test("that the network has verified a business is said with its message", async () => {
  const { ada, bob } = await twoSignalDevices()
  const certificate = { tag: "verified_name", attrs: {}, content: Buffer.of(1) }
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "one" }), {}, [certificate])
  expect(bob.vault.changes.at(-1)?.received).toMatchObject({ verified: true })
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "two" }))
  expect(bob.vault.changes.at(-1)?.received).not.toHaveProperty("verified")
})

test("a first message takes its prekey away and remembers the identity in that same change", async () => {
  const ada = await aSignalDevice("111@lid")
  const bob = await aSignalDevice("222@lid")
  await ada.open(bob)
  const before = bob.vault.changes.length
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: "first" }))
  const [change, ...more] = bob.vault.changes.slice(before)
  expect(more).toEqual([])
  expect(types(change)?.toSorted()).toEqual(["identity-key", "pre-key", "session"])
})

test("a redelivered message is an empty one, and moves no ratchet", async () => {
  const { ada, bob } = await twoSignalDevices()
  const sealed = await ada.encrypt(bob.lid, { conversation: "again" })
  await bob.decrypt(ada.lid, sealed)
  const changes = bob.vault.changes.length

  const empty = await bob.decrypt(ada.lid, sealed)

  expect([...empty]).toEqual([1])
  expect(decode(empty)).toEqual({})
  expect(bob.vault.changes).toHaveLength(changes)
})

test("a message whose key another program has used is none that Baileys may refuse as a repetition", async () => {
  const vault = aVault()
  const { ada, bob } = await twoSignalDevices({ bob: vault })
  const sealed = await ada.encrypt(bob.lid, { conversation: "read elsewhere" })
  await bob.decrypt(ada.lid, sealed)
  vault.isSeen = async () => false

  const again = bob.decrypt(ada.lid, sealed)

  await expect(again).rejects.toThrow(
    /^Key used already or never filled, and its message was never taken in$/,
  )
})

test("a change that is not made moves nothing, and the message can be decrypted later", async () => {
  const { ada, bob } = await twoSignalDevices()
  const sealed = await ada.encrypt(bob.lid, { conversation: "later" })
  const keep = bob.vault.fail(() => {})
  await expect(bob.decrypt(ada.lid, sealed)).rejects.toThrow("fenced")

  keep()
  expect(decode(await bob.decrypt(ada.lid, sealed)).conversation).toBe("later")
})

test("a sent message is in the unit of the first ratchet that it moves, which no ciphertext waits for", async () => {
  const { ada, bob } = await twoSignalDevices()
  const release = ada.vault.hold()
  const before = ada.vault.changes.length
  const outgoing = { messageId: "3EB0", chat: bob.lid, message: Buffer.from("x") }
  const state = aTransmission(outgoing)

  await inTransmission(state, () => ada.encrypt(bob.lid, { conversation: "out" }))
  expect(ada.vault.kept()).toBeLessThan(ada.vault.changes.length)
  release()
  const [change, ...more] = ada.vault.changes.slice(before)
  expect(more).toEqual([])
  expect(types(change)).toEqual(["session"])
  expect(change?.outgoing).toEqual(outgoing)
})

test("a message that was given up is not encrypted any more", async () => {
  const { ada, bob } = await twoSignalDevices()
  const state = aTransmission()
  state.giveUp(new Error("it took too long"), false)
  const changes = ada.vault.changes.length
  await expect(inTransmission(state, () => ada.encrypt(bob.lid, { conversation: "never" }))).rejects.toThrow(
    "given up",
  )
  expect(ada.vault.changes).toHaveLength(changes)
})

test("however often a send asks for a device's keys, their session stays, and old messages are readable", async () => {
  const { ada, bob } = await twoSignalDevices()
  const waiting = await bob.encrypt(ada.lid, { conversation: "on its way" })
  for (let n = 1; n <= 6; n++) {
    await inTransmission(aTransmission(), () => ada.open(bob))
    await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, { conversation: `${n}` }))
  }
  expect(decode(await ada.decrypt(bob.lid, waiting)).conversation).toBe("on its way")
})

test("a session that is closed after a send has looked for it is opened once more", async () => {
  const { ada, bob } = await twoSignalDevices()
  const address = ada.repository.jidToSignalProtocolAddress(bob.lid)
  await ada.keys.set(await closedInsteadOfDeleted({ session: { [address]: null } }, ada.keys))
  const state = aTransmission()
  await expect(inTransmission(state, () => ada.encrypt(bob.lid, { conversation: "lost" }))).rejects.toThrow(
    "No open",
  )
  const asked: string[] = []
  state.openAgain = async (jid) => {
    asked.push(jid)
    await ada.open(bob)
  }
  const sealed = await inTransmission(state, () => ada.encrypt(bob.lid, { conversation: "all the same" }))
  expect(asked).toEqual([bob.lid])
  expect(decode(await bob.decrypt(ada.lid, sealed)).conversation).toBe("all the same")
})

test("a device with a new identity, and one that could not read us, get a new session", async () => {
  const { ada, bob } = await twoSignalDevices()
  const again = await aSignalDevice(bob.lid)
  await inTransmission(aTransmission(), () => ada.open(again))
  expect((await ada.encrypt(bob.lid, { conversation: "to the new one" })).type).toBe("pkmsg")

  const { ada: eve, bob: bill } = await twoSignalDevices()
  await eve.open(bill)
  expect((await eve.encrypt(bill.lid, { conversation: "once more" })).type).toBe("pkmsg")
})

test("a peer who returns with another identity is read, also what they wrote before, and written to anew", async () => {
  const { ada, bob } = await twoSignalDevices()
  const before = await ada.encrypt(bob.lid, { conversation: "from before" })
  const again = await aSignalDevice(ada.lid)
  await again.open(bob)
  const first = await again.encrypt(bob.lid, { conversation: "a new phone" })
  expect(decode(await bob.decrypt(ada.lid, first)).conversation).toBe("a new phone")
  expect(decode(await bob.decrypt(ada.lid, before)).conversation).toBe("from before")
  const answer = await bob.encrypt(ada.lid, { conversation: "welcome back" })
  expect(decode(await again.decrypt(bob.lid, answer)).conversation).toBe("welcome back")
  // However often that happens, as many sessions are kept as for any other peer.
  for (let n = 1; n <= 20; n++) {
    const next = await aSignalDevice(ada.lid)
    await next.open(bob)
    await bob.decrypt(ada.lid, await next.encrypt(bob.lid, { conversation: `${n}` }))
  }
  const { "111_1.0": record } = await bob.keys.get("session", ["111_1.0"])
  expect(Object.keys(SessionRecord.deserialize(record).sessions)).toHaveLength(13)
})

test("a sender key is applied in the change of its message, and only there", async () => {
  const { ada, bob } = await twoSignalDevices()
  const group = "999@g.us"
  const sealed = await ada.repository.encryptGroupMessage({
    group,
    meId: ada.lid,
    data: padded({ conversation: "to all" }),
  })
  const distribution = {
    groupId: group,
    axolotlSenderKeyDistributionMessage: sealed.senderKeyDistributionMessage,
  }
  const before = bob.vault.changes.length

  await bob.repository.processSenderKeyDistributionMessage({ authorJid: ada.lid, item: distribution })
  expect(bob.vault.changes).toHaveLength(before)

  const carrier = await ada.encrypt(bob.lid, { senderKeyDistributionMessage: distribution })
  await bob.decrypt(ada.lid, carrier, { from: group, participant: ada.lid })
  const [change, ...more] = bob.vault.changes.slice(before)
  expect(more).toEqual([])
  expect(types(change)?.toSorted()).toEqual(["sender-key", "session"])

  const text = await bob.decryptGroup(group, ada.lid, sealed.ciphertext)
  expect(decode(text).conversation).toBe("to all")
  expect(bob.vault.changes.at(-1)?.received?.attrs).toMatchObject({ from: group, participant: ada.lid })
  expect(types(bob.vault.changes.at(-1))).toEqual(["sender-key"])
})

test.for([
  { name: "the sender", groupId: "111@lid" },
  { name: "the sender's Signal address", groupId: "111_1.0" },
  { name: "another group", groupId: "998@g.us" },
  { name: "too long for a key", groupId: "x".repeat(5000) },
])(
  "a sender key is for the group that its message came to, whatever the sender writes into it ($name)",
  async ({ groupId }) => {
    const { ada, bob } = await twoSignalDevices()
    const group = "999@g.us"
    const distributionOf = async () => {
      const { senderKeyDistributionMessage } = await ada.repository.encryptGroupMessage({
        group,
        meId: ada.lid,
        data: padded({ conversation: "to all" }),
      })
      return { groupId, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage }
    }
    const carrier = { senderKeyDistributionMessage: await distributionOf() }

    await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, carrier))
    expect(types(bob.vault.changes.at(-1))).toEqual(["session"])

    await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, carrier), { from: group, participant: ada.lid })
    const [key] = bob.vault.changes.at(-1)!.keys!.filter(({ type }) => type === "sender-key")
    expect(key!.id).toMatch(/^999@g\.us::/)
  },
)

test("a message to a group may bring a sender key for that very group", async () => {
  const { ada, bob } = await twoSignalDevices()
  const group = "999@g.us"
  const sealed = (content: proto.IMessage) =>
    ada.repository.encryptGroupMessage({
      group,
      meId: ada.lid,
      data: padded(content),
    })
  const first = await sealed({ conversation: "one" })
  const distribution = {
    groupId: group,
    axolotlSenderKeyDistributionMessage: first.senderKeyDistributionMessage,
  }
  const carrier = await ada.encrypt(bob.lid, { senderKeyDistributionMessage: distribution })
  await bob.decrypt(ada.lid, carrier, { from: group, participant: ada.lid })

  const again = await sealed({ conversation: "two", senderKeyDistributionMessage: distribution })
  await bob.decryptGroup(group, ada.lid, again.ciphertext)
  expect(bob.vault.taken().at(-1)!.attrs).toMatchObject({ from: group })
})

test("keys for the account's own settings are kept with their message, but from the own account alone", async () => {
  const { ada, bob } = await twoSignalDevices()
  const share = {
    protocolMessage: {
      appStateSyncKeyShare: {
        keys: [{ keyId: { keyId: Buffer.from("k1") }, keyData: { keyData: Buffer.from("secret") } }],
      },
    },
  }
  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, share))
  expect(types(bob.vault.changes.at(-1))).toEqual(["session"])

  await bob.decrypt(ada.lid, await ada.encrypt(bob.lid, share), { from: bob.lid, category: "peer" })
  expect(types(bob.vault.changes.at(-1))?.toSorted()).toEqual(["app-state-sync-key", "session"])
})

test("a message that is no protobuf is taken in all the same, and Baileys gets an empty one", async () => {
  const { ada, bob } = await twoSignalDevices()
  const sealed = await ada.repository.encryptMessage({ jid: bob.lid, data: Buffer.from([255, 255, 255, 1]) })
  expect([...(await bob.decrypt(ada.lid, sealed))]).toEqual([1])
  expect(Buffer.from(bob.vault.taken().at(-1)!.plaintext)).toEqual(Buffer.from([255, 255, 255, 1]))
})

test("with a slow store, 100 messages each way at once are all readable", async () => {
  const { ada, bob } = await twoSignalDevices({ ada: slow(), bob: slow() })
  const oneWay = async (from: typeof ada, to: typeof ada) => {
    const texts = Array.from({ length: 100 }, (_, i) => `${from.lid} ${i}`)
    const read = await Promise.all(
      texts.map(async (text) => {
        const sealed = await from.encrypt(to.lid, { conversation: text })
        return decode(await to.decrypt(from.lid, sealed)).conversation
      }),
    )
    expect(read).toEqual(texts)
  }
  await Promise.all([oneWay(ada, bob), oneWay(bob, ada)])
})

test("two sessions that hear from the same contact at once each keep ratchet and message together", async () => {
  const [eve, one, two] = [
    await aSignalDevice("111@lid"),
    await aSignalDevice("222@lid", slow()),
    await aSignalDevice("333@lid", slow()),
  ]
  for (const each of [one, two]) await eve.open(each)
  const sealed = [
    await eve.encrypt(one.lid, { conversation: "1" }),
    await eve.encrypt(two.lid, { conversation: "2" }),
  ]

  await Promise.all([one.decrypt(eve.lid, sealed[0]!), two.decrypt(eve.lid, sealed[1]!)])

  for (const each of [one, two]) {
    const change = each.vault.changes.at(-1)
    expect(change?.received).toBeDefined()
    expect(types(change)).toContain("session")
  }
})

test("a session has the addresses of some people in its memory, and looks the others up", async () => {
  const { keys, repository } = await aSignalDevice("111@lid")
  const { lidMapping } = repository
  const people = Array.from({ length: 5_001 }, (_, n) => String(1_000 + n))
  await lidMapping.storeLIDPNMappings(
    people.map((user) => ({ lid: `${user}@lid`, pn: `49${user}@s.whatsapp.net` })),
  )
  const changed = Object.fromEntries(["1000", "6000"].map((lid) => [`${lid}_reverse`, "77"]))
  await keys.set({ "lid-mapping": changed })
  expect(await lidMapping.getPNForLID("1000@lid")).toMatch(/^77\b/)
  expect(await lidMapping.getPNForLID("6000@lid")).toMatch(/^496000\b/)
})
