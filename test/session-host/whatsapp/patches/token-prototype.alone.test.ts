import { decodeBinaryNode, encodeBinaryNode } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { installRepairs } from "#session-host/whatsapp/patches/install.ts"

installRepairs()

test.for([
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__proto__",
  "isPrototypeOf",
  "receipt",
  "to",
])("a stranger may call a message %s: it goes over the wire as it is", async (word) => {
  const node = { tag: "receipt", attrs: { id: word, to: "1@s.whatsapp.net" }, content: undefined }
  const bytes = encodeBinaryNode(node)
  expect((await decodeBinaryNode(bytes)).attrs.id).toBe(word)
})
