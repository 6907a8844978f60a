import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { onControlError } from "./control/http/errors.ts"
import { onlyFromHere } from "./control/http/only-from-here.ts"
import { scanWithMockPhone } from "./control/mock-phone-scan.ts"
import type { Network } from "./network/network.ts"

/**
 * The size that `media_conn` allows, and what encryption adds to a file: a block of padding and ten bytes of
 * MAC.
 */
const uploadBytes = 100_000_000 + 16 + 10

/**
 * HTTP on the port of clients' sockets: files, and the mock phone that public suites use, which is `under`
 * the network's secret.
 */
export function clientHttp(network: Network, under: string) {
  const app = new Hono()

  app.post("/mms/:kind/:name", bodyLimit({ maxSize: uploadBytes }), async (c) => {
    const { kind, name } = c.req.param()
    if (c.req.query("auth") !== network.media.auth) return c.json({ error: "not authorized" }, 401)
    const pieces = c.req.raw.body ?? new ReadableStream<Uint8Array>()
    const taken = await network.media.receive(kind, decodeURIComponent(name), pieces)
    if (!taken) return c.json({ error: "the name is not the file's hash" }, 400)
    const { path, bytes } = taken
    network.log.note("media", "uploaded", { path, bytes })
    return c.json({ url: network.media.url(path), direct_path: path, handle: "" })
  })

  app.get("/v/:kind/:name", (c) => {
    const content = network.media.get(new URL(c.req.url).pathname)
    if (!content) return c.body(null, 410)
    const range = /^bytes=(\d+)-(\d*)$/.exec(c.req.header("range") ?? "")
    const [from, to] = [Number(range?.[1] ?? 0), range?.[2] ? Number(range[2]) + 1 : content.length]
    const part = new Uint8Array(content.subarray(from, to))
    // A file's name is its hash.
    const etag = `"${c.req.param("name").slice(0, 16)}"`
    return c.body(part, range ? 206 : 200, { "content-type": "application/octet-stream", etag })
  })

  app.post(`${under}/admin/mock-phone/scan-qr`, onlyFromHere, async (c) =>
    c.json(await scanWithMockPhone(network, await c.req.text())),
  )

  app.notFound((c) => c.body(null, 404))
  app.onError(onControlError(network))
  return app
}
