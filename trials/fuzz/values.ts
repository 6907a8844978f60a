import type { Schema } from "#contract/openapi.ts"
import type { Random } from "#test/support/random.ts"
import type { KnownValues } from "./known-values.ts"

const alphabets = [
  "abc xyz",
  "0123456789",
  "äöüß€",
  "😀👍🏽👩‍👩‍👧",
  "مرحبا",
  "漢字",
  "<b>&\"'\\/;--",
  "\u200b\u202e\u2028\t\n",
]

/**
 * A value that this field may have: by its name if the service knows such values, otherwise by its schema.
 */
export function validValue(name: string, schema: Schema, random: Random, known: KnownValues): unknown {
  if (schema.type === "array")
    return Array.from({ length: random.between(1, 6) }, () =>
      validValue(name, schema.items ?? {}, random, known),
    )
  const pool = poolOf(name, known)
  if (pool && random.below(10) > 0) return random.pick(pool)
  if (schema.enum) return random.pick(schema.enum)
  switch ([schema.type].flat()[0] ?? "string") {
    case "integer":
      return between(schema, random)
    case "number":
      return between(schema, random) + (random.below(2) === 0 ? 0 : random.next())
    case "boolean":
      return random.below(2) === 0
    default:
      return textOf(schema, random)
  }
}

function poolOf(name: string, known: KnownValues): readonly unknown[] | undefined {
  switch (name) {
    case "chat":
    case "contact_id":
    case "jid":
    case "mentions":
      return known.chats
    case "phone":
    case "phones":
    case "members":
      return known.phones
    case "id":
    case "message_id":
    case "quoted_message_id":
      return known.messageIds
    case "event_id":
      return known.eventIds
    case "after":
      return [...known.eventIds, ...known.chats]
    case "url":
      return known.urls
    case "proxy_url":
      return [null, "http://127.0.0.1:1", "socks5://ada:word@127.0.0.1:1"]
    case "webhook_url":
      return known.webhookUrls
    case "webhook":
    case "webhook_id":
      return ["first"]
    case "chats":
      return known.chats
    case "customer_ref":
      return known.spares
    default:
      return undefined
  }
}

function between({ minimum = -1000, maximum = 1000 }: Schema, random: Random): number {
  const edges = [minimum, maximum, minimum + random.below(Math.min(maximum - minimum, 2 ** 31) + 1)]
  return random.pick(edges) ?? 0
}

function textOf({ minLength = 0, maxLength = 64 }: Schema, random: Random): string {
  const most = Math.min(maxLength, random.below(50) === 0 ? 20_000 : 40)
  const length = random.between(Math.min(minLength, most), most + 1)
  const letters = random.pick(alphabets) ?? ""
  // By code unit, so half a letter may be among them.
  return Array.from({ length }, () => letters[random.below(letters.length)]).join("")
}

/** A value that no field expects. */
export function oddValue(random: Random): unknown {
  return random.pick(oddities)
}

const oddities: unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER + 2,
  -1e308,
  Infinity,
  "",
  " ",
  "null",
  "a\0b",
  "half \ud800",
  "\udfff\ud800",
  "\u202e\u2028\r\ndata: x\r\nSet-Cookie: a=b",
  "x".repeat(70_000),
  "é".repeat(70_000),
  "../../../etc/passwd",
  "file:///etc/passwd",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:169.254.169.254]/",
  "http://user:pass@127.0.0.1/",
  "javascript:alert(1)",
  "http://" + "a".repeat(3000),
  "default",
  "__proto__",
  "constructor",
  "491711234567@s.whatsapp.net\n",
  "491711234567:99@s.whatsapp.net",
  "status@broadcast",
  "0@s.whatsapp.net",
  "0000000",
  "999999999999999",
  "١٢٣٤٥٦٧",
  "${7*7}{{7*7}}%s%n",
  [],
  [[]],
  [null],
  {},
  { length: 1 },
  { toString: "x", valueOf: "y" },
  Array.from({ length: 2000 }, (_, i) => i),
  Array.from({ length: 1100 }, (_, i) => String(491_700_000_000 + i)),
]

/** A value nested this many levels deep. */
export function deep(levels: number): unknown {
  let value: unknown = "bottom"
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}
