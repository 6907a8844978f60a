import { randomBytes } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { MediaStore as Schema } from "#contract/media-store.ts"
import { MediaStore } from "#core/bridge/media-store.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { uncoveredIn } from "#test/e2e/contract-coverage.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOf, eventsOfType, held } from "#test/support/session/host.ts"
import { strictS3 } from "#test/support/strict-s3.ts"
import { until } from "#test/support/until.ts"

// A file is given up after 360 of these waits.
const timing = { storeAgainMs: 4, beatMs: 1000 }
const { bob, phone, bridge, message, network, host } = await aChat({ isShared: true, capacity: 1, timing })
trustMediaOf(network)
const { state, store } = await strictS3()

async function storeIn(more: object = {}) {
  const given = Schema.parse({ ...store, prefix: "shop/in/", ...more })
  const keys = await DataKeys.get(bridge.id)
  await Lease.choose(bridge.id, { mediaStore: MediaStore.sealed(given, bridge.id, keys!.delivery) })
  await call(bridge.id, "POST", "/look-at-lease")
}

async function fromBob(data: Buffer) {
  const media = {
    kind: "document",
    data: data.toString("base64"),
    mimetype: "image/png",
    filename: "a b.png",
  }
  const { id } = await bob.post(phone.number, { media })
  const { file } = await message(id)
  return { id, stored: file!.stored_as! }
}

const outcomeOf = async (id: string) =>
  await until(async () =>
    (await eventsOfType(bridge.id, "media_stored")).find(({ message_id }) => message_id === id),
  )

test("a file is put into the customer's bucket, in pieces if it is large, and its event leads there", async () => {
  await storeIn()
  const small = randomBytes(5000)
  const { id, stored } = await fromBob(small)
  expect(stored.key).toMatch(/^shop\/in\/\d{4}-\d\d-\d\d\/[0-9a-f]{32}\.png$/)
  expect(await outcomeOf(id)).toMatchObject({ chat_id: bob.jid, bucket: "shop-media", key: stored.key })
  const answer = await fetch(stored.url!)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"])
  expect(small.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
  expect((await fetch(stored.url!.replace("/shop/in/", "/shop/out/"))).status).toBe(403)

  await storeIn({ link: "key" })
  const large = randomBytes(9_000_000)
  const { id: largeId, stored: place } = await fromBob(large)
  expect(place).toEqual({ bucket: "shop-media", key: expect.any(String) as string })
  const told = await outcomeOf(largeId)
  expect(told).not.toHaveProperty("error")
  const behind = await fetch(`${config.AWS_ENDPOINT_URL_S3!}/shop-media/${place.key}`)
  expect(Buffer.from(await behind.arrayBuffer()).equals(large)).toBe(true)
})

test("while the store refuses, other events go on, and what it does not take is told and stays readable", async () => {
  await storeIn()
  state.isRefusing = true
  const data = randomBytes(3000)
  const { id, stored } = await fromBob(data)
  const { id: text } = await bob.send(phone.number, "and this?")
  await message(text)
  const told = await outcomeOf(id)
  expect(told).toMatchObject({ key: stored.key, error: "the store did not take it: AccessDenied" })
  const { headers } = await call(bridge.id, "GET", `/messages/${id}/media`)
  const { body } = await StoredMedia.get(AnswerInBucket.bucketKeyOf(Object.fromEntries(headers))!)
  expect((await buffer(body)).equals(data)).toBe(true)

  // The bridge's next host goes on with what waits, once the store takes it.
  const { id: later, stored: place } = await fromBob(data)
  await host.stop()
  state.isRefusing = false
  const next = await aHost(network, { timing: { ...timing, storeAgainMs: 10_000 } })
  await held(bridge.id, next)
  expect(await outcomeOf(later)).not.toHaveProperty("error")
  expect((await fetch(place.url!)).status).toBe(200)
  const outcomes = (await eventsOf(bridge.id)).filter(({ event }) => event === "media_stored")
  expect(uncoveredIn("stored", outcomes)).toEqual([])
})
