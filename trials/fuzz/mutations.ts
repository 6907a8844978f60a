import type { Random } from "#test/support/random.ts"
import { bytesOf, type Draft, pathOf } from "./draft.ts"
import type { KnownValues } from "./known-values.ts"
import { deep, oddValue } from "./values.ts"

type Mutation = (draft: Draft, random: Random, known: KnownValues) => void

/** Changes up to three things in a request; some requests stay as they are. */
export function mutate(draft: Draft, random: Random, known: KnownValues): void {
  const times = random.pick([0, 1, 1, 1, 2, 3]) ?? 0
  for (let i = 0; i < times; i++) {
    const ofRequest = random.below(4) === 0 ? ofAddress : ofInput
    const [name, mutation] = random.pick(
      Object.entries(draft.body && random.below(3) > 0 ? ofBody : ofRequest),
    )!
    mutation(draft, random, known)
    draft.mutations.push(name)
  }
}

const ofBody: Record<string, Mutation> = {
  drop: ({ body = {} }, random) => void delete body[fieldOf(body, random)],
  retype: ({ body = {} }, random) => void (body[fieldOf(body, random)] = oddValue(random)),
  nest: ({ body = {} }, random) => {
    const field = fieldOf(body, random)
    body[field] = random.below(2) === 0 ? [body[field]] : { [field]: body[field] }
  },
  huge: ({ body = {} }, random) =>
    void (body[fieldOf(body, random)] = "x".repeat(random.between(1, 600_000))),
  deep: ({ body = {} }, random) =>
    void (body[fieldOf(body, random)] = deep(random.pick([5, 31, 32, 33, 500]) ?? 0)),
  extra: ({ body = {} }, random) => {
    body[random.pick(["extra", "toJSON", "constructor", "accountId", "bridge_id", "état", ""]) ?? ""] =
      oddValue(random)
  },
  many: ({ body = {} }) => {
    for (let i = 0; i < 3000; i++) body[`field${i}`] = i
  },
  cased: (draft, random) => {
    const { body = {} } = draft
    const field = fieldOf(body, random)
    body[field.toUpperCase()] = body[field]
    delete body[field]
  },
  proto: (draft) =>
    rewrite(draft, (json) => json.replace("{", '{"__proto__":{"accountId":"x","isAdmin":true},')),
  abyss: (draft, random) => {
    const levels = random.between(1000, 200_000)
    rewrite(draft, (json) => json.replace("{", `{"abyss":${"[".repeat(levels)}${"]".repeat(levels)},`))
  },
  twice: (draft, random) =>
    rewrite(draft, (json) => json.replace("{", `{"chat":${JSON.stringify(oddValue(random)) ?? 0},`)),
  cut: (draft, random) => rewrite(draft, (json) => json.slice(0, random.below(json.length))),
  padded: (draft, random) => rewrite(draft, (json) => " \n\t".repeat(random.below(100_000)) + json),
  marked: (draft) => rewrite(draft, (json) => `\ufeff${json}`),
  notUtf8: (draft) => {
    draft.bytes = Buffer.concat([
      Buffer.from('{"body":"'),
      Buffer.of(0xff, 0xc0, 0xed, 0xa0, 0x80),
      Buffer.from('"}'),
    ])
  },
  utf16: (draft) => rewrite(draft, (json) => json, "utf16le"),
  notObject: (draft, random) =>
    rewrite(draft, () => random.pick(["[]", "null", "7", '""', "", "NaN", "{}{}"]) ?? ""),
  wrongType: (draft, random) => setHeader(draft, "content-type", random.pick(contentTypes) ?? ""),
  noType: (draft) => {
    draft.headers = draft.headers.filter(([name]) => name !== "content-type")
  },
}

/** Mutations of the input, apart from the body. */
const ofInput: Record<string, Mutation> = {
  foreignId: (draft, random, { foreign }) => {
    // The end of a call is reported under the id by which it was rejected.
    if (draft.route.name === "rejectCall") return
    for (const name of Object.keys(draft.parameters))
      draft.parameters[name] =
        random.pick([...foreign.messageIds, ...foreign.eventIds, ...foreign.numbers]) ?? ""
  },
  oddParameter: (draft, random) => {
    for (const name of Object.keys(draft.parameters)) draft.parameters[name] = asText(oddValue(random))
  },
  oddQuery: (draft, random) => {
    const names = ["limit", "after", "tail", "state", "limit[]", "__proto__", "a".repeat(500)]
    draft.query.push([random.pick(names) ?? "", asText(oddValue(random))])
  },
  twiceQuery: (draft) => void draft.query.push(...draft.query),
  header: (draft, random) => void draft.headers.push(random.pick(oddHeaders)!),
  unwantedBody: (draft, random) => {
    draft.bytes = random.pick([Buffer.from("{}"), Buffer.from("x"), Buffer.alloc(600_000, " ")])
    if (random.below(2) === 0) setHeader(draft, "content-type", "application/json")
  },
}

/** Mutations of the address and the caller, which are refused before the input is looked at. */
const ofAddress: Record<string, Mutation> = {
  foreignRef: (draft, random, { foreign }) => void (draft.ref = random.pick(foreign.refs) ?? ""),
  oddRef: (draft, random) => void (draft.ref = random.pick(oddRefs) ?? ""),
  badPath: (draft, random) => {
    const path = pathOf(draft)
    const at = Math.max(5, random.below(path.length))
    draft.path = path.slice(0, at) + (random.pick(badEncodings) ?? "") + path.slice(at)
  },
  method: (draft, random) => {
    // Deleting a path that is a bridge's own would end the run.
    const deletes = pathOf(draft).includes("/proxy/") ? ["DELETE"] : []
    draft.method = random.pick(["HEAD", "OPTIONS", "PUT", "POST", "GET", "TRACE", "QUERY", ...deletes]) ?? ""
  },
  noKey: (draft) => {
    draft.headers = draft.headers.filter(([name]) => name !== "authorization")
  },
  wrongKey: (draft, random, { wrongKeys }) => {
    const keys = wrongKeys.flatMap((key) => [`Bearer ${key}`, `Basic ${key}`, key])
    setHeader(draft, "authorization", random.pick(keys)!)
  },
  keyTwice: (draft) => void draft.headers.push(["authorization", "Bearer x"]),
}

const contentTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "APPLICATION/JSON",
  "application/json;",
  "application/jsonp",
  "application/json, text/html",
  "é/ü",
  "",
]

const oddRefs = [
  "",
  ".",
  "..",
  "%",
  "a b",
  "a/b",
  "nobody",
  "Default",
  "sandbox\0",
  "x".repeat(5000),
  "😀",
  "__proto__",
]

const badEncodings = [
  "%",
  "%zz",
  "%ff",
  "%00",
  "%2f",
  "%2e%2e",
  "//",
  "\\",
  "%u0041",
  "%c0%af",
  ";a=b",
  "'",
  "%0d%0aX-A:b",
]

const oddHeaders: [string, string][] = [
  ["idempotency-key", ""],
  ["idempotency-key", "x".repeat(256)],
  ["idempotency-key", "\u00e9"],
  ["idempotency-key", "a, b"],
  ["idempotency-key", "__proto__"],
  ["x-request-id", "a b\u00e9"],
  ["x-request-id", "x".repeat(2000)],
  ["x-forwarded-for", "127.0.0.1"],
  ["x-viewer-address", "10.0.0.1"],
  ["x-router-secret", "guess"],
  ["x-http-method-override", "DELETE"],
  ["x-original-url", "/api/instances"],
  ["host", "169.254.169.254"],
  ["host", "a b"],
  ["origin", "https://evil.example"],
  ["range", "bytes=0-1,5-"],
  ["if-none-match", "*"],
  ["accept", "text/html"],
  ["accept-encoding", "gzip;q=9, br"],
  ["content-encoding", "gzip"],
  ["cookie", `a=${"b".repeat(4000)}`],
  ["authorization2", "Bearer x"],
  ["x-send-repeated", "true"],
  ["x-message-id", "3EB0000000000000000000"],
]

function fieldOf(body: Record<string, unknown>, random: Random): string {
  return random.pick(Object.keys(body)) ?? "field"
}

function rewrite(draft: Draft, change: (json: string) => string, encoding: BufferEncoding = "utf8"): void {
  draft.bytes = Buffer.from(change(bytesOf(draft)?.toString() ?? ""), encoding)
}

function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([other]) => other !== name), [name, value]]
}

/** In a URL everything is text. */
function asText(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, 1000)
}
