import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { silent } from "#session-host/content/unknown.ts"
import { wrappers } from "#session-host/content/unwrap.ts"
import fields from "#session-host/network/message-proto/fields.json" with { type: "json" }
import { eventsOf } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { aReceivedMessage } from "#test/support/session/received-message.ts"

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))

type Row = [id: number, name: string, type: string, rule?: "repeated"]
// Its inferred type knows nothing of tuples.
const rows = fields as unknown as Record<string, Row[]> & { Message: Row[] }

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function newRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = newRandom(seed)
const upTo = (most: number) => Math.floor(random() * (most + 1))
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => upTo(255)))
const oneOf = <One>(...all: One[]): One => all[upTo(all.length - 1)]!

function varint(value: number): Buffer {
  const parts: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) parts.push((left % 128) + 128)
  return Buffer.from([...parts, left])
}

const numbered = (id: number, value: number) => Buffer.concat([varint(id * 8), varint(value)])
const delimited = (id: number, content: Uint8Array) =>
  Buffer.concat([varint(id * 8 + 2), varint(content.length), content])
const fixed = (id: number, length: 4 | 8) =>
  Buffer.concat([varint(id * 8 + (length === 8 ? 1 : 5)), bytes(length)])

const strings = [
  "",
  "hello",
  "\0\u202E",
  "1@s.whatsapp.net",
  "9@lid",
  "1@g.us",
  "BEGIN:VCARD",
  "{",
  "3EB0",
  "😀",
]

/** A field with a content of its type. */
function filled([id, , type]: Row, depth: number): Buffer {
  if (rows[type]) return delimited(id, depth > 0 ? messageOf(type, depth - 1) : Buffer.of())
  switch (type) {
    case "string":
      return delimited(id, Buffer.from(oneOf(...strings)))
    case "bytes":
      return delimited(id, bytes(oneOf(0, 12, 16, 32, 64)))
    case "double":
      return fixed(id, 8)
    case "float":
    case "fixed32":
      return fixed(id, 4)
    default:
      return numbered(id, oneOf(0, 1, 2, 5, 14, 2 ** 31, 2 ** 52))
  }
}

/** A message of this type, in which half of the fields are missing and some are there twice. */
function messageOf(type: string, depth: number): Buffer {
  const some = rows[type]!.filter(() => random() < 0.5)
  return Buffer.concat(
    some.flatMap((row) => Array.from({ length: oneOf(1, 1, 1, 2) }, () => filled(row, depth))),
  )
}

/** The message in ten wrappers (`ephemeralMessage`). */
function nested(content: Buffer): Buffer {
  let inner = content
  for (let depth = 0; depth < 10; depth++) inner = delimited(40, delimited(1, inner))
  return inner
}

/** What a stranger may make of a field of a message. */
const ways: Record<string, (row: Row) => Buffer> = {
  filled: (row) => filled(row, 3),
  empty: ([id]) => delimited(id, Buffer.of()),
  doubled: (row) => Buffer.concat([filled(row, 2), filled(row, 2)]),
  "of another type": (row) => oneOf(numbered(row[0], 7), fixed(row[0], 4), fixed(row[0], 8)),
  "cut off": (row) => {
    const whole = delimited(row[0], bytes(40))
    return whole.subarray(0, 2 + upTo(whole.length - 3))
  },
  garbage: ([id]) => delimited(id, bytes(60)),
  "ten deep": (row) => nested(filled(row, 2)),
}

/** Whether people see something where this field is. */
const isShown = ([, name]: Row) => !silent.has(name) && !wrappers.some((wrapper) => wrapper === name)

const megabyte = Buffer.alloc(1_000_000, "a")

test(`whatever a stranger makes of a field of a message, it holds up nothing (SEED=${seed})`, async () => {
  const one = await aMemory()
  const { intake } = one.memory
  // Two ways for each field: all of them take too long for each run.
  const all = rows.Message.flatMap((row) => {
    const names = Object.keys(ways)
    const first = upTo(names.length - 1)
    const chosen = [names[first]!, names[(first + 1 + upTo(names.length - 2)) % names.length]!]
    return chosen.map((way) => [`${row[1]} ${way}`, ways[way]!(row)] as const)
  })
  const large = Array.from({ length: 3 }, () => oneOf(...rows.Message)).map(
    ([id, name]) => [`${name} large`, delimited(id, delimited(oneOf(1, 2, 3), megabyte))] as const,
  )
  const messages = [...all, ...large].map(([id, content]) =>
    aReceivedMessage({
      id,
      plaintext: Buffer.concat([content, Buffer.of(1)]),
      attrs: { from: `${upTo(50) + 1}@lid` },
    }),
  )
  for (const { attrs } of messages) intake.foresee(attrs)
  for (const message of messages) await intake.receive(message, [])
  await intake.receive(aReceivedMessage({ id: "after", text: "after" }), [])
  await one.memory.settled()

  expect(one.happened).not.toContain("ended: SessionEnded")
  const events = await eventsOf(one.bridgeId)
  for (const event of events) expect(event).toEqual(expect.schemaMatching(Event))
  expect(events.at(-1)).toMatchObject({ message_id: "after", body: "after" })
  const told = new Set(events.flatMap((event) => ("message_id" in event ? event.message_id : [])))
  const shown = rows.Message.filter(isShown).map(([, name]) => name)
  const missing = all.filter(([id]) => shown.includes(id.split(" ")[0]!) && !told.has(id))
  expect(missing.map(([id]) => id)).toEqual([])
}, 60_000)
