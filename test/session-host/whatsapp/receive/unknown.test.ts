import type { BinaryNode } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { reportUnknown, unknownIn } from "#session-host/whatsapp/receive/unknown.ts"

const node = (tag: string, attrs: Record<string, string> = {}, ...content: BinaryNode[]): BinaryNode => ({
  tag,
  attrs,
  content,
})

test.for<[string, BinaryNode, string[]]>([
  ["nothing of what is known", node("message", { id: "1", from: "1@lid" }, node("enc")), []],
  ["a stanza", node("frob"), ["frob"]],
  ["an attribute", node("message", { id: "1", shade: "blue" }), ["message shade"]],
  ["a kind", node("receipt", { type: "smelled" }), ["receipt/smelled"]],
  ["a part", node("ib", {}, node("weather"), node("weather"), node("dirty")), ["ib/weather"]],
  [
    "a part of a kind",
    node("notification", { type: "devices" }, node("paint")),
    ["notification/devices/paint"],
  ],
  ["a kind of ciphertext", node("status", {}, node("enc", { type: "frob" })), ["status/enc/frob"]],
  ["a kind with parts", node("notification", { type: "weather" }, node("rain")), ["notification/weather"]],
])("of a stanza the operator is told of %s", ([, stanza, names]) => {
  expect(unknownIn(stanza)).toEqual(names)
})

test("texts and numbers in the place of names are not told", () => {
  const stanza = node("call", { "491711234567": "x", "my name is Bob": "y" }, node("x".repeat(100)))
  expect(unknownIn(stanza)).toEqual(["call …", "call …", "call/…"])
})

test("a name is logged once", () => {
  const said: unknown[] = []
  const log = { warn: (about: unknown) => void said.push(about) }
  for (let i = 0; i < 3; i++) reportUnknown(node("blub"), log)
  expect(said).toEqual([{ unknown: "blub" }])
})
