import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, expect, test } from "vitest"
import { aNetwork, deviceOf } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())
setDefaultCACertificates([...getCACertificates("default"), network.ca])

/** Baileys looks for files of history and settings at the live network's host: its name leads here. */
const reach = globalThis.fetch
globalThis.fetch = (input, init) =>
  reach(
    typeof input === "string"
      ? input.replace("https://mmg.whatsapp.net", new URL(network.tlsUrl).origin.replace("wss", "https"))
      : input,
    init,
  )

test("a group of a crowd, with some companions, gets what is written to it, and nothing is kept for it", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const { numbers } = await network.control.crowd({ count: 300, devices: 1.5 })
  const { jid, members } = await network.control.group({
    creator: bob.number,
    subject: "Everybody",
    members: [ada.number, ...numbers],
  })
  expect(members).toHaveLength(302)
  const client = await network.paired(ada)
  await bob.send(jid, "hello all")
  await client.message("hello all")
  await client.sock.sendMessage(jid, { text: "hello from one of you" })
  await bob.read({ text: "hello from one of you" })

  const metadata = await client.sock.groupMetadata(jid)
  expect(metadata.participants).toHaveLength(302)
  // Their devices, Ada's and Bob's phones, and the client itself, as Baileys has it.
  const holders = await client.device.keys.get("sender-key-memory", [jid])
  expect(Object.keys(holders[jid] ?? {})).toHaveLength(450 + 3)
  expect(await network.control.settled(`${numbers[0]}:0`, 0)).toBe(true)
})

test.for([false, true])("an address book of thousands reaches a new client (files: %s)", async (files) => {
  const ada = await network.phone("Ada")
  const { numbers } = await network.control.crowd({ count: 3000 })
  const people = numbers.map((number, n) => ({ number, full_name: `Contact ${n}`, first_name: `${n}` }))
  await network.control.addressBook(ada.number, people)
  await network.call("POST", `/phones/${ada.number}/contacts`, { number: numbers[7], full_name: "Seven" })
  if (files) await network.fault({ kind: "files", device: `${ada.number}:1` })

  const names = new Set<string>()
  const unlinked = network.client()
  await ada.scan(await unlinked.qr())
  await unlinked.closed()
  const client = network.client(unlinked.device)
  client.sock.ev.on("contacts.upsert", (list) => {
    for (const { name } of list) names.add(name ?? "")
    client.changed()
  })
  await client.until("all of them", () => names.size >= 3000 || undefined, 30_000)
  expect(names.has("Seven")).toBe(true)
  expect(names.has("Contact 7")).toBe(false)
  const kept = await network.call("GET", `/phones/${ada.number}/app-state/critical_unblock_low`)
  expect(kept).toHaveLength(3000)
})

test.for([false, true])(
  "thousands of chats with what was written in them reach a new client (files: %s)",
  async (files) => {
    const ada = await network.phone("Ada")
    const { numbers } = await network.control.crowd({ count: 1200 })
    await network.control.chats(ada.number, { people: numbers, messages: 3 })
    if (files) await network.fault({ kind: "files", device: `${ada.number}:1` })

    const unlinked = network.client()
    await ada.scan(await unlinked.qr())
    await unlinked.closed()
    const client = network.client(unlinked.device, { shouldSyncHistoryMessage: () => true })
    const told = { chats: new Set<string>(), messages: 0, pairs: 0 }
    client.sock.ev.on("messaging-history.set", ({ chats, messages, lidPnMappings = [] }) => {
      for (const { id } of chats) told.chats.add(id ?? "")
      told.messages += messages.length
      told.pairs += lidPnMappings.length
      client.changed()
    })
    await client.until("all chats", () => told.chats.size >= 1200 || undefined, 30_000)
    expect(told.messages).toBe(3600)
    expect(told.pairs).toBeGreaterThanOrEqual(1200)
    const notices = await network.log({ kind: "out", who: deviceOf(client), attrs: { category: "peer" } })
    expect(notices).toHaveLength(files ? 4 : 3)
  },
)

test("a phone answers everything at once for as long as it is told to", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  await network.control.change(bob.number, { answers: true })
  const client = await network.paired(ada)
  for (let n = 1; n <= 20; n++) {
    await client.sock.sendMessage(bob.lid, { text: `round ${n}` })
    await client.message(`round ${n}`)
  }
  await network.control.change(bob.number, { answers: false })
  await client.sock.sendMessage(bob.lid, { text: "and no answer" })
  await bob.read({ text: "and no answer" })
  const said = await bob.read({ from: bob.number, count: 20 })
  expect(said.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, i) => `round ${i + 1}`))
})
