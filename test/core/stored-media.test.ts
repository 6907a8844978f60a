import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { StoredMedia } from "#core/stored-media.ts"

/** The headers under which a file of this name is served. */
async function answerOf(fileName: string, contentType = "image/png") {
  const path = join(tmpdir(), `media-${randomUUID()}`)
  await writeFile(path, "bytes")
  onTestFinished(() => rm(path))
  const key = StoredMedia.keyOf(randomUUID(), "id")
  await StoredMedia.put({ key, path, contentType, fileName })
  const { headers, body } = await StoredMedia.get(key)
  body.destroy()
  return headers
}

test.for([
  ["", "attachment"],
  ['a"; filename="b.html', "attachment; filename*=UTF-8''a%22%3B%20filename%3D%22b.html"],
  ["a\r\nSet-Cookie: b=c", "attachment; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%3Dc"],
  ["../../etc/passwd", "attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"],
  ["\u202egnp.exe", "attachment; filename*=UTF-8''%E2%80%AEgnp.exe"],
  ["half \ud800", "attachment; filename*=UTF-8''half%20%EF%BF%BD"],
  ["it's (*)", "attachment; filename*=UTF-8''it%27s%20%28%2A%29"],
])(
  "a file that its sender calls %j is an attachment, and its name only a name",
  async ([name, disposition]) => {
    expect(await answerOf(name!)).toMatchObject({
      "content-disposition": disposition,
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
    })
  },
)

test("a long name may end within a letter", async () => {
  const { "content-disposition": disposition } = await answerOf(`${"a".repeat(254)}😀`)
  expect(disposition).toMatch(/a%EF%BF%BD$/)
})
