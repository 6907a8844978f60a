import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import sharp from "sharp"
import { expect, onTestFinished, test } from "vitest"
import type { Contact } from "#contract/contact.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { aFileServer, trustMediaOf } from "#test/support/file-server.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aChat, aSharedChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** These tests are not about leases: a busy machine must not cost a host its own. */
const calm = { timing: { beatMs: 1000 } }

async function aBook(making = aChat(calm)) {
  const chat = await making
  const { network, phone, bridge } = chat
  const list = async (query = "") => {
    const answer = await call(bridge.id, "GET", `/contacts${query}`)
    return (await answer.json()) as Contact[] // compared by the caller
  }
  return {
    ...chat,
    list,
    /** Waits until a person is in the list, with these fields. */
    listed: (number: string, wanted: Partial<Contact> = {}) =>
      until(async () => {
        const found = (await list()).find(({ phone }) => phone === number)
        const isSo = Object.entries(wanted).every(([name, value]) => found?.[name as keyof Contact] === value)
        return found && isSo ? found : undefined
      }),
    /** Puts a person into the phone's address book. */
    save: (number: string, full_name: string, first_name?: string) =>
      network.call("POST", `/phones/${phone.number}/contacts`, { number, full_name, first_name }),
  }
}

/** For those that lose nothing by what the others have put into it. */
const { ask, bob, bridge, list, listed, network, phone } = await aBook(aSharedChat())

test("a writer becomes one contact, by phone number, however the messages are addressed", async () => {
  const { bob, phone, list, listed } = await aBook()
  await bob.send(phone.number, "by lid", { addressing: "lid" })
  await bob.send(phone.number, "by pn", { addressing: "pn" })
  const contact = await listed(bob.number, { name: "Bob" })
  expect(contact).toEqual({
    about: "",
    business_address: "",
    business_email: "",
    business_name: "",
    first_name: "",
    full_name: "",
    is_business: false,
    jid: bob.jid,
    name: "Bob",
    phone: bob.number,
    redacted_phone: "",
    registered: true,
    username: "",
    verified_name: "",
  })
  expect((await list()).map(({ jid }) => jid)).toEqual([bob.jid])
})

test("the address book names them, changed names too; a new host and its pages know the same", async () => {
  const { bob, bridge, host, network, phone, save, list, listed } = await aBook()
  await bob.send(phone.number, "hello")
  await save(bob.number, "Robert Brown", "Robert")
  expect(await listed(bob.number, { full_name: "Robert Brown" })).toMatchObject({
    first_name: "Robert",
    name: "Robert Brown",
  })
  await save(bob.number, "Bobby Brown", "Bobby")
  await listed(bob.number, { full_name: "Bobby Brown", first_name: "Bobby" })
  const others = await Promise.all(["Carl", "Dora", "Emil"].map((name) => network.phone(name)))
  for (const { number, name } of others) await save(number, name)
  await listed(others[2]!.number)

  await host.stop()
  await held(bridge.id, await aHost(network, calm))
  await until(async () => (await statusOf(bridge.id)) === "connected")
  const jids = [bob, ...others].map(({ jid }) => jid).toSorted()
  const jidsOf = async (query: string) => (await list(query)).map(({ jid }) => jid)
  expect(await jidsOf("")).toEqual(jids)
  expect(await jidsOf("?limit=3")).toEqual(jids.slice(0, 3))
  expect(await jidsOf(`?limit=3&after=${jids[2]}`)).toEqual(jids.slice(3))
  expect(await jidsOf(`?after=${jids[0]!.replace("@s.whatsapp.net", "")}`)).toEqual(jids)
  expect(await jidsOf("?after=%EF%BF%BF")).toEqual([])
  for (const query of ["limit=0", "limit=1001", "limit=x", "limit=1.5", `after=${"9".repeat(129)}`])
    expect((await call(bridge.id, "GET", `/contacts?${query}`)).status).toBe(400)
})

test("a list that is too long for the API's answer is in the bucket, to be streamed from there", async () => {
  await bob.send(phone.number, "hello")
  await listed(bob.number)
  const all = await list()
  const usual = { ...AnswerInBucket.longestInline }
  onTestFinished(() => void Object.assign(AnswerInBucket.longestInline, usual))
  AnswerInBucket.longestInline.maxBytes = JSON.stringify(all).length - 1
  // The full list is kept in the form it had before.
  const answer = await call(bridge.id, "GET", "/contacts?after=0")
  expect([answer.status, await answer.text()]).toEqual([200, ""])
  const stored = await StoredMedia.get(AnswerInBucket.bucketKeyOf(Object.fromEntries(answer.headers))!)
  expect(stored.headers).toMatchObject({ "content-type": "application/json" })
  expect(await json(stored.body)).toEqual(all)
})

test("the whole list is made once, for all who ask at once, and kept until a contact changes", async () => {
  const { bob, save, list, listed } = await aBook()
  await save(bob.number, "Robert Brown")
  await listed(bob.number, { full_name: "Robert Brown" })
  let reads = 0
  const watch = dynamoDb.faults.add({
    fault: "slow",
    operation: "Query",
    when: (request) => {
      if (JSON.stringify(request).includes("CONTACT#")) reads++
      return false
    },
  })
  onTestFinished(watch)
  await list()
  reads = 0
  const before = await list()
  expect([before.length > 0, reads]).toEqual([true, 0])

  await save(bob.number, "Robert Green")
  await listed(bob.number, { full_name: "Robert Green" })
  reads = 0
  await Promise.all(Array.from({ length: 20 }, () => list()))
  expect(reads).toBeLessThanOrEqual(1)
})

test("another login knows none of the last one's contacts", async () => {
  const { bob, bridge, network, phone, listed, list } = await aBook()
  await bob.send(phone.number, "hello")
  await listed(bob.number)
  await call(bridge.id, "DELETE", "/logout")
  expect((await call(bridge.id, "GET", "/contacts")).status).toBe(409)
  const other = await network.phone()
  await scanCode(other, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await list()).toEqual([])
})

/** A phone that is about to be linked, and what the session knows of Bob, who is in its address book. */
async function anAddressBook(network: Network) {
  const [phone, { id }] = [await network.phone("Ada"), await aBridge()]
  await held(id)
  return {
    phone,
    save: (number: string, full_name: string) =>
      network.call("POST", `/phones/${phone.number}/contacts`, { number, full_name }),
    link: async () => {
      await scanCode(phone, id)
      await until(async () => (await statusOf(id)) === "connected")
    },
    restart: () => call(id, "POST", "/restart"),
    knownAs: (name: string) =>
      until(async () => {
        const answer = await call(id, "GET", "/contacts")
        const found = answer.ok && ((await answer.json()) as Contact[]).at(0) // compared here
        return found && found.full_name === name && found
      }),
  }
}

test("a person in the address book before the link is a contact, too, also when it comes as a file", async () => {
  const network = await aNetwork()
  await aHost(network, calm)
  trustMediaOf(network)
  const bob = await network.phone("Bob")
  const { phone, save, link, knownAs } = await anAddressBook(network)
  await network.fault({ kind: "files", device: `${phone.number}:1` })
  await save(bob.number, "Robert Brown")
  await link()
  expect(await knownAs("Robert Brown")).toMatchObject({ jid: bob.jid })
})

test("the address book is known whenever the connection ends that was reading it", async () => {
  const network = await aNetwork()
  await aHost(network, calm)
  const bob = await network.phone("Bob")
  for (const ms of [0, 20, 40]) {
    const { save, link, restart, knownAs } = await anAddressBook(network)
    await save(bob.number, "Before the link")
    await link()
    for (const [wait, name] of [
      [ms, "Before the link"],
      [ms, "Changed since"],
      [ms + 10, "Changed again"],
    ] as const) {
      if (name !== "Before the link") await save(bob.number, name)
      await sleep(wait)
      await restart()
      expect(await knownAs(name)).toMatchObject({ phone: bob.number })
    }
  }
})

test("a changed address book that the network did not give when asked is asked for again at the next login", async () => {
  const { bob, bridge, network, phone, save, listed } = await aBook()
  await bob.send(phone.number, "hello")
  await save(bob.number, "Robert Brown")
  await listed(bob.number, { full_name: "Robert Brown" })
  await network.fault({
    kind: "refuse_iq",
    device: `${phone.number}:1`,
    code: 503,
    xmlns: "w:sync:app:state",
    times: 1,
  })
  await save(bob.number, "Bobby Brown")
  await until(async () => ((await network.call("GET", "/faults")) as object[]).length === 0)
  await call(bridge.id, "POST", "/restart")
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await listed(bob.number, { full_name: "Bobby Brown" })).toMatchObject({ phone: bob.number })
})

test("one contact is as the network says now; a stranger, too; an unknown number is not found", async () => {
  await bob.send(phone.number, "hello")
  await listed(bob.number)
  await network.call("PATCH", `/phones/${bob.number}`, { about: "at sea" })
  for (const address of [bob.number, bob.jid, bob.lid])
    expect(await ask("GET", `/contacts/${address}`)).toMatchObject({
      status: 200,
      jid: bob.jid,
      name: "Bob",
      about: "at sea",
      registered: true,
    })
  const eve = await network.phone("Eve")
  expect(await ask("GET", `/contacts/${eve.jid}`)).toMatchObject({ jid: eve.jid, name: "", registered: true })
  expect(await ask("GET", "/contacts/4915100000000")).toMatchObject({ status: 404, code: "not_found" })
  expect(await ask("GET", "/contacts/1@g.us")).toMatchObject({ status: 400, code: "invalid_request" })
})

test("a contact that the network, once asked, does not know is listed as such from then on", async () => {
  const { ask, bob, save, list, listed, phone } = await aBook()
  const nobody = "4915100000000"
  await save(nobody, "Nobody")
  await bob.send(phone.number, "hello")
  await listed(bob.number)
  expect(await listed(nobody)).toMatchObject({ registered: true })
  expect(await ask("POST", "/contacts/check", { phones: [nobody, bob.number] })).toMatchObject({
    status: 200,
  })
  const registered = new Map((await list()).map((contact) => [contact.name, contact.registered]))
  expect(registered).toEqual(
    new Map([
      ["Nobody", false],
      ["Bob", true],
    ]),
  )
  expect(await ask("GET", `/contacts/${nobody}`)).toMatchObject({ name: "Nobody", registered: false })
})

test("phones are checked in the order asked, also twice the same", async () => {
  const phones = ["4915100000000", `+${bob.number}`, bob.number]
  const answer = await call(bridge.id, "POST", "/contacts/check", { body: { phones } })
  const known = { phone: bob.number, jid: bob.jid, registered: true, is_on_whatsapp: true }
  const nobody = { phone: "4915100000000", jid: "", registered: false, is_on_whatsapp: false }
  const more = { is_business: false, verified_name: "" }
  expect(await answer.json()).toEqual([nobody, known, known].map((one) => ({ ...one, ...more })))
  for (const bad of [[], ["bob"], [1], Array.from({ length: 101 }, () => bob.number), "4915100000000"])
    expect(await ask("POST", "/contacts/check", { phones: bad })).toMatchObject({ status: 400 })
})

const face = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#cc9966" } })
  .jpeg()
  .toBuffer()

test("pictures: a contact's, the own one, set and removed; a contact without one", async () => {
  trustMediaOf(network)
  const picture = async (path: string) => {
    const answer = await call(bridge.id, "GET", path)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"])
    return Buffer.from(await answer.arrayBuffer())
  }
  expect(await ask("GET", `/contacts/${bob.jid}/avatar`)).toMatchObject({ status: 404, code: "not_found" })
  await network.call("PATCH", `/phones/${bob.number}`, { picture: face.toString("base64") })
  for (const address of [bob.number, bob.lid])
    expect((await picture(`/contacts/${address}/avatar`)).equals(face)).toBe(true)

  expect(await ask("GET", "/profile/avatar")).toMatchObject({ status: 404 })
  const wide = await sharp({ create: { width: 1600, height: 900, channels: 3, background: "#cc9966" } })
    .withExif({ IFD0: { Artist: "somebody" } })
    .jpeg()
    .toBuffer()
  const { url } = await aFileServer({ "/me.jpg": { type: "image/jpeg", body: wide } })
  expect(await ask("PUT", "/profile/avatar", { url: `${url}/me.jpg` })).toMatchObject({
    status: 200,
    picture_id: expect.stringMatching(/^\d+$/),
  })
  const avatar = await sharp(await picture("/profile/avatar")).metadata()
  expect(avatar).toMatchObject({ format: "jpeg", width: 640, height: 640 })
  expect(avatar).not.toHaveProperty("exif")
  expect(await ask("DELETE", "/profile/avatar")).toMatchObject({ status: 200, ok: true })
  expect(await ask("GET", "/profile/avatar")).toMatchObject({ status: 404 })

  await network.call("PATCH", `/phones/${phone.number}`, { picture: face.toString("base64") })
  await network.call("PATCH", `/phones/${phone.number}`, { picture: null })
  expect(await eventsOfType(bridge.id, "profile_picture_updated", 2)).toEqual([
    {
      event: "profile_picture_updated",
      remove: false,
      timestamp: expect.any(Number),
      picture_id: expect.any(String),
    },
    { event: "profile_picture_updated", remove: true, timestamp: expect.any(Number) },
  ])
})

test("a profile picture must be a JPEG of at most 16 MB, from a public address", async () => {
  const jpeg = (bytes: number) => Buffer.concat([face, Buffer.alloc(bytes)])
  const { url } = await aFileServer({
    "/liar.jpg": { type: "image/jpeg", body: Buffer.from("GIF89a, in truth") },
    "/a.png": { type: "image/png", body: await sharp(face).png().toBuffer() },
    "/large.jpg": { type: "image/jpeg", body: jpeg(16 * 1024 * 1024) },
  })
  const refused = [
    [`${url}/liar.jpg`, 422, "media_type_mismatch"],
    [`${url}/a.png`, 422, "media_type_mismatch"],
    [`${url}/large.jpg`, 413, "payload_too_large"],
    [`${url}/absent.jpg`, 422, "media_fetch_failed"],
    ["http://10.0.0.1/me.jpg", 400, "url_not_allowed"],
    ["file:///etc/passwd", 400, "url_not_allowed"],
    ["not a URL", 400, "invalid_request"],
  ] as const
  for (const [url, status, code] of refused)
    expect(await ask("PUT", "/profile/avatar", { url })).toMatchObject({ status, code })
})
