import { execFileSync } from "node:child_process"
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  addTransactionCapability,
  type BinaryNode,
  Curve,
  decryptMessageNode,
  DEFAULT_CONNECTION_CONFIG,
} from "@whiskeysockets/baileys"
import pino from "pino"
import { expect, onTestFinished, test } from "vitest"
import { openFiles } from "#admin/move-in/at-rest.ts"
import { findGows, findInWhatsmeow } from "#admin/move-in/whatsmeow.ts"
import type { FoundKey } from "#session-host/whatsapp/found-login.ts"
import { areOwnSenderKeys } from "#session-host/whatsapp/signal/anew.ts"
import { newDevice } from "#test/support/network/baileys-client.ts"
import { aFolder, aStore, letRest, recorded, sql } from "./whatsmeow-store.ts"

const found = async (...where: string[]) => {
  const all = await findInWhatsmeow(where)
  onTestFinished(() => all.close())
  return all
}
const theSession = async (...where: string[]) => (await found(...where)).sessions[0]!
const keysIn = async (file: string, cut: string[] = []) => {
  const session = await theSession(file)
  const keys: FoundKey[] = []
  for await (const key of session.keys((name) => cut.push(name))) keys.push(key)
  return keys
}
const idsOf = (keys: FoundKey[], type: FoundKey["type"]) =>
  keys.filter((key) => key.type === type).map(({ id }) => id)
const nameOf = ({ type, id }: FoundKey) => `${type} ${id}`
const whyNot = async (...where: string[]) =>
  await found(...where).then(
    ({ refused }) => refused.map(({ why }) => why).join("; "),
    (error: unknown) => (error as Error).message,
  )
/** The number and device in the recorded store, and the private id. */
const jid = /INTO whatsmeow_device VALUES \('([^']+)', '([^']+)'/.exec(sql)!
const number = jid[1]!.split(":")[0]!

test("Baileys reads with a store of whatsmeow what waited for it, in chats and groups", async () => {
  const session = await theSession(aStore())
  const { keys: kept } = newDevice()
  const creds = await session.creds()
  for (const { type, id, value } of await keysIn(aStore())) await kept.set({ [type]: { [id]: value } })
  const log = pino({ level: "silent" })
  const keys = addTransactionCapability(kept, log, { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, log)
  const read: Record<string, unknown> = {}
  for (const stanza of recorded.waiting) {
    const message = decryptMessageNode(stanza, creds.me!.id, creds.me!.lid!, repository, log)
    await message.decrypt()
    read[message.fullMessage.key.id!] = message.fullMessage.message?.conversation
  }
  expect(read).toEqual(recorded.texts)
  const kinds = recorded.waiting.flatMap(({ content }) =>
    (content as BinaryNode[]).map(({ attrs }) => attrs.type),
  )
  expect(new Set(kinds)).toEqual(new Set(["pkmsg", "msg", "skmsg"]))
  repository.close?.()
})

test("the credentials are those of the device, with the public halves of its keys", async () => {
  const creds = await (await theSession(aStore())).creds()
  expect(creds.me).toEqual({ id: jid[1], lid: jid[2], name: "Ada" })
  const { signedIdentityKey, signedPreKey, account } = creds
  const signed = Buffer.concat([Buffer.of(5), signedPreKey.keyPair.public])
  expect(Curve.verify(signedIdentityKey.public, signed, signedPreKey.signature)).toBe(true)
  const ofAccount = Buffer.concat([Buffer.of(6, 0), account!.details!, signedIdentityKey.public])
  expect(Curve.verify(account!.accountSignatureKey!, ofAccount, account!.accountSignature!)).toBe(true)
  expect(creds).toMatchObject({ nextPreKeyId: 813, firstUnuploadedPreKeyId: 813, platform: "android" })
  expect(idsOf(await keysIn(aStore()), "app-state-sync-key")).toContain(creds.myAppStateKeyId)
})

test("nothing that it gives encrypts: no chain of ours, no sender keys of ours", async () => {
  const keys = await keysIn(aStore())
  const senderKeys = keys.filter(({ type }) => type === "sender-key")
  const texts = senderKeys.map(({ value }) => Buffer.from(value as Uint8Array).toString())
  expect(texts.map(areOwnSenderKeys)).toEqual(texts.map(() => false))
  expect(senderKeys.map(({ id }) => id).join()).not.toContain(jid[2]!.split(":")[0])
  const sessions = keys.flatMap((key) => (key.type === "session" ? Object.values(key.value._sessions) : []))
  expect(sessions.length).toBeGreaterThan(3)
  for (const session of sessions as { indexInfo: { closed: number }; _chains: object }[]) {
    expect(session.indexInfo.closed).toBeGreaterThan(0)
    const chains = Object.values(session._chains)
    expect(chains).toEqual(chains.map(() => expect.objectContaining({ chainType: 2, messageKeys: {} })))
  }
})

test("a person's keys are where Baileys looks for them: under the private id, and in groups under both", async () => {
  const [, lid, pn] = /INTO whatsmeow_lid_map VALUES \('(\d+)', '(\d+)'\)/.exec(sql)!
  // As whatsmeow has it before the person writes under the private id for the first time.
  const change = ["sessions", "identity_keys"].map(
    (table) =>
      `UPDATE whatsmeow_${table} SET their_id = replace(their_id, '${lid}_1:', '${pn}:') WHERE their_id LIKE '${lid}%'`,
  )
  const file = aStore({ change: change.join(";") })
  const keys = await keysIn(file)
  expect(await keysIn(aStore())).toEqual(
    expect.arrayContaining([{ type: "lid-mapping", id: pn, value: lid }]),
  )
  for (const type of ["session", "identity-key"] as const)
    expect(idsOf(keys, type).toSorted()).toEqual(idsOf(await keysIn(aStore()), type).toSorted())
  const senders = idsOf(keys, "sender-key")
  expect(senders.length).toBeGreaterThan(0)
  for (const id of senders.filter((one) => one.includes(`::${lid}_1::`)))
    expect(senders).toContain(id.replace(`${lid}_1`, pn!))
  expect(new Set(senders).size).toBe(senders.length)
})

test("what is under a person's number counts, as it does for whatsmeow", async () => {
  const [, lid, pn] = /INTO whatsmeow_lid_map VALUES \('(\d+)', '(\d+)'\)/.exec(sql)!
  const change = ["sessions", "identity_keys"].map(
    (
      table,
    ) => `INSERT INTO whatsmeow_${table} SELECT our_jid, '${pn}:0', ${table === "sessions" ? "session" : "zeroblob(32)"}
      FROM whatsmeow_${table} WHERE their_id = '${lid}_1:0'`,
  )
  const senders = `INSERT INTO whatsmeow_sender_keys SELECT our_jid, chat_id, '${pn}:0', sender_key
      FROM whatsmeow_sender_keys WHERE sender_id = '${lid}_1:0'`
  const keys = await keysIn(aStore({ change: [...change, senders].join(";") }))
  const identity = keys.filter(({ type, id }) => type === "identity-key" && id === `${lid}_1.0`)
  expect(identity).toEqual([expect.objectContaining({ value: Buffer.from([5, ...Buffer.alloc(32)]) })])
  const names = keys.map(nameOf)
  expect(new Set(names).size).toBe(names.length)
})

test("whom it knows comes with both addresses and all names", async () => {
  const session = await theSession(aStore())
  const people = []
  for await (const person of session.people!()) people.push(person)
  expect(people).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        jid: expect.stringMatching(/^\d+@s\./),
        lid: expect.stringMatching(/@lid$/),
        pushName: "Carl",
      }),
    ]),
  )
  expect(people.some(({ fullName }) => fullName === "Bob B.")).toBe(true)
})

const token = (who: string, byte: number, at: number) =>
  `INSERT INTO whatsmeow_privacy_tokens VALUES ('${jid[1]}', '${who}', X'0${byte}', ${at}, ${at + 1})`
const tokenValue = (byte: number, at: number) => ({
  token: Buffer.of(byte),
  timestamp: `${at}`,
  senderTimestamp: at + 1,
})

test("tokens come under private ids, the newest of a person, with the list that Baileys needs", async () => {
  const [, lid, pn] = /INTO whatsmeow_lid_map VALUES \('(\d+)', '(\d+)'\)/.exec(sql)!
  const change = [
    token(`${lid}@lid`, 9, 200),
    token(`${pn}@s.whatsapp.net`, 2, 250),
    token("999@lid", 3, 300),
  ]
  const keys = await keysIn(aStore({ change: change.join(";") }))
  expect(keys.filter(({ type }) => type === "tctoken")).toEqual([
    { type: "tctoken", id: `${lid}@lid`, value: tokenValue(2, 250) },
    { type: "tctoken", id: "999@lid", value: tokenValue(3, 300) },
    {
      type: "tctoken",
      id: "__index",
      value: { token: Buffer.from(JSON.stringify([`${lid}@lid`, "999@lid"])) },
    },
  ])
})

test("a record that cannot be read is left out, and named", async () => {
  const change = `UPDATE whatsmeow_sessions SET session = substr(session, 1, 90);
    UPDATE whatsmeow_sender_keys SET sender_key = X'00'`
  const cut: string[] = []
  const keys = await keysIn(aStore({ change }), cut)
  expect(idsOf(keys, "session")).toEqual([])
  expect(idsOf(keys, "sender-key")).toEqual([])
  const all = await keysIn(aStore())
  expect(cut.filter((name) => name.startsWith("session"))).toEqual(
    idsOf(all, "session").map((id) => `session ${id}`),
  )
  expect(cut.filter((name) => name.startsWith("sender-key")).length).toBeGreaterThan(0)
})

test("an account without a private id is found, and its people by number only if they are known so", async () => {
  const change = "UPDATE whatsmeow_device SET lid = ''; DELETE FROM whatsmeow_lid_map"
  const file = aStore({ change })
  expect((await (await theSession(file)).creds()).me).toEqual({ id: jid[1], name: "Ada" })
  expect(idsOf(await keysIn(file), "lid-mapping")).toEqual([])
})

test("a store of several devices has a session for each, with its own keys and people alone", async () => {
  const other = "4915112345678:7@s.whatsapp.net"
  const change = `INSERT INTO whatsmeow_device SELECT '${other}', '555:7@lid', ${columnsAfterLid} FROM whatsmeow_device;
    INSERT INTO whatsmeow_pre_keys VALUES ('${other}', 3, zeroblob(32), true);
    INSERT INTO whatsmeow_contacts VALUES ('${other}', '777@s.whatsapp.net', '', 'Only theirs', '', '', '');
    INSERT INTO whatsmeow_lid_map VALUES ('778', '777')`
  const file = aStore({ change })
  const { sessions } = await found(file)
  expect(sessions.map(({ name }) => name)).toEqual([number, "4915112345678"].toSorted())
  const [mine, theirs] = [
    sessions.find(({ name }) => name === number)!,
    sessions.find(({ name }) => name !== number)!,
  ]
  const idsIn = async (session: typeof mine) => {
    const ids: string[] = []
    for await (const key of session.keys(() => {})) ids.push(nameOf(key))
    return ids
  }
  expect(await idsIn(theirs)).toEqual([
    "lid-mapping 777",
    "lid-mapping 778_reverse",
    "lid-mapping 4915112345678",
    "lid-mapping 555_reverse",
    "pre-key 3",
  ])
  expect(await idsIn(mine)).toContain("pre-key 2")
  expect((await idsIn(mine)).join()).not.toContain("777")
  expect(await mine.mark()).toMatch(/others that are not: do not start its gateway/)
  expect(await theirs.mark()).toBeUndefined()
  expect(await theirs.mark()).toBeUndefined()
  expect(await whyNot(file)).toBe("")
  await expect((await theSession(file)).mustRest(openFiles())).rejects.toThrow(
    /has moved already: .* rename .*whatsapp\.db\.moved to whatsapp\.db$/,
  )
})
const columnsAfterLid = `facebook_uuid, registration_id, noise_key, identity_key, signed_pre_key, signed_pre_key_id,
  signed_pre_key_sig, adv_key, adv_details, adv_account_sig, adv_account_sig_key, adv_device_sig, platform,
  business_name, push_name, lid_migration_ts, companion_meta_nonce`

test.each([
  [
    "GOWA",
    `CREATE TABLE devices (device_id, display_name, jid, ad_jid, webhook_url);
      INSERT INTO devices VALUES ('shop', '', '${number}@s.whatsapp.net', '${jid[1]}', 'https://a.example'),
        ('other', '', '${number}@s.whatsapp.net', '${number}:9@s.whatsapp.net', NULL)`,
    { name: "shop", webhookUrls: ["https://a.example"] },
    /^other was logged out: the store has no device \d+:9@s.whatsapp.net$/,
  ],
  [
    "an older GOWA",
    `CREATE TABLE devices (device_id, jid); INSERT INTO devices VALUES ('shop', '${number}@s.whatsapp.net'), ('new', '')`,
    { name: "shop", webhookUrls: [] },
    /^$/,
  ],
  [
    "wuzapi",
    `CREATE TABLE users (id, name, token, webhook, jid); INSERT INTO users VALUES (1, 'shop', '', 'https://a.example', '${jid[1]}')`,
    { name: "shop", webhookUrls: ["https://a.example"] },
    /^$/,
  ],
  [
    "evolution-go",
    `CREATE TABLE instances (id, name, webhook, jid); INSERT INTO instances VALUES (1, 'shop', '', '${jid[1]}')`,
    { name: "shop", webhookUrls: [] },
    /^$/,
  ],
])("names and webhooks are those in the list of %s", async (_, schema, session, refused) => {
  const file = aStore()
  aStore({ file: join(dirname(file), "names.db"), schema })
  expect(await theSession(file)).toMatchObject(session)
  expect(await whyNot(file)).toMatch(refused)
})

test("WAHA's engine GOWS has a folder for each session, with its webhooks there", async () => {
  const sessions = aFolder()
  aStore({ file: join(sessions, "noweb", "other", "store.db") })
  const file = aStore({ file: join(sessions, "gows", "sales-9ed083b1436e5f40ef984b28255eef18", "gows.db") })
  const config = { webhooks: [{ url: "https://a.example", events: ["message"] }] }
  writeFileSync(join(dirname(file), ".waha.session.config.json"), JSON.stringify(config))
  const all = await findGows([sessions])
  onTestFinished(() => all.close())
  expect(all).toMatchObject({
    sessions: [{ name: "sales", webhookUrls: ["https://a.example"] }],
    refused: [],
  })
  await expect(findGows([join(sessions, "noweb")])).rejects.toThrow(/^there is no session of GOWS in/)
})

test("links in a circle, and pipes with the name of a store, hold up no search", async () => {
  const file = aStore()
  const folder = dirname(file)
  mkdirSync(join(folder, "in"))
  for (const [name, to] of [
    ["here", "."],
    ["also here", "."],
    ["above", ".."],
  ] as const)
    symlinkSync(to, join(folder, "in", name))
  execFileSync("mkfifo", [join(folder, "in", "pipe.db")])
  expect(await found(folder)).toMatchObject({ sessions: [{ name: number }], refused: [] })
})

test("a server that cannot be reached is refused in one sentence, without its password", async () => {
  const why = await whyNot("postgres://gateway:secret@127.0.0.1:1/wuzapi")
  expect(why).toMatch(/^127\.0\.0\.1:1\/wuzapi cannot be read: /)
  expect(why).not.toContain("secret")
})

test("GOWA's Signal keys may be in a store of their own", async () => {
  const folder = aFolder()
  const withoutKeys = ["identity_keys", "pre_keys", "sessions", "sender_keys"].map(
    (name) => `DELETE FROM whatsmeow_${name}`,
  )
  const withoutRest = ["app_state_sync_keys", "contacts", "lid_map"].map(
    (name) => `DELETE FROM whatsmeow_${name}`,
  )
  aStore({ file: join(folder, "whatsapp.db"), change: withoutKeys.join(";") })
  aStore({ file: join(folder, "keys.db"), change: withoutRest.join(";") })
  const all = await found(folder)
  expect(all).toMatchObject({ sessions: [{ name: number }], refused: [] })
  expect((await keysIn(folder)).map(nameOf)).toEqual((await keysIn(aStore())).map(nameOf))
})

test("what a killed gateway has left beside its file is read, and all files stay as they are", async () => {
  const running = join(aFolder(), "whatsapp.db")
  const db = new DatabaseSync(running)
  db.exec(`PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; ${sql}`)
  const killed = join(aFolder(), "whatsapp.db")
  for (const end of ["", "-wal"]) copyFileSync(`${running}${end}`, `${killed}${end}`)
  db.close()
  letRest(killed, `${killed}-wal`)
  const before = [readFileSync(killed), readFileSync(`${killed}-wal`)]
  expect(before[1]!.length).toBeGreaterThan(before[0]!.length)
  expect(idsOf(await keysIn(killed), "session").length).toBeGreaterThan(3)
  await (await theSession(killed)).mustRest(openFiles())
  expect([readFileSync(killed), readFileSync(`${killed}-wal`)]).toEqual(before)
})

test("a store that is open, or has just changed, is not at rest", async () => {
  const file = aStore()
  const session = await theSession(file)
  await session.mustRest(openFiles())
  const open = openSync(file, "r")
  await expect(session.mustRest(openFiles())).rejects.toThrow(`process ${process.pid} has ${file} open`)
  closeSync(open)
  writeFileSync(file, readFileSync(file))
  await expect(session.mustRest(openFiles())).rejects.toThrow(/has changed within the last minute/)
  letRest(file)
  await expect(session.mustRest(openFiles())).rejects.toThrow(/was changed while it was read/)
})

test.each([
  ["there is none", () => join(aFolder(), "whatsapp.db"), /^there is no .*whatsapp\.db$/],
  ["an empty folder", () => aFolder(), /holds no store of whatsmeow/],
  ["another database", () => aStore({ schema: "CREATE TABLE notes (a)" }), /holds no store of whatsmeow/],
  ["no database", () => written("hello ".repeat(500)), /is no database of SQLite/],
  ["a file that was cut", () => cutStore(), /whatsapp\.db is damaged, as SQLite says/],
  ["a file with a damaged page", () => damagedStore(), /whatsapp\.db is damaged, as SQLite says/],
  [
    "an older version",
    () =>
      aStore({
        change: "DROP TABLE whatsmeow_lid_map; UPDATE whatsmeow_version SET version = 7, compat = 6",
      }),
    /is of version 7 of whatsmeow's store.*start its gateway once in a newer release/,
  ],
  [
    "a newer version",
    () => aStore({ change: "UPDATE whatsmeow_version SET version = 20, compat = 17" }),
    /is of version 20 .* cannot read/,
  ],
  [
    "half a store",
    () => aStore({ change: "DROP TABLE whatsmeow_sessions" }),
    /is half a store of whatsmeow: it has no table whatsmeow_sessions$/,
  ],
  ["no version", () => aStore({ change: "DROP TABLE whatsmeow_version" }), /does not say its version/],
  [
    "a device that was logged out",
    () => aStore({ change: "DELETE FROM whatsmeow_device" }),
    /^no number is linked in/,
  ],
  [
    "an account of Messenger",
    () => aStore({ change: "UPDATE whatsmeow_device SET jid = '123@msgr'" }),
    /^123@msgr in .* is no device of WhatsApp$/,
  ],
])("%s is refused in one sentence", async (_, file, why) => {
  expect(await whyNot(file())).toMatch(why)
})

test("a newer version that says that older readers can read it is read", async () => {
  const file = aStore({ change: "UPDATE whatsmeow_version SET version = 20, compat = 8" })
  expect((await found(file)).sessions).toHaveLength(1)
})

test("a number that is in two stores is refused, and in one of them it is found", async () => {
  const folder = aFolder()
  const file = aStore({ file: join(folder, "whatsapp.db") })
  aStore({ file: join(folder, "copy.db") })
  expect(await whyNot(folder)).toMatch(/is in more than one store: name the one that is in use/)
  expect((await found(file)).sessions).toHaveLength(1)
})

function written(text: string): string {
  const file = join(aFolder(), "whatsapp.db")
  writeFileSync(file, text)
  return file
}

function cutStore(): string {
  const file = aStore()
  truncateSync(file, Math.floor(readFileSync(file).length / 8192) * 4096)
  return file
}

function damagedStore(): string {
  const file = aStore()
  const bytes = readFileSync(file)
  // The last page holds rows, so that nothing notices before they are read.
  writeFileSync(file, bytes.fill(1, bytes.length - 4096))
  return file
}
