import { expect, test } from "vitest"
import { withText } from "#session-host/content/compose.ts"
import { read } from "#session-host/content/reading.ts"
import { unwrap } from "#session-host/content/unwrap.ts"

const file = { directPath: "/v/1", mediaKey: Buffer.alloc(32, 1), caption: "before" }

test.for([
  ["a text", { conversation: "before" }],
  ["an image", { imageMessage: file }],
  ["a video", { videoMessage: file }],
  ["a document", { documentMessage: file }],
])("the text or caption of %s is changed, and nothing else", ([, content]) => {
  const changed = unwrap(withText(content as object, "after")!)
  expect(read(changed)).toMatchObject({ said: { body: "after" } })
  expect(read(changed)?.media?.mediaKey).toEqual(read(content as object)?.media?.mediaKey)
})

test("what has neither a text nor a caption cannot be changed", () => {
  for (const content of [
    { audioMessage: {} },
    { stickerMessage: {} },
    { pollCreationMessage: { name: "?" } },
  ])
    expect(withText(content, "after")).toBeUndefined()
})
