import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type PretendChatwoot, startPretendChatwoot } from "#chatwoot/pretend/start.ts"
import type { Trouble } from "#chatwoot/pretend/webhooks.ts"
import { Chatwoot } from "#chatwoot/src/chatwoot.ts"
import { Notes } from "#chatwoot/src/notes.ts"
import { conversationOf } from "#chatwoot/src/place.ts"
import { type Running, type Settings, start } from "#chatwoot/src/start.ts"
import { listen, stopListening } from "#one-machine/listen.ts"
import { type BridgeClient, messagingBridge } from "#sdk-typescript/index.ts"
import { ogg } from "../../support/media-files.ts"
import { seeded } from "../../support/random.ts"
import { type Service, startService } from "../../support/service/service.ts"
import { until } from "../../support/until.ts"

// A number of the whole service, and an inbox of the pretend Chatwoot.

const folder = mkdtempSync(join(tmpdir(), "chatwoot-"))
let service: Service
let chatwoot: PretendChatwoot
let shop: BridgeClient
let owner: string
let friend: string
let settings: Settings
let running: Running | undefined
const server = createServer((request, response) =>
  running ? running.answer(request, response) : response.destroy(),
)

beforeAll(async () => {
  service = await startService()
  chatwoot = await startPretendChatwoot()
  const customer = await service.customer("shop")
  owner = (await service.network.create("Owner")).number
  friend = (await service.network.create("Friend")).number
  await customer.linked("shop", owner)
  await customer.call("PATCH", "/instances/shop", { keep: 7 })
  const bridge = { url: service.baseUrl, key: customer.key }
  shop = messagingBridge(bridge).bridge("shop")
  settings = {
    chatwoot: { ...place(), patienceMs: 500 },
    bridge,
    refs: ["shop"],
    file: join(folder, "notes.db"),
    hookUrl: `http://127.0.0.1:${await listen(server)}/chatwoot`,
    groups: true,
    names: true,
    lookEveryMs: 500,
  }
  running = start({ ...settings, log: () => {} })
  await running.started
})
afterAll(async () => {
  await running?.stop()
  await stopListening(server)
  await chatwoot.close()
  await service.stop()
  service.remove()
  rmSync(folder, { recursive: true })
})

const place = () => ({ url: chatwoot.url, token: chatwoot.token, account: chatwoot.account })
const all = () => chatwoot.world.messages
const told = async (isIt: Partial<ReturnType<typeof all>[number]>) =>
  await until(() =>
    all().find((one) => Object.entries(isIt).every(([name, value]) => one[name as "id"] === value)),
  )
const writes = (content: object) => service.network.post(friend, owner, content)
const reads = async (match: object) => (await service.network.read(friend, { ...match, wait: 20_000 }))[0]!

test("a person's message and an agent's answer, which quotes it, come through, and so does that it is read", async () => {
  const { id } = await writes({ text: "Is it *open*?" })
  const message = await told({ source_id: id })
  expect(message).toMatchObject({ content: "Is it **open**?", message_type: 0, sender: { name: "Friend" } })
  expect([...chatwoot.world.contacts.values()]).toMatchObject([{ phone_number: `+${friend}` }])
  const conversation = message.conversation_id
  const answer = chatwoot.write(conversation, "Until **six**.", { replyTo: message.id })
  const read = await reads({ text: "*Anna:*\nUntil *six*." })
  expect(JSON.stringify(read.content)).toContain(id)
  const seen = { chat: owner, from: owner, message_ids: [read.id] }
  await service.network.call("POST", `/phones/${friend}/read`, seen)
  await until(() => answer.status === "read")
  await until(async () => (await shop.listHandovers())[0]?.chat_id === `${friend}@s.whatsapp.net`)
  chatwoot.resolve(conversation)
  await until(async () => (await shop.listHandovers()).length === 0)

  chatwoot.remove(answer)
  await until(async () => (await shop.getMessage({ id: read.id })).edit === "revoke")
  const reply = await writes({ text: "Thanks", quoted: read.id })
  expect((await told({ source_id: reply.id })).content_attributes).toEqual({ in_reply_to: answer.id })
  const edit = await writes({ edit: { message_id: reply.id, text: "Thank you" } })
  expect(await told({ source_id: edit.id })).toMatchObject({ content: "(edited) Thank you" })
  await writes({ revoke: { message_id: reply.id } })
  await until(() => all().find((one) => one.source_id === reply.id)?.content_attributes.deleted)
  expect(chatwoot.world.conversations.get(conversation)!.status).toBe("open")
})

test("files go both ways, and a voice note stays one", async () => {
  const sound = ogg("opus", 2)
  const { id } = await writes({
    media: { kind: "audio", data: sound.toString("base64"), mimetype: "audio/ogg; codecs=opus", voice: true },
  })
  const heard = await told({ source_id: id })
  expect(heard.attachments).toMatchObject([{ file_type: "audio", file_size: sound.length, extension: "ogg" }])
  const files = [
    chatwoot.putFile("list.txt", "text/plain", new TextEncoder().encode("apples")),
    chatwoot.putFile("voice.ogg", "audio/ogg", new Uint8Array(sound)),
  ]
  chatwoot.write(heard.conversation_id, "The list", { files })
  const list = await until(async () => {
    const got = await service.network.readAll(friend)
    return got.find(({ content }) => JSON.stringify(content).includes("*Anna:*\\nThe list"))
  })
  expect(String((await service.network.file(friend, list.id)).data)).toBe("apples")
  const [spoken] = await service.network.read(friend, { after: list.n, kind: "audioMessage", wait: 20_000 })
  expect(spoken!.content).toMatchObject({ audioMessage: { ptt: true } })
})

test("what is written on the phone and by other programs is there once, and stays where it was written", async () => {
  const typed = await service.network.send(owner, friend, "from the phone")
  const { message_id } = await shop.sendText({ chat: friend, body: "from a bot" })
  for (const source_id of [typed.id, message_id])
    expect(await told({ source_id })).toMatchObject({ message_type: 1 })
  const { jid } = await service.network.group({ creator: friend, subject: "Harvest", members: [owner] })
  await service.network.post(friend, jid, { text: "in the group" })
  const inGroup = await told({ content: "**Friend:**\nin the group" })
  chatwoot.write(inGroup.conversation_id, "to all")
  await reads({ chat: jid, text: "*Anna:*\nto all" })
  chatwoot.write(inGroup.conversation_id, "/history", { note: true })
  const note = await until(() => all().find((one) => one.private && one.source_id !== null))
  expect(note.content).toMatch(/^[\d-]{10} [\d:]{5} Friend: in the group\n\n.* we: \*\*Anna:\*\*\nto all$/)
  const got = await service.network.readAll(friend)
  expect(got.filter(({ text }) => text.startsWith("from ")).map(({ times }) => times)).toEqual([1, 1])
})

test("a contact that was deleted is made again, and what cannot be sent says why until it is tried again", async () => {
  const { contact_id } = chatwoot.world.conversations.get(
    (await told({ content: "from the phone" })).conversation_id,
  )!
  chatwoot.world.removeContact(contact_id)
  const { id } = await writes({ text: "still here" })
  const { conversation_id } = await told({ source_id: id })
  const contact = chatwoot.world.contacts.get(chatwoot.world.conversations.get(conversation_id)!.contact_id)!
  expect(contact).toMatchObject({ name: "Friend", identifier: `${friend}@s.whatsapp.net` })

  const files = [chatwoot.putFile("broken.png", "image/png", new Uint8Array())]
  const message = chatwoot.write(conversation_id, "a picture", { files })
  const error = await until(() => message.content_attributes.external_error)
  expect([message.status, error]).toEqual(["failed", "size: must be at least 1"])
  message.attachments = []
  chatwoot.retry(message)
  await reads({ text: "*Anna:*\na picture" })
})

test("who was known by a private id alone is one contact with a number once it is known", async () => {
  const notes = new Notes(join(folder, "lids.db"))
  const { world } = chatwoot
  const inbox = [...world.inboxes.keys()][0]!
  const signal = AbortSignal.timeout(60_000)
  const line = {
    bridge: shop,
    chatwoot: new Chatwoot(place()),
    notes,
    inbox,
    since: 0,
    keys: "",
    groups: false,
    names: false,
    signal,
    log: () => {},
  }
  const lid = { chat_id: "77712345@lid", is_group: false, name: "Lin" }
  const first = await conversationOf(line, lid)
  const number = {
    chat_id: "491700000077@s.whatsapp.net",
    chat_lid: lid.chat_id,
    is_group: false,
    name: "Lin",
  }
  expect(await conversationOf(line, number)).toBe(first)
  const named = () => [...world.contacts.values()].filter(({ name }) => name === "Lin")
  expect(named()).toMatchObject([{ identifier: number.chat_id, phone_number: "+491700000077" }])
  notes.close()
})

/** How many are missing, come twice, or are in another place than they should be. */
function counted(texts: string[], wanted: string[]) {
  const firsts = [...new Set(texts)]
  const sorted = firsts.toSorted((one, other) => wanted.indexOf(one) - wanted.indexOf(other))
  return {
    lost: wanted.filter((one) => !texts.includes(one)).length,
    doubled: texts.length - firsts.length,
    reordered: firsts.filter((one, n) => one !== sorted[n]).length,
  }
}

const onPhone = async () =>
  (await service.network.readAll(friend))
    .filter(({ text, from }) => from === owner && text.startsWith("answered "))
    .map(({ text }) => text)

const textsAt = (type: number, word: string) =>
  all()
    .filter((one) => one.message_type === type && one.content.startsWith(`${word} `))
    .map(({ content }) => content)

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
test(`killed again and again while Chatwoot fails, nothing is lost, doubled or reordered (SEED=${seed})`, async () => {
  const random = seeded(seed)
  await running!.stop()
  running = undefined
  const port = Number(new URL(settings.hookUrl).port)
  await stopListening(server)
  let child: ChildProcess
  const program = new URL("program.ts", import.meta.url).pathname
  const begin = () => {
    child = fork(program, [JSON.stringify({ ...settings, names: false, port })], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    })
  }
  begin()
  const { troubles, world } = chatwoot
  troubles.slowMs = 150
  troubles.request = (): Trouble => {
    const n = random.next()
    return n < 0.06 ? "away" : n < 0.12 ? "lost" : n < 0.16 ? "slow" : n < 0.2 ? "broken" : undefined
  }
  troubles.calls = () => random.below(3)
  const conversation = (await told({ content: "still here" })).conversation_id
  const numbers = Array.from({ length: 12 }, (_, n) => n)
  const [asked, typed, answered] = ["asked", "typed", "answered"].map((word) =>
    numbers.map((n) => `${word} ${n}`),
  )
  const people = async () => {
    for (const n of numbers) {
      await writes({ text: asked![n]! })
      if (n % 2 === 0) await service.network.send(owner, friend, typed![n]!)
    }
  }
  const agents = async () => {
    for (const n of numbers) {
      chatwoot.write(conversation, answered![n]!)
      const known = world.messages.length
      await until(() => world.messages.length > known || random.next() < 0.3)
    }
  }
  const kills = async () => {
    for (let kill = 0; kill < 4; kill++) {
      const known = world.messages.length
      await until(() => world.messages.length > known + random.below(6) || random.next() < 0.01)
      child.kill("SIGKILL")
      await once(child, "exit")
      begin()
    }
  }
  await Promise.all([people(), agents(), kills()])
  troubles.request = () => undefined
  troubles.calls = () => 1
  const half = typed!.filter((_, n) => n % 2 === 0)
  const outcome = async () => ({
    in: counted(textsAt(0, "asked"), asked!),
    typed: counted(textsAt(1, "typed"), half),
    out: counted(await onPhone(), answered!),
  })
  const none = { lost: 0, doubled: 0, reordered: 0 }
  await expect
    .poll(async () => (await outcome()).in.lost + (await outcome()).typed.lost + (await outcome()).out.lost)
    .toBe(0)
  expect(await outcome()).toEqual({ in: none, typed: none, out: none })
  expect(
    world.messages.filter(({ content, status }) => content.startsWith("answered ") && status === "failed"),
  ).toEqual([])
  child!.kill()
  await once(child!, "exit")
})
