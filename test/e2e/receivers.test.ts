import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { Receiver } from "#core/event/receiver.ts"
import { webhooks } from "#sdk-typescript/index.ts"

const page = readFileSync(new URL("../../docs/receivers/README.md", import.meta.url), "utf8")
const [, snippet = ""] = /```php\n<\?php\n(.*?)```/s.exec(page) ?? []

/** Reads `[[body in base64, header or null, secret, now], ...]`, prints the snippet's verdict on each. */
const program = `${snippet}
  $cases = json_decode(file_get_contents('php://stdin'), true);
  echo json_encode(array_map(fn($c) => is_genuine(base64_decode($c[0]), $c[1], $c[2], $c[3]), $cases));`
const hasPhp = spawnSync("php", ["--version"]).status === 0

const secret = "whsec_ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMsIHRoaXM="
const now = 1_795_166_760
const body = Buffer.from(JSON.stringify({ event: "message", body: "Grüße 👋\n" }))
const header = headerOf(body)

/** A well-formed signature that no secret has made. */
const another = `,v1=${"0".repeat(64)}`

function headerOf(bytes: Buffer, timestamp = now): string {
  const delivery = { secrets: [secret] as [string], id: "evt_1", attempt: 1, body: bytes, timestamp }
  return Receiver.signedHeaders(delivery)["x-webhook-signature"]!
}

type Case = [what: string, body: Buffer, header: string | null, secret: string, now: number, genuine: boolean]
const cases: Case[] = [
  ["ours", body, header, secret, now, true],
  ["ours, five minutes old", body, header, secret, now + 300, true],
  ["ours, of a clock that is ahead", body, header, secret, now - 200, true],
  ["an empty body of ours", Buffer.alloc(0), headerOf(Buffer.alloc(0)), secret, now, true],
  ["bytes that are no text", Buffer.of(0, 255, 10), headerOf(Buffer.of(0, 255, 10)), secret, now, true],
  ["too old", body, header, secret, now + 301, false],
  ["too new", body, header, secret, now - 301, false],
  ["a changed body", Buffer.concat([body, Buffer.from(" ")]), header, secret, now, false],
  ["another secret", body, header, secret.replace("Z", "Y"), now, false],
  ["a changed time", body, header.replace(`t=${now}`, `t=${now + 1}`), secret, now, false],
  ["no header", body, null, secret, now, false],
  ["an empty header", body, "", secret, now, false],
  ["no signature", body, `t=${now}`, secret, now, false],
  ["a short signature", body, header.slice(0, -1), secret, now, false],
  ["a long signature", body, `${header}0`, secret, now, false],
  ["ours before another's", body, `${header}${another}`, secret, now, true],
  ["ours after another's", body, header.replace(",", `${another},`), secret, now, true],
  ["only others'", body, `t=${now}${another}${another}`, secret, now, false],
  ["ours before a short one", body, `${header},v1=00`, secret, now, false],
  ["two times", body, `${header},t=${now}`, secret, now, false],
  ["a line end after it", body, `${header}\n`, secret, now, false],
  ["no number", body, header.replace(String(now), "1e9"), secret, now, false],
  ["digits of another script", body, header.replace(String(now), "١٧٩٥١٦٦٧٦٠"), secret, now, false],
]

test.for(cases)("the SDK takes %s for genuine or not", async ([, bytes, sent, key, at, genuine]) => {
  expect(await webhooks.isGenuine(new Uint8Array(bytes), sent, key, at)).toBe(genuine)
})

test("the snippet for PHP says the same, where there is PHP", () => {
  if (!hasPhp) return console.warn("php is not here: its snippet was not run")
  const input = JSON.stringify(
    cases.map(([, bytes, sent, key, at]) => [bytes.toString("base64"), sent, key, at]),
  )
  const { stdout, stderr } = spawnSync("php", ["-r", program], { input, encoding: "utf8" })
  expect([stderr, JSON.parse(stdout)]).toEqual(["", cases.map(([, , , , , genuine]) => genuine)])
})
