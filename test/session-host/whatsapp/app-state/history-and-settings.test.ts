import { EventEmitter } from "node:events"
import { deflateSync } from "node:zlib"
import { aesEncrypt, type BinaryNode, hkdf, hmacSign, proto, type WASocket } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Connections } from "#core/fetch/safe-fetch.ts"
import { log } from "#core/platform/log.ts"
import type { Acquaintance } from "#session-host/network/happening.ts"
import { fieldsInStream, fieldsOf } from "#session-host/network/protobuf-fields.ts"
import { newHistory } from "#session-host/whatsapp/app-state/history.ts"
import { newRecordPeople } from "#session-host/whatsapp/app-state/record-people-in-batches.ts"
import { newSyncedSettings } from "#session-host/whatsapp/app-state/synced-settings.ts"
import { quietLog } from "#session-host/whatsapp/quiet-log.ts"
import { keysOf } from "#session-host/whatsapp/signal/keys.ts"
import { countTurns } from "#test/support/count-turns.ts"
import { aVault } from "#test/support/session/vault.ts"
import { until } from "#test/support/until.ts"

const mediaHost = async () => ({ host: "", connections: () => new Connections() })

/** How many entries each list has; a hundred are read at a time. */
const many = 2500

const ada = (i: number) => ({ jid: `4915${1_000_000 + i}@s.whatsapp.net`, lid: `9${100_000_000 + i}@lid` })

const keyData = Buffer.alloc(32, 7)
const keyId: Uint8Array = Buffer.from("the key")
const secrets = Buffer.from(hkdf(keyData, 160, { info: "WhatsApp Mutation Keys" }))

/** A setting as a phone encrypts it. */
function setting(index: string[], value: proto.ISyncActionValue, id = keyId): proto.ISyncdMutation {
  const name = Buffer.from(JSON.stringify(index))
  const data = proto.SyncActionData.encode({ index: name, value, padding: new Uint8Array(0), version: 2 })
  const sealed = aesEncrypt(data.finish(), secrets.subarray(32, 64))
  const record = {
    index: { blob: hmacSign(name, secrets.subarray(0, 32)) },
    value: { blob: Buffer.concat([sealed, Buffer.alloc(32)]) },
    keyId: { id },
  }
  return { operation: proto.SyncdMutation.SyncdOperation.SET, record }
}

function contact(i: number, id = keyId) {
  const { jid, lid } = ada(i)
  return setting(["contact", jid], { contactAction: { fullName: `Ada the ${i}th`, lidJid: lid } }, id)
}

/**
 * A session's keys and everything it has learnt, on a socket that answers requests for a collection with
 * this.
 */
function aReader(answers: (collection: string, version: number) => proto.ISyncdMutation[]) {
  const vault = aVault()
  const keys = keysOf(vault)
  const people: Acquaintance[] = []
  const pairs: object[] = []
  const asked: string[] = []
  const turns = countTurns()
  /** How many were learnt in each turn of the event loop. */
  const learnt = new Map<number, number>()
  const ev = new EventEmitter()
  const query = async (iq: BinaryNode) => {
    const [sync] = iq.content as BinaryNode[] // in the form in which it is sent
    const [{ attrs }] = sync!.content as [BinaryNode]
    const name = attrs.name!
    asked.push(name)
    const mutations = answers(name, Number(attrs.version))
    const patch = proto.SyncdPatch.encode({ version: { version: 1 }, mutations }).finish()
    const content = mutations.length > 0 ? [{ tag: "patch", attrs: {}, content: patch }] : []
    return {
      tag: "iq",
      attrs: {},
      content: [
        { tag: "sync", attrs: {}, content: [{ tag: "collection", attrs: { name, version: "0" }, content }] },
      ],
    }
  }
  const lidMapping = { storeLIDPNMappings: async (some: object[]) => void pairs.push(...some) }
  const sock = {
    ev,
    query,
    signalRepository: { lidMapping },
    authState: { creds: {} },
  } as unknown as WASocket // as much as is used
  const learn = async (some: Acquaintance[]) => {
    people.push(...some)
    learnt.set(turns.now(), (learnt.get(turns.now()) ?? 0) + some.length)
  }
  const recordPeople = newRecordPeople({ sock, vault, learn })
  const wanted: string[] = []
  const askForKeys = async (ids: string[]) => void wanted.push(...ids)
  const following = {
    sock,
    keys,
    isOpen: () => true,
    mediaHost,
    recordPeople,
    recordChats: async () => {},
    keepsChats: () => false,
    recordChat: async () => {},
    keepsHistory: () => false,
    askForKeys,
  }
  return {
    vault,
    keys,
    people,
    pairs,
    asked,
    wanted,
    ev,
    following,
    learntAtOnce: () => Math.max(...learnt.values()),
  }
}

const withKey = { [Buffer.from(keyId).toString("base64")]: { keyData } }

test("while a large address book is read others have a turn after each hundred, and its row stays small", async () => {
  const book = Array.from({ length: many }, (_, i) => contact(i))
  const reader = aReader((name) => (name === "critical_unblock_low" ? book : []))
  await reader.keys.set({ "app-state-sync-key": withKey })
  const settings = newSyncedSettings({ ...reader.following, log: quietLog(log) })
  settings.readIfNew()
  await until(() => reader.vault.ofType("app-state-sync-version").length === 1)
  // Each person has a name and two addresses.
  expect(reader.learntAtOnce()).toBe(200)
  expect(reader.people.filter(({ fullName }) => fullName !== undefined)).toHaveLength(many)
  expect(reader.people).toContainEqual(expect.objectContaining({ ...ada(7), fullName: "Ada the 7th" }))
  expect(reader.pairs).toHaveLength(many)
  expect(reader.vault.ofType("app-state-sync-version")[0]!.length).toBeLessThan(500)
})

test("a change of settings that is not used here is settled at once, also before the login is over", async () => {
  const reader = aReader(() => [])
  const settings = newSyncedSettings({
    ...reader.following,
    isOpen: () => false,
    log: quietLog(log),
  })
  expect(await settings.changed(["regular_high"])).toBe(true)
  expect(reader.asked).toEqual([])
})

test("a setting that cannot be read is passed over; one whose key is missing waits for it", async () => {
  const later = Buffer.from("a later key")
  const broken = contact(2)
  broken.record!.value!.blob = Buffer.alloc(64)
  const odd = setting([], { contactAction: { fullName: "Nobody" } })
  const reader = aReader((name) =>
    name === "critical_unblock_low" ? [contact(1), broken, odd, contact(3), contact(4, later)] : [],
  )
  await reader.keys.set({ "app-state-sync-key": withKey })
  const settings = newSyncedSettings({ ...reader.following, log: quietLog(log) })
  expect(await settings.changed(["critical_unblock_low"])).toBe(false)
  expect(await settings.changed(["regular_low"])).toBe(true)
  settings.readIfNew()
  await until(() => reader.asked.length === 3)
  expect(reader.asked).toEqual(["critical_unblock_low", "critical_block", "critical_unblock_low"])
  expect(reader.vault.ofType("app-state-sync-version")).toEqual([])
  await until(() => reader.wanted.length > 0)
  expect(reader.wanted).toEqual([later.toString("base64")])

  await reader.keys.set({ "app-state-sync-key": { [later.toString("base64")]: { keyData } } })
  settings.readIfNew()
  await until(() => reader.vault.ofType("app-state-sync-version").length === 1)
  const names = new Set(reader.people.map(({ fullName }) => fullName).filter((name) => name !== undefined))
  expect([...names]).toEqual(["Ada the 1th", "Ada the 3th", "Ada the 4th"])
})

/** In the form in which Baileys reports it. */
const notice = (fromMe: boolean, payload: Uint8Array) => ({
  type: "notify",
  messages: [
    {
      key: { fromMe, id: "A", remoteJid: "1@s.whatsapp.net" },
      message: {
        protocolMessage: {
          historySyncNotification: {
            syncType: proto.Message.HistorySyncType.INITIAL_BOOTSTRAP,
            initialHistBootstrapInlinePayload: payload,
          },
        },
      },
    },
  ],
})

test("while a long history is read others have a turn after each hundred; only its own phone's is read", async () => {
  const reader = aReader(() => [])
  const errors: unknown[] = []
  const onMessages = newHistory({ ...reader.following, onError: (error) => void errors.push(error) })
  reader.following.sock.ev.on("messages.upsert", onMessages)
  const history = (from: number) =>
    proto.HistorySync.encode({
      syncType: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
      conversations: Array.from({ length: many }, (_, i) => ({
        id: ada(from + i).lid,
        pnJid: ada(from + i).jid,
        name: `Ada the ${from + i}th`,
        ...(i === 7 && { tcToken: Buffer.from("token"), tcTokenTimestamp: 1_700_000_000 }),
        messages: [{ message: { key: { id: "1" }, message: { conversation: "long ago" } } }],
      })),
    }).finish()
  reader.ev.emit("messages.upsert", notice(false, deflateSync(history(10_000))))
  reader.ev.emit("messages.upsert", notice(true, deflateSync(history(0)).subarray(0, 500)))
  reader.ev.emit("messages.upsert", notice(true, deflateSync(history(0))))
  await until(() => reader.vault.ofType("tctoken").length === 2)
  expect(reader.learntAtOnce()).toBe(200)
  const names = new Set(reader.people.flatMap(({ fullName }) => fullName ?? []))
  expect(names.size).toBe(many)
  expect(names).toContain("Ada the 2499th")
  expect(reader.pairs).toContainEqual({ lid: ada(3).lid, pn: ada(3).jid })
  const [token] = Object.values(await reader.keys.get("tctoken", [ada(7).lid]))
  expect(token).toMatchObject({ token: Buffer.from("token"), timestamp: "1700000000" })
  // The one that ends too soon.
  expect(errors).toHaveLength(1)
})

test("the fields of a message are the same however it arrives", async () => {
  const message = proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.RECENT,
    conversations: [{ id: "a", unreadCount: 300 }, { id: "b".repeat(300) }],
    progress: 100,
    pushnames: [{ id: "c", pushname: "C" }],
  }).finish()
  const whole = [...fieldsOf(message)]
  expect(whole.map(({ number }) => number)).toEqual([1, 2, 2, 6, 7])
  expect(Buffer.concat(whole.map((field) => field.whole))).toEqual(Buffer.from(message))
  expect(proto.Pushname.decode(whole[4]!.bytes)).toMatchObject({ id: "c", pushname: "C" })
  for (const size of [1, 2, 7, 300]) {
    const pieces = (async function* () {
      for (let at = 0; at < message.length; at += size) yield message.subarray(at, at + size)
    })()
    expect(await Array.fromAsync(fieldsInStream(pieces))).toEqual(whole)
  }
  expect(() => [...fieldsOf(message.subarray(0, -1))]).toThrow("ends within a field")
  expect(() => [...fieldsOf(Buffer.from([0x0b]))]).toThrow("no field has the type 3")
})
