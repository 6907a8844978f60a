import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { configure } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { fetchCustomerFile } from "#session-host/media/fetch.ts"

test("an upload of which the bucket gives no more is given up in time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  const begun = Promise.withResolvers<ServerResponse>()
  const bucket = createServer((_request, response) => {
    const lately = new Date().toUTCString()
    response.writeHead(200, { "content-length": "100000", "last-modified": lately }).write("its")
    begun.resolve(response)
  })
  const port = await listen(bucket)
  onTestFinished(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true })
    bucket.close()
  })
  configure({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`, MEDIA_BUCKET: "media" })
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const fetched = fetchCustomerFile({ bridgeId: "a", file: "b", asSticker: false, folder })
  let refusal: unknown
  void fetched.catch((error: unknown) => (refusal = error))
  const closed = once(await begun.promise, "close")
  // Its place is kept before the wait for its bytes begins.
  while (refusal === undefined) await vi.advanceTimersByTimeAsync(1000)
  expect(refusal).toMatchObject({ code: "session_unavailable" })
  await closed
})
