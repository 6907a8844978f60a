import { once } from "node:events"
import { mkdtempSync, readdirSync, statfsSync } from "node:fs"
import { type ClientRequest, createServer, type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer, text as readText } from "node:stream/consumers"
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import "#test/support/store.ts"
import { fileLimitSentence } from "#contract/error-codes.ts"
import { maxUploadBytes } from "#contract/upload.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { Uploads } from "#core/files/uploads.ts"
import { config } from "#core/platform/config.ts"
import { pace } from "#functions/api/uploads.ts"
import { listen } from "#one-machine/listen.ts"
import { listener } from "#test/support/service/app.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aCustomer } from "#test/support/service/customer.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"

const server = createServer(listener)
const port = await listen(server)
afterAll(() => void server.close())

const shop = await aCustomer()
await shop.call("POST", "/api/instances", { customer_ref: "shop" })
const { id: bridgeId } = z
  .object({ id: z.string() })
  .parse(await (await shop.call("GET", "/api/instances/shop")).json())

const Form = z.object({
  file: z.string(),
  upload: z.object({ url: z.string(), fields: z.record(z.string(), z.string()) }),
})
type Form = z.infer<typeof Form>

async function aForm(more: object = {}, at = { customer: shop, ref: "shop" }): Promise<Form> {
  const asked = { content_type: "application/pdf", filename: "plän.pdf", ...more }
  const answer = await at.customer.call("POST", `/api/instances/${at.ref}/files`, asked)
  expect(answer.status).toBe(200)
  return Form.parse(await answer.json())
}

const { STORAGE_DIR, STORAGE_RESERVE_MB, STORAGE_ACCOUNT_MB, RATE_LIMIT_PROVISION } = config
afterEach(() => {
  Object.assign(config, { STORAGE_DIR, STORAGE_RESERVE_MB, STORAGE_ACCOUNT_MB, RATE_LIMIT_PROVISION })
})

/** Uploads go through the door of one machine, and this is its disk. */
function onOneMachine(folder = mkdtempSync(join(tmpdir(), "uploads-test-"))): string {
  config.STORAGE_DIR = folder
  return folder
}

/** Another account, with bridges that have these references. */
async function aNeighbour(...refs: string[]) {
  const customer = await aCustomer({ bridgeLimit: refs.length })
  config.RATE_LIMIT_PROVISION = 100
  for (const ref of refs)
    expect((await customer.post("/api/instances", { customer_ref: ref })).status).toBe(201)
  return customer
}

/** The files below a folder, by their names alone. */
function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  return all.flatMap((one) => (one.isFile() ? [one.name] : [])).toSorted()
}

async function send({ upload }: Pick<Form, "upload">, bytes: Uint8Array<ArrayBuffer>, name = "file") {
  const form = new FormData()
  for (const [field, value] of Object.entries(upload.fields)) form.set(field, value)
  form.set(name, new Blob([bytes]), "x")
  const { pathname } = new URL(upload.url)
  const url = upload.fields.token === undefined ? upload.url : `http://127.0.0.1:${port}${pathname}`
  return await fetch(url, { method: "POST", body: form })
}

/** Begins to send a form, and its file of `bytes` if they are announced, and goes on with neither. */
function begin({ upload }: Pick<Form, "upload">, bytes?: number): ClientRequest {
  const headers = {
    "content-type": "multipart/form-data; boundary=x",
    ...(bytes !== undefined && { "content-length": String(bytes) }),
  }
  const begun = request({ port, method: "POST", path: "/uploads", headers })
  begun.on("error", () => "tests cut the connection")
  onTestFinished(() => void begun.destroy())
  const token = `--x\r\ncontent-disposition: form-data; name="token"\r\n\r\n${upload.fields.token}\r\n`
  begun.write(`${token}--x\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`)
  begun.write("the beginning of a file")
  return begun
}

async function answerOf(begun: ClientRequest) {
  const [answer] = (await once(begun, "response")) as [IncomingMessage]
  return {
    status: answer.statusCode,
    ...(JSON.parse(await readText(answer)) as { code: string; error: string }),
  }
}

const text = (words: string) => new TextEncoder().encode(words)

test.for(["one machine", "AWS"])("on %s a form puts one file there, for its bridge alone", async (place) => {
  if (place === "one machine") onOneMachine()
  const form = await aForm()
  expect(await Uploads.open(bridgeId, form.file)).toBeUndefined()
  expect((await send(form, text("%PDF-1.7 x"))).status).toBe(204)
  const { body, ...about } = (await Uploads.open(bridgeId, form.file))!
  expect(about).toMatchObject({ contentType: "application/pdf", fileName: "plän.pdf" })
  expect(String(await buffer(body))).toBe("%PDF-1.7 x")
  const other = await aBridge()
  expect(await Uploads.open(other.id, form.file)).toBeUndefined()
})

test("on AWS the form is signed for this key, type and size alone, for a quarter of an hour", async () => {
  const { file, upload } = await aForm({ size: 1000 })
  const policy = JSON.parse(Buffer.from(upload.fields.policy!, "base64").toString()) as {
    expiration: string
    conditions: unknown[]
  }
  expect(policy.conditions).toEqual(
    expect.arrayContaining([
      { bucket: "media" },
      ["content-length-range", 1000, 1000],
      { key: `${bridgeId}/upload-${file}` },
      { "Content-Type": "application/pdf" },
      { "Content-Disposition": "attachment; filename*=UTF-8''pl%C3%A4n.pdf" },
    ]),
  )
  const leftMs = Date.parse(policy.expiration) - Date.now()
  expect(Math.round(leftMs / 60_000)).toBe(15)
})

test("a form that is used, unknown, without a file or none is refused, and leaves nothing", async () => {
  const folder = onOneMachine()
  const form = await aForm()
  expect((await send(form, text("x"), "picture")).status).toBe(400)
  const used = await aForm()
  expect((await send(used, text("x"))).status).toBe(204)
  expect((await send(used, text("y"))).status).toBe(404)
  const { body } = (await Uploads.open(bridgeId, used.file))!
  expect(String(await buffer(body))).toBe("x")
  const unknown = { upload: { ...form.upload, fields: { token: "guessed" } } }
  expect((await send(unknown, text("x"))).status).toBe(404)
  const none = await fetch(`http://127.0.0.1:${port}/uploads`, { method: "POST", body: "x" })
  expect([none.status, await none.json()]).toMatchObject([415, { code: "unsupported_media_type" }])
  const headers = { "content-type": "multipart/form-data; boundary=x" }
  for (const torn of ["--x\r\n", "no form at all", ""]) {
    const answer = await fetch(`http://127.0.0.1:${port}/uploads`, { method: "POST", body: torn, headers })
    expect(answer.status).toBe(400)
  }
  expect(filesIn(folder)).toEqual([`${bridgeId}-${used.file}`, `${bridgeId}-${used.file}.json`])
})

test("a form of a bridge that was deleted since, or one that is compressed, is refused, and leaves nothing", async () => {
  const folder = onOneMachine()
  const neighbour = await aNeighbour("gone")
  const form = await aForm({}, { customer: neighbour, ref: "gone" })
  expect((await neighbour.call("DELETE", "/api/instances/gone")).status).toBe(204)
  const refused = await send(form, text("x"))
  expect([refused.status, await refused.json()]).toEqual([
    404,
    expect.objectContaining({ code: "not_found" }),
  ])
  const encoded = await fetch(`http://127.0.0.1:${port}/uploads`, {
    method: "POST",
    headers: { "content-encoding": "gzip", "content-type": "multipart/form-data; boundary=x" },
    body: "x",
  })
  expect(encoded.status).toBe(415)
  expect(filesIn(folder)).toEqual([])
})

test("a file that is empty, of another size, or 100 MB and a byte is refused, and leaves nothing", async () => {
  const folder = onOneMachine()
  for (const [bytes, more, status] of [
    [0, {}, 400],
    [9, { size: 10 }, 400],
    [11, { size: 10 }, 400],
    [maxUploadBytes + 1, {}, 413],
  ] as const) {
    const form = await aForm(more)
    const answer = await send(form, new Uint8Array(bytes))
    expect([bytes, answer.status]).toEqual([bytes, status])
    expect(await Uploads.open(bridgeId, form.file)).toBeUndefined()
  }
  expect(filesIn(folder)).toEqual([])
  const whole = await aForm()
  expect((await send(whole, new Uint8Array(maxUploadBytes))).status).toBe(204)
})

test("an upload that ends early leaves nothing, and its place goes to the next", async () => {
  const folder = onOneMachine()
  for (let i = 0; i < 3; i++) {
    const cut = begin(await aForm())
    await expect.poll(() => filesIn(folder)).toHaveLength(1)
    cut.destroy()
    await expect.poll(() => filesIn(folder)).toEqual([])
  }
  expect((await send(await aForm(), text("x"))).status).toBe(204)
})

test("a type that is none, or a size beyond the limit, gets no form", async () => {
  for (const more of [{ content_type: "pdf" }, { size: maxUploadBytes + 1 }, { size: 0 }, { filename: "" }])
    expect(
      (await shop.call("POST", "/api/instances/shop/files", { content_type: "a/b", ...more })).status,
    ).toBe(400)
})

test("an account's files take up no more than it may have, however many come at once; others' files go on", async () => {
  onOneMachine()
  config.STORAGE_ACCOUNT_MB = 2
  const file = new Uint8Array(900_000)
  expect((await send(await aForm(), file)).status).toBe(204)
  // Announced, not there yet.
  const coming = begin(await aForm({ size: 900_000 }))
  await expect.poll(() => FilesOnDisk.usedBy(shop.account.id)).toBe(1_800_000)
  const refused = await send(await aForm(), new Uint8Array(300_000))
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { code: "file_limit_reached", error: fileLimitSentence(2) },
  ])
  const unknown = begin(await aForm())
  unknown.end("\r\n--x--\r\n")
  expect(await answerOf(unknown)).toMatchObject({ status: 403, code: "file_limit_reached" })
  const neighbour = await aNeighbour("other")
  expect((await send(await aForm({}, { customer: neighbour, ref: "other" }), file)).status).toBe(204)
  coming.destroy()
  await expect.poll(() => FilesOnDisk.usedBy(shop.account.id)).toBe(900_000)
  expect((await send(await aForm(), new Uint8Array(300_000))).status).toBe(204)
})

test("many small files are counted as if each had a quarter of a MB", async () => {
  onOneMachine()
  config.STORAGE_ACCOUNT_MB = 1
  for (let n = 0; n < 3; n++) expect((await send(await aForm(), text("x"))).status).toBe(204)
  expect((await send(await aForm(), text("x"))).status).toBe(403)
})

test.skipIf(!canMount())(
  "uploads that begin at once never take the room that others' sends need, whatever they announce",
  async () => {
    const disk = mountSmallDisk(48)
    onTestFinished(disk.remove)
    onOneMachine(disk.folder)
    config.STORAGE_RESERVE_MB = 12
    const refs = ["a", "b", "c", "d"]
    const customers = await Promise.all(refs.map(async (ref) => ({ customer: await aNeighbour(ref), ref })))
    const bytes = new Uint8Array(7_000_000)
    const all = [...customers, ...customers].map(async (one) => await send(await aForm({}, one), bytes))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    // 50 MB less twice the reserve are three files, and an account leaves the others as much as it has.
    expect(statuses.filter((status) => status === 204)).toHaveLength(2)
    expect(new Set(statuses)).toEqual(new Set([204, 503]))
    const { bavail, bsize } = statfsSync(disk.folder)
    expect((bavail * bsize) / 1e6).toBeGreaterThanOrEqual(2 * config.STORAGE_RESERVE_MB)
  },
)

test("an account whose uploads stop keeps no other account's waiting, and they end", async () => {
  onOneMachine()
  const refs = Array.from({ length: 20 }, (_, n) => `bridge-${n}`)
  const taker = await aNeighbour(...refs)
  const stopped = await Promise.all(
    [...refs, ...refs].map(async (ref) => begin(await aForm({}, { customer: taker, ref }), 1_000_000)),
  )
  const answers = Promise.all(stopped.map(answerOf))
  expect((await send(await aForm(), text("x"))).status).toBe(204)
  const { graceMs } = pace
  onTestFinished(() => void (pace.graceMs = graceMs))
  pace.graceMs = 0
  for (const answer of await answers)
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining("too slowly") })
})

test("forms that an account asks for without end take no other account's away", async () => {
  onOneMachine()
  const form = await aForm()
  const customer = await aNeighbour("many")
  config.RATE_LIMIT_OTHER = config.RATE_LIMIT_ADDRESS = 100_000
  const first = await aForm({}, { customer, ref: "many" })
  for (let n = 0; n < 1000; n++) await aForm({}, { customer, ref: "many" })
  expect((await send(first, text("x"))).status).toBe(404)
  expect((await send(form, text("x"))).status).toBe(204)
})
