import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { askForGroupCard } from "#session-host/groups/group-card.ts"
import { askForPerson } from "#session-host/network/ask-about-people.ts"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import { Recipients } from "#session-host/people/recipients.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aPairedConnection } from "#test/support/session/recorded-connection.ts"
import { aVault } from "#test/support/session/vault.ts"

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
  trustMediaOf(network)
})

afterAll(() => network.close())

async function aSealedFile() {
  const folder = await mkdtemp(join(tmpdir(), "questions-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [path, bytes] = [join(folder, "sealed"), randomBytes(1000)]
  await writeFile(path, bytes)
  return { path, kind: "document" as const, fileEncSha256: createHash("sha256").update(bytes).digest() }
}

/** A connection with every question that a session asks the network. */
async function anAsker() {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const device = `${ada.number}:1`
  // Baileys asks this at each login, and again for each receipt until it is answered.
  const told = await network.fault({ kind: "refuse_iq", device, xmlns: "privacy", code: 503 })
  const connection = await aPairedConnection({ url: network.url, vault: aVault(), phone: ada })
  onTestFinished(() => connection.close())
  await network.log({ event: "iq refused", who: device })
  await told()
  await network.call("GET", `/devices/${device}/settled?wait=5000`)
  await network.call("PATCH", `/phones/${bob.number}`, { picture: randomBytes(100).toString("base64") })
  const group = await network.group([ada, bob])
  const { id } = await bob.send(ada.number, "to be read")
  const file = await aSealedFile()
  const recipients = new Recipients()
  const questions = {
    registered: () => connection.registered([bob.number]),
    "a number to write to": () => recipients.reach(bob.jid, connection),
    "a LID to write to": () => recipients.reach(bob.lid, connection),
    "a group to write to": () => recipients.reach(group.jid, connection),
    "a group's card": () => askForGroupCard(connection, group.jid),
    person: () => askForPerson(connection, bob.jid),
    picture: () => connection.pictureUrl(bob.jid),
    "media host": () => connection.mediaHost(),
    upload: () => connection.upload(file),
    read: () => connection.markRead({ id, remoteJid: bob.jid }),
  }
  /** The outcome of each question. */
  const outcomes = async () => {
    const asked = Object.entries(questions).map(async ([name, ask]) => {
      const outcome = await ask().then(
        (found) => (found === undefined && name !== "read" ? "nothing" : "answered"),
        (error: unknown) => (error instanceof NetworkRejected ? error.networkCode : error),
      )
      return [name, outcome] as const
    })
    return Object.fromEntries(await Promise.all(asked))
  }
  const all = (outcome: unknown) => Object.fromEntries(Object.keys(questions).map((name) => [name, outcome]))
  return { device, outcomes, all }
}

test("a question that the network refuses is refused with its number, and may be asked again", async () => {
  const { device, outcomes, all } = await anAsker()
  const answers = await network.fault({ kind: "refuse_iq", device, code: 429 })
  expect(await outcomes()).toEqual(all(429))
  await answers()
  expect(await outcomes()).toEqual(all("answered"))
})

test("a network that says nothing has not said that a person does not exist", async () => {
  const { device, outcomes, all } = await anAsker()
  const answers = await network.fault({ kind: "ignore_iq", device })
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const asked = outcomes()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await asked).toEqual(all(expect.any(NoAnswer)))
  } finally {
    vi.useRealTimers()
  }
  await answers()
  expect(await outcomes()).toEqual(all("answered"))
})
