import "#test/support/store.ts"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { BufferJSON } from "@whiskeysockets/baileys"
import { expect, onTestFinished, test } from "vitest"
import { findEvolution } from "#admin/move-in/evolution.ts"
import { importing } from "#admin/move.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { aFolder } from "#test/support/network/gateway.ts"
import { anAccount } from "#test/support/service/bridge.ts"
import { someCreds, someKeys, writeFolder } from "#test/support/session/baileys-folder.ts"

const json = (value: unknown) => JSON.stringify(value, BufferJSON.replacer)
const twice = (value: unknown) => JSON.stringify(json(value))
const escaped = (text: string) =>
  text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n")
const text = (value: string) => `$${Buffer.byteLength(value)}\r\n${value}\r\n`
const list = (values: string[]): string => `*${values.length}\r\n${values.join("")}`
const id = "6f1c5f1e-0000-4000-8000-000000000001"

const table = (name: string, columns: string, rows: (string | undefined)[][]) =>
  [
    `COPY public."${name}" (${columns}) FROM stdin;`,
    ...rows.map((row) => row.map((value) => (value === undefined ? "\\N" : escaped(value))).join("\t")),
    "\\.\n",
  ].join("\n")

/** A dump as `pg_dump` writes it, of instances whose names need to be escaped there. */
function aDump(instances: { id: string; name: string; creds?: object; url?: string }[]): string {
  const file = join(aFolder(), "evolution.sql")
  writeFileSync(
    file,
    [
      "-- PostgreSQL database dump\n",
      table("Chat", "id, name", [["Session", "COPY"]]),
      table(
        "Instance",
        "id, name, integration",
        instances.map((one) => [one.id, one.name, "WHATSAPP-BAILEYS"]),
      ),
      table(
        "Session",
        'id, "sessionId", creds',
        instances.flatMap((one) => (one.creds ? [["c1", one.id, JSON.stringify(json(one.creds))]] : [])),
      ),
      table(
        "Webhook",
        'id, url, enabled, "instanceId"',
        instances.flatMap((one) => (one.url ? [["w1", one.url, "t", one.id]] : [])),
      ),
    ].join("\n"),
  )
  return file
}

/** Answers as a Redis does in which these hashes are, in pieces of a few bytes. */
async function aRedis(hashes: Record<string, Record<string, string>>, others = ""): Promise<string> {
  const answer = ([command = "", name = "", cursor = ""]: string[]) => {
    if (command === "CLIENT") return name === "ID" ? ":7\r\n" : text(`id=7 addr=- db=6 x\n${others}`)
    if (command === "SCAN") return list([text("0"), list(Object.keys(hashes).map(text))])
    if (command === "HGET") return hashes[name]?.[cursor] ? text(hashes[name][cursor]) : "$-1\r\n"
    if (command !== "HSCAN") return "+OK\r\n"
    const fields = Object.entries(hashes[name] ?? {})
    // Two pages, in the second of which the last of the first comes again.
    const page = cursor === "0" ? fields.slice(0, 2) : fields.slice(1)
    return list([text(cursor === "0" ? "2" : "0"), list(page.flat().map(text))])
  }
  const server = createServer((socket) =>
    socket.on("data", (bytes) => {
      for (const asked of bytes.toString().split(/(?=\*\d+\r\n)/)) {
        const parts = asked.split("\r\n").filter((part, at) => at > 0 && at % 2 === 0 && part !== "")
        for (const piece of answer(parts).match(/[^]{1,1000}/g) ?? []) socket.write(piece)
      }
    }),
  )
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}/6`
}

async function moveIn(...where: string[]) {
  const { id: account } = await anAccount()
  const said: string[] = []
  const { error } = console
  console.error = (line: string) => said.push(line)
  try {
    return { rows: await importing({}).run(["evolution", ...where], { account }), said, account }
  } finally {
    console.error = error
  }
}

const why = async (...where: string[]) =>
  await moveIn(...where).then(
    ({ rows }) => JSON.stringify(rows),
    (error: unknown) => String(error),
  )

test("instances come from a dump and the folder of their keys, and their webhooks are said", async () => {
  const number = `49152${randomInt(1e7, 1e8)}`
  const instances = aFolder()
  writeFolder(join(instances, id), undefined, someKeys(number))
  const [other, loggedOut] = [id.replace(/1$/, "2"), id.replace(/1$/, "3")]
  writeFolder(join(instances, loggedOut), undefined, someKeys(number))
  const dump = aDump([
    { id, name: "Loja São\t1", creds: someCreds(number, "12345"), url: "https://n8n.example/hook" },
    { id: other, name: "empty" },
    { id: loggedOut, name: "out" },
  ])
  const { rows, said, account } = await moveIn(dump, instances)
  expect(rows).toEqual([
    { imported: expect.any(String), customer_ref: "Loja-Sao-1", account, was: "Loja São?1" },
    { not_imported: "out", why: "out has no credentials: it was logged out, or never linked" },
    { not_imported: "empty", why: `its keys are not in ${instances}: there is no ${other}` },
  ])
  expect(said.join("\n")).toContain("  Loja-Sao-1: https://n8n.example/hook")
  expect(said.join("\n")).toContain('ALTER TABLE "Session" RENAME TO "Session_moved"')
  expect((await Bridge.get(account, "Loja-Sao-1")).webhookUrl).toBe("")
})

test.each([false, true])("keys come from Redis, with the credentials there: %s", async (withCreds) => {
  const number = `49153${randomInt(1e7, 1e8)}`
  const keys = Object.fromEntries(someKeys(number).map((key) => [`${key.type}-${key.id}`, twice(key.value)]))
  const creds = someCreds(number)
  const redis = await aRedis({
    [`evolution:instance:${id}`]: { ...(withCreds && { creds: twice(creds) }), ...keys },
  })
  const dump = aDump([{ id, name: "shop", ...(!withCreds && { creds }) }])
  const { rows } = await moveIn(redis, dump)
  expect(rows).toMatchObject([{ customer_ref: "shop" }])
  const found = await findEvolution([redis, dump])
  const names = new Set(
    (await Array.fromAsync(found.sessions[0]!.keys(() => {}))).map((key) => `${key.type} ${key.id}`),
  )
  expect(names).toEqual(new Set(someKeys(number).map((key) => `${key.type} ${key.id}`)))
  await found.close()
})

test("a Redis in use is refused, a dump that is none, and a word too few", async () => {
  const number = `49154${randomInt(1e7, 1e8)}`
  const redis = await aRedis({ [`evolution:instance:${id}`]: {} }, "id=8 addr=- db=6 x\n")
  const dump = aDump([{ id, name: "shop", creds: someCreds(number) }])
  const [session] = (await findEvolution([redis, dump])).sessions
  await expect(session!.mustRest(new Map())).rejects.toThrow(
    "/6 is in use by 1 other connections: stop the old gateway first",
  )
  const packed = join(aFolder(), "packed.sql")
  writeFileSync(packed, "PGDMP\u0001")
  expect(await why(packed, redis)).toContain("is no plain dump: `pg_restore -f <new>.sql` makes one of it")
  expect(await why(dump)).toContain("name Evolution's database")
  const outside = aDump([{ id: "../outside", name: "shop", creds: someCreds(number) }])
  expect(await why(outside, redis)).toContain("../outside in the table Instance is no id of Evolution's")
  const elsewhere = aFolder()
  expect(await why(dump, elsewhere)).toContain(
    `${elsewhere} has the keys of none of the 1 instances in ${dump}: is it Evolution's folder`,
  )
  expect(await why("/nowhere/x.sql", redis)).toContain("there is no /nowhere/x.sql")
})
