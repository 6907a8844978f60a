/**
 * Records `test/admin/move-in/whatsmeow.{sql,json}` anew: the store of a whatsmeow that has written, has been
 * written to, and was killed, and what then waited for it. Needs Go and a C compiler.
 *
 *     node trials/move-in/whatsmeow/record.ts
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync, type SQLOutputValue } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { type BinaryNode, BufferJSON } from "@whiskeysockets/baileys"
import { findInWhatsmeow } from "#admin/move-in/whatsmeow.ts"
import { call } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { startSimulator } from "#simulator/simulator.ts"
import { connect, newDevice } from "#test/support/network/baileys-client.ts"
import { aPhone } from "#test/support/network/phone.ts"

/** Which prekeys are recorded: the network hands out the first ones. */
const fewPreKeys = " WHERE key_id < 10 OR key_id > 808"

const here = fileURLToPath(new URL(".", import.meta.url))
const records = fileURLToPath(new URL("../../../test/admin/move-in/", import.meta.url))
const dir = mkdtempSync(join(tmpdir(), "whatsmeow-"))
const network = await startSimulator()
trustRoot(network.rootKey)
const control = networkClient(network)
const [ada, bob, carl, dora] = await Promise.all(
  ["Ada", "Bob", "Carl", "Dora"].map((name) => aPhone(control, name)),
)
const groupOf = async (addressing: "lid" | "pn") =>
  (
    await control.group({
      creator: ada!.number,
      members: [bob!.number, carl!.number],
      addressing,
      subject: addressing,
    })
  ).jid
const groups = [await groupOf("lid"), await groupOf("pn")]

const program = await start()
const { qr } = (await program("link")) as { qr: string }
await ada!.scan(qr)
await program("open")
const device = `${ada!.number}:1`
await control.settled(device, 10_000)
await control.call("POST", `/phones/${ada!.number}/contacts`, { number: bob!.number, full_name: "Bob B." })

// Turns change several times, so that ratchets step; the last word is sometimes ours, sometimes theirs.
for (const turn of [1, 2, 3]) {
  await program("send", { chat: bob!.number, body: `to Bob ${turn}` })
  await bob!.send(ada!.number, `from Bob ${turn}`)
  for (const group of groups) {
    await program("send", { chat: group, body: `to ${group} ${turn}` })
    await bob!.send(group, `from Bob ${turn}`)
  }
}
await carl!.send(ada!.number, "from Carl, unasked")
await carl!.send(groups[0]!, "from Carl")
await control.settled(device, 10_000)
await program("send", { chat: dora!.number, body: "to Dora, who answers later" })
await program.kill()

const sent: Record<string, string> = {}
const waits = async (who: typeof ada, to: string, text: string) => {
  sent[(await who!.send(to, text)).id] = text
}
for (const turn of [1, 2]) {
  await waits(bob, ada!.number, `waiting from Bob ${turn}`)
  await waits(carl, ada!.number, `waiting from Carl ${turn}`)
  await waits(dora, ada!.number, `waiting from Dora ${turn}`)
  for (const group of groups) {
    await waits(bob, group, `waiting from Bob in ${group} ${turn}`)
    await waits(carl, group, `waiting from Carl in ${group} ${turn}`)
  }
}
const newcomer = await aPhone(control, "Eve")
await waits(newcomer, ada!.number, "waiting from Eve, who is new")

const waiting = await goOn()
writeFileSync(join(records, "whatsmeow.sql"), dumpOf(join(dir, "whatsapp.db")))
writeFileSync(
  join(records, "whatsmeow.json"),
  `${JSON.stringify({ names: { bob: bob!.lid }, texts: sent, waiting }, BufferJSON.replacer, 1)}\n`,
)
console.log(`${waiting.length} messages waited, and all were read`)
rmSync(dir, { recursive: true })
await network.close()
process.exit(0)

/** A Baileys with the store's login reads all that waited, and goes on. */
async function goOn(): Promise<BinaryNode[]> {
  const { sessions } = await findInWhatsmeow([join(dir, "whatsapp.db")])
  const [session] = sessions
  const state = newDevice()
  Object.assign(state.creds, await session!.creds())
  for await (const { type, id, value } of session!.keys((name) => console.log("cut:", name)))
    await state.keys.set({ [type]: { [id]: value } })
  const client = connect(network, state)
  const came: BinaryNode[] = []
  client.sock.ws.on("CB:message", (node: BinaryNode) => came.push(structuredClone(node)))
  for (const text of Object.values(sent)) await client.message(text)
  await client.sock.sendMessage(bob!.lid, { text: "Ada goes on" })
  for (const group of groups) await client.sock.sendMessage(group, { text: `Ada goes on in ${group}` })
  await bob!.read({ text: "Ada goes on" })
  for (const group of groups) await carl!.read({ text: `Ada goes on in ${group}` })
  await bob!.send(ada!.number, "Bob goes on")
  await client.message("Bob goes on")
  const retries = await control.log({ who: device, kind: "in", tag: "receipt", attrs: { type: "retry" } })
  if (retries.length > 0) throw new Error(`asked for again: ${JSON.stringify(retries)}`)
  client.close()
  return came.filter(({ attrs }) => Object.hasOwn(sent, attrs.id!))
}

async function start() {
  execFileSync("go", ["build", "-o", join(dir, "gateway"), "."], { cwd: here, stdio: "inherit" })
  const given = {
    tlsUrl: network.tlsUrl,
    rootKey: network.rootKey.toString("hex"),
    folder: dir,
    layout: "gowa",
    told: join(dir, "told"),
  }
  const child = spawn(join(dir, "gateway"), [JSON.stringify(given)], { stdio: ["pipe", "pipe", "inherit"] })
  const [line] = await once(createInterface(child.stdout), "line")
  const { base_url: base } = JSON.parse(String(line)) as { base_url: string }
  const ask = async (what: string, body: object = {}): Promise<unknown> =>
    await (await call(`${base}/shop/${what}`, "POST", body)).json()
  return Object.assign(ask, {
    async kill() {
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  })
}

/** The statements that make this database, as text. */
function dumpOf(file: string): string {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const made = db.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").all()
  const filled = made.flatMap(({ name, sql }) => {
    if (!String(sql).startsWith("CREATE TABLE")) return []
    return db
      .prepare(`SELECT * FROM ${String(name)}${name === "whatsmeow_pre_keys" ? fewPreKeys : ""}`)
      .all()
      .map((row) => `INSERT INTO ${String(name)} VALUES (${Object.values(row).map(literal).join(", ")});`)
  })
  return `${[...made.map(({ sql }) => `${String(sql)};`), ...filled].join("\n")}\n`
}

function literal(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`
  return value === null ? "NULL" : String(value)
}
