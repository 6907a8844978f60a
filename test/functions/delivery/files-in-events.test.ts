import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { config } from "#core/platform/config.ts"
import { filesAtOnce } from "#functions/delivery/ask-session.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"

// Events that bring their file along, as other gateways' webhooks may ask for.

const folder = mkdtempSync(join(tmpdir(), "files-in-events-"))
Object.assign(config, { STORAGE_DIR: folder })
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(forgetDoorbells)
const before = structuredClone(filesAtOnce)
afterEach(() => void Object.assign(filesAtOnce, structuredClone(before)))

const picture: Event = {
  ...anEvent(),
  type: "media",
  media_type: "image",
  file: { size: 3, content_type: "image/png", name: "" },
} as Event

/** A bridge of this account whose webhook wants files; its session has one for every message. */
async function aShop(accountId: string, customerRef: string, url: string) {
  const { bridge } = await Bridge.create({ accountId, customerRef, webhookUrl: url })
  const [first] = await Webhook.list(bridge)
  await Webhook.update(bridge, first, { format: "evolution", formatOptions: { media: true } })
  const key = StoredMedia.keyOf(bridge.id, "x")
  const path = join(folder, customerRef)
  writeFileSync(path, "abc")
  await StoredMedia.put({ key, path, contentType: "image/png", fileName: "" })
  const host = await aScriptedHost((call, response) =>
    call.path.includes("/media")
      ? sayJson(response, 200, {}, AnswerInBucket.pointerTo(key))
      : sayJson(response, 200, { jid: "", lid: "", phone: "", name: "" }),
  )
  await host.take(bridge.id)
  return { id: { bridgeId: bridge.id, webhookId: "first" }, outbox: await anOutbox(bridge) }
}

test("so many files are in memory at once and no more: what finds no room in time comes without", async () => {
  Object.assign(filesAtOnce, { most: 1, each: 1, ms: 0 })
  const { id: accountId } = await anAccount()
  const receiver = await aReceiver()
  const { promise: isOver, resolve: answerFirst } = Promise.withResolvers<void>()
  receiver.say((response) => void isOver.then(() => response.end()))
  const one = await aShop(accountId, "one", receiver.urlOf("one"))
  const other = await aShop(accountId, "other", receiver.urlOf("other"))
  for (const { outbox } of [one, other]) await outbox.write(picture)
  const slow = deliver(one.id)
  await receiver.atLeast(1)
  await deliver(other.id)
  answerFirst()
  await slow
  await other.outbox.write(picture)
  await deliver(other.id)
  const files = receiver.arrivals.map(({ bridge, body }) => [
    bridge,
    (JSON.parse(body.toString()) as { data: { message: { base64?: string } } }).data.message.base64,
  ])
  expect(files).toEqual([
    ["one", Buffer.from("abc").toString("base64")],
    ["other", undefined],
    ["other", Buffer.from("abc").toString("base64")],
  ])
})
