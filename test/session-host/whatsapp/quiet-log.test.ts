import { Writable } from "node:stream"
import { pino } from "pino"
import { expect, test } from "vitest"
import { quietLog } from "#session-host/whatsapp/quiet-log.ts"

function aLog() {
  const written: string[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      written.push(line.toString())
      done()
    },
  })
  return { log: quietLog(pino({ level: "trace" }, stream)), written }
}

test("Baileys' warnings are logged, without keys, bodies, stanzas and phone numbers", () => {
  const { log, written } = aLog()
  const key = "kq3hHzVn0gUuCrJt5l4yTqXH2cQmT1w8ZbYd6eFfGgE="
  log.warn(
    { key, node: { body: "a secret" } },
    `Invalid LID-PN mapping: 123456789012@lid, 15550001111@s.whatsapp.net`,
  )
  log.error(
    { err: new Error(`no session for 15550001111.0 with ${key}`), jid: "15550001111@s.whatsapp.net" },
    "failed",
  )
  log.child({ class: "ns" }).warn({ trace: "Error: 15550002222\n    at x" }, "in a child")
  log.info({ me: key }, "not written")

  expect(written).toHaveLength(3)
  const said = written.join("\n")
  expect(said).toContain("Invalid LID-PN mapping")
  expect(said).toContain("no session for")
  expect(said).not.toMatch(/1555000|123456789012|kq3hHz|a secret/)
})
