import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { type Database, isPostgres, movedName, openPostgres, openSqlite, setAside } from "./database.ts"
import type { FindSessions, Found, FoundSession } from "./found-session.ts"
import * as Store from "./whatsmeow-store.ts"

/**
 * Finds the sessions of gateways that stand on whatsmeow: GOWA, GOWS of WAHA, wuzapi, evolution-go.
 * @param where folders and files of SQLite, and addresses of PostgreSQL
 */
export const findInWhatsmeow: FindSessions = async (where) => {
  const opened: Database[] = []
  const found: Found = {
    sessions: [],
    refused: [],
    close: async () => void (await Promise.all(opened.map((database) => database.close()))),
  }
  try {
    const stores: Database[] = []
    for (const [place, isMeant] of placesIn(where)) {
      const database = await open(place, (why) => isMeant && found.refused.push({ name: nameOf(place), why }))
      if (database) opened.push(database)
      if (database && isMeant && Store.isOne(database)) stores.push(database)
    }
    if (stores.length + found.refused.length === 0)
      throw new Unusable(
        `${where.join(", ")} holds no store of whatsmeow: no table whatsmeow_device is there`,
      )
    await addSessions(stores, await listedIn(opened), found)
    return found
  } catch (error) {
    await found.close()
    throw error
  }
}

/** The databases that are meant, and files beside them, where names may be: by whether they are meant. */
function placesIn(where: string[]): Map<string, boolean> {
  const places = new Map<string, boolean>()
  const note = (some: string[], isMeant: boolean) => {
    for (const place of some) places.set(place, isMeant || places.get(place) === true)
  }
  for (const one of where) {
    // An import that is repeated finds what has moved before.
    const place = isPostgres(one) || existsSync(one) ? one : movedName(one)
    if (isPostgres(one)) note([one], true)
    else if (!existsSync(place)) throw new Unusable(`there is no ${one}`)
    else if (statSync(place).isDirectory()) note(filesIn(place, true), true)
    else {
      note(filesIn(dirname(place), false), false)
      note([place], true)
    }
  }
  return places
}

function filesIn(folder: string, recursive: boolean): string[] {
  const names = readdirSync(folder, { recursive, encoding: "utf8" }).toSorted()
  return names.filter((name) => /\.(?:db|sqlite3?)(?:\.moved)?$/.test(name)).map((name) => join(folder, name))
}

async function open(place: string, onRefused: (why: string) => void): Promise<Database | undefined> {
  try {
    return isPostgres(place) ? await openPostgres(place) : openSqlite(place)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    onRefused(error.message)
    return undefined
  }
}

/** How a database is called among those that were refused. */
function nameOf(place: string): string {
  return isPostgres(place) ? new URL(place).pathname.slice(1) : basename(place)
}

/** A number in a gateway's own list. */
interface Listed {
  name: string
  /** The JIDs under which it may be in the store, the fullest first. */
  jids: string[]
  webhookUrl: string
}

/** Where the gateways list their numbers: GOWA, wuzapi and evolution-go. */
const lists = [
  { table: "devices", name: "device_id", jids: ["ad_jid", "jid"], webhook: "webhook_url" },
  { table: "users", name: "name", jids: ["jid"], webhook: "webhook" },
  { table: "instances", name: "name", jids: ["jid"], webhook: "webhook" },
]

async function listedIn(databases: Database[]): Promise<Listed[]> {
  const listed: Listed[] = []
  for (const database of databases)
    for (const { table, name, jids, webhook } of lists) {
      if (!database.tables.has(table)) continue
      for await (const row of database.rows(`SELECT * FROM ${table}`))
        listed.push({
          // GOWA names by its JID what nobody has named.
          name: userOrName(String(row[name])),
          jids: jids.flatMap((column) => (row[column] ? [String(row[column])] : [])),
          webhookUrl: String(row[webhook] ?? ""),
        })
    }
  return listed
}

function userOrName(name: string): string {
  return name.endsWith("@s.whatsapp.net") ? Store.userIn(name) : name
}

/** Adds the devices of these stores to what was found: those that can be taken, and why the others cannot. */
async function addSessions(stores: Database[], listed: Listed[], found: Found): Promise<void> {
  const logins = new Map<string, Store.Login[]>()
  const stay = new Map<Database, Set<string>>()
  for (const store of stores) {
    const why = await Store.whyUnreadable(store)
    if (why) found.refused.push({ name: nameOf(store.file ?? `postgres://${store.place}`), why })
    if (why) continue
    const { devices, others } = await Store.devicesIn(store)
    stay.set(store, new Set([...others, ...devices.map(({ jid }) => jid)]))
    for (const jid of others)
      found.refused.push({ name: jid, why: `${jid} in ${store.place} is no device of WhatsApp` })
    for (const device of devices)
      logins.set(device.jid, [...(logins.get(device.jid) ?? []), { device, store, keyStore: store }])
  }
  for (const [jid, some] of logins) {
    const login = await Store.inTwoStores(some)
    const entry = entryOf(jid, listed)
    const name = nameFor(login ?? some[0]!, entry, found.sessions)
    if (login) found.sessions.push(sessionOf(name, login, entry, stay))
    else found.refused.push({ name, why: `${jid} is in more than one store: name the one that is in use` })
  }
  for (const {
    name,
    jids: [jid],
  } of listed)
    if (jid && ![...logins.keys()].some((one) => isSame(one, jid)))
      found.refused.push({ name, why: `${name} was logged out: the store has no device ${jid}` })
  if (logins.size + found.refused.length === 0)
    throw new Unusable(`no number is linked in ${stores.map(({ place }) => place).join(", ")}`)
}

/** Whether a listed JID is this device's: older lists leave out which device it is. */
function isSame(jid: string, listed: string): boolean {
  return jid === listed || (!listed.includes(":") && Store.userIn(jid) === Store.userIn(listed))
}

function entryOf(jid: string, listed: Listed[]): Listed | undefined {
  return (
    listed.find(({ jids: [fullest] }) => fullest === jid) ??
    listed.find(({ jids: [fullest = ""] }) => isSame(jid, fullest))
  )
}

/** The name in the list, or of the folder (GOWS has one for each), or the number; each only once. */
function nameFor({ device, store }: Store.Login, entry: Listed | undefined, others: FoundSession[]): string {
  const { file } = store
  const folder = file && basename(file) === "gows.db" ? basename(dirname(file)) : undefined
  const name = entry?.name ?? folder ?? Store.userIn(device.jid)
  const isTaken = others.some((other) => other.name === name)
  return isTaken ? `${name}-${device.jid.split(/[:@]/)[1]}` : name
}

/** @param stay what has not been marked in each store */
function sessionOf(
  name: string,
  login: Store.Login,
  entry: Listed | undefined,
  stay: Map<Database, Set<string>>,
): FoundSession {
  const { device, store, keyStore } = login
  const stores = new Set([store, keyStore])
  return {
    name,
    place: `${store.place}, ${device.jid}`,
    webhookUrls: entry?.webhookUrl ? [entry.webhookUrl] : [],
    async mustRest() {
      for (const each of stores) await each.mustRest()
    },
    creds: () => Store.credsOf(login),
    keys: (onCut) => Store.keysOf(login, onCut),
    people: () => Store.peopleOf(login),
    async mark() {
      const said: string[] = []
      for (const each of stores) {
        const left = stay.get(each)!
        left.delete(device.jid)
        if (!each.file)
          said.push(
            `is still in ${each.place} too: do not start its gateway again, and rename the table whatsmeow_device there`,
          )
        else if (left.size > 0)
          said.push(
            `is still in ${each.place} too, beside numbers that are not here: do not start its gateway before they are`,
          )
        else setAside(each.file)
      }
      return said.join("; ") || undefined
    },
  }
}
