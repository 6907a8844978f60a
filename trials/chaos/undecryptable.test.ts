import { expect, test } from "vitest"
import type { Entry } from "#one-machine/network/client.ts"
import { spoiltSize } from "#simulator/stanzas/message.ts"
import { newUndecryptable } from "./undecryptable.ts"

const device = "491:1"
type Seen = Pick<Entry, "kind" | "stanza">
const copy = (id: string, content: number): Seen => ({
  kind: "out",
  stanza: { tag: "message", attrs: { id }, content: [{ tag: "enc", attrs: {}, content }] },
})
const asked = (id: string): Seen => ({
  kind: "in",
  stanza: { tag: "receipt", attrs: { id, type: "retry" } },
})
const refused = (id: string): Seen => ({ kind: "in", stanza: { tag: "ack", attrs: { id, error: "500" } } })

function after(...entries: Seen[]) {
  const undecryptable = newUndecryptable()
  for (const [n, entry] of entries.entries()) undecryptable.saw({ n, at: n, who: device, ...entry })
  return { undecryptable: undecryptable.entries.map(({ n }) => n), asked: undecryptable.asked() }
}

test("a bridge asks once for each copy that the network has spoilt, and may refuse that copy", () => {
  const spoilt = copy("A", spoiltSize)
  expect(after(spoilt, asked("A"), refused("A"))).toEqual({ undecryptable: [], asked: 1 })
  // It came again, since the bridge's host died.
  expect(after(spoilt, asked("A"), spoilt, asked("A"), refused("A"))).toEqual({ undecryptable: [], asked: 2 })
})

test("that it asks for a copy that was whole is a trouble", () => {
  expect(after(copy("A", 80), asked("A"))).toEqual({ undecryptable: [1], asked: 0 })
  const again = [copy("A", spoiltSize), asked("A"), refused("A"), copy("A", 80), asked("A"), refused("A")]
  expect(after(...again)).toEqual({ undecryptable: [4, 5], asked: 1 })
  expect(after(copy("A", spoiltSize), asked("B"))).toEqual({ undecryptable: [1], asked: 0 })
})
