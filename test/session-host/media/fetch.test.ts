import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { StoredMedia } from "#core/files/stored-media.ts"
import { fetchCustomerFile } from "#session-host/media/fetch.ts"

test("uploads that cannot be sent as what they are wanted as leave no connection to the bucket behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [bridgeId, path] = [randomUUID(), join(folder, "a.pdf")]
  writeFileSync(path, `%PDF-1.7${"x".repeat(200_000)}`)
  const key = StoredMedia.keyOf(bridgeId, "upload-a")
  await StoredMedia.put({ key, path, contentType: "application/pdf", fileName: "a.pdf" })
  const asSticker = { bridgeId, file: "a", asSticker: true, folder }
  // More than the client has connections.
  for (let i = 0; i <= 50; i++)
    await expect(fetchCustomerFile(asSticker)).rejects.toMatchObject({ code: "media_type_mismatch" })
  expect(await StoredMedia.isFresh(key)).toBe(true)
})
