import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { expect, onTestFinished, test } from "vitest"
import { encryptFile } from "#session-host/media/encrypt.ts"
import { limitOf } from "#session-host/media/kind-and-content-type.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { aNetwork } from "#test/support/network/network.ts"

test("the network takes the largest document that may be sent", async () => {
  const network = await aNetwork()
  trustRoot(network.rootKey)
  const folder = mkdtempSync(join(tmpdir(), "largest-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "plain")
  writeFileSync(path, "")
  truncateSync(path, limitOf("document"))
  const sealed = await encryptFile(path, "document")
  const name = sealed.fileEncSha256.toString("base64url")
  const { client } = await network.chat()
  const { auth } = await client.sock.refreshMediaConn()
  const to = new URL(`/mms/document/${name}?auth=${auth}`, network.url.replace("ws:", "http:"))
  const upload = request(to, { method: "POST" })
  const answered = once(upload, "response")
  await pipeline(createReadStream(sealed.path), upload)
  expect(await answered).toMatchObject([{ statusCode: 200 }])
})
