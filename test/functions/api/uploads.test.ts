import { mkdtempSync, readdirSync } from "node:fs"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import "#test/support/store.ts"
import { maxUploadBytes } from "#core/contract/upload.ts"
import { config } from "#core/platform/config.ts"
import { Uploads } from "#core/uploads.ts"
import { listener } from "#functions/node-listener.ts"
import { listen } from "#local/listen.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aCustomer } from "#test/support/service/customer.ts"

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

async function aForm(more: object = {}): Promise<Form> {
  const asked = { content_type: "application/pdf", filename: "plän.pdf", ...more }
  const answer = await shop.call("POST", "/api/instances/shop/files", asked)
  expect(answer.status).toBe(200)
  return Form.parse(await answer.json())
}

/** Uploads go through the door of one machine, and this is its disk. */
function onOneMachine(): string {
  const folder = mkdtempSync(join(tmpdir(), "uploads-test-"))
  Object.assign(config, { STORAGE_DIR: folder })
  onTestFinished(() => void Object.assign(config, { STORAGE_DIR: undefined }))
  return join(folder, "uploads")
}

async function send({ upload }: Pick<Form, "upload">, bytes: Uint8Array<ArrayBuffer>, name = "file") {
  const form = new FormData()
  for (const [field, value] of Object.entries(upload.fields)) form.set(field, value)
  form.set(name, new Blob([bytes]), "x")
  const { pathname } = new URL(upload.url)
  const url = upload.fields.token === undefined ? upload.url : `http://127.0.0.1:${port}${pathname}`
  return await fetch(url, { method: "POST", body: form })
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
  expect(readdirSync(folder).toSorted()).toEqual([
    `${bridgeId}-${used.file}`,
    `${bridgeId}-${used.file}.json`,
  ])
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
  expect(readdirSync(folder)).toEqual([])
  const whole = await aForm()
  expect((await send(whole, new Uint8Array(maxUploadBytes))).status).toBe(204)
})

test("an upload that ends early leaves nothing, and its place goes to the next", async () => {
  const folder = onOneMachine()
  for (let i = 0; i < 3; i++) {
    const { upload } = await aForm()
    const headers = { "content-type": "multipart/form-data; boundary=x", "content-length": "1000000" }
    const cut = request({ port, method: "POST", path: "/uploads", headers })
    cut.on("error", () => "the connection is cut below")
    const token = `--x\r\ncontent-disposition: form-data; name="token"\r\n\r\n${upload.fields.token}\r\n`
    cut.write(`${token}--x\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`)
    cut.write("the beginning of a file")
    await expect.poll(() => readdirSync(folder)).toHaveLength(1)
    cut.destroy()
    await expect.poll(() => readdirSync(folder)).toEqual([])
  }
  expect((await send(await aForm(), text("x"))).status).toBe(204)
})

test("a type that is none, or a size beyond the limit, gets no form", async () => {
  for (const more of [{ content_type: "pdf" }, { size: maxUploadBytes + 1 }, { size: 0 }, { filename: "" }])
    expect(
      (await shop.call("POST", "/api/instances/shop/files", { content_type: "a/b", ...more })).status,
    ).toBe(400)
})
