import { existsSync, readdirSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { movedName } from "./at-rest.ts"
import { type Database, isPostgres, openPostgres, openSqlite, setAside } from "./database.ts"
import type { FindSessions, Found, FoundSession } from "./found-session.ts"
import { aboutSessionIn } from "./noweb.ts"
import * as Store from "./whatsmeow-store.ts"

/**
 * Finds the sessions of gateways that stand on whatsmeow: GOWA, wuzapi, evolution-go.
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

const gowsFile = "gows.db"

/** Finds the sessions of WAHA's engine GOWS in WAHA's folder `.sessions`, its `gows`, or one of them. */
export const findGows: FindSessions = async (where) => {
  const files = where.flatMap((one) => (isPostgres(one) ? one : filesIn(one, true).filter(isOfGows)))
  if (files.length === 0)
    throw new Unusable(`there is no session of GOWS in ${where.join(", ")}: name WAHA's folder .sessions`)
  return await findInWhatsmeow(files)
}

function isOfGows(file: string): boolean {
  return [gowsFile, movedName(gowsFile)].includes(basename(file))
}

/** The databases that are meant, and files beside them, where names may be: by whether they are meant. */
function placesIn(where: string[]): Map<string, boolean> {
  const places = new Map<string, boolean>()
  for (const one of where) {
    // An import that is repeated finds what has moved before.
    const place = isPostgres(one) || existsSync(one) ? one : movedName(one)
    if (!isPostgres(one) && !existsSync(place)) throw new Unusable(`there is no ${one}`)
    const isFolder = !isPostgres(one) && statSync(place).isDirectory()
    for (const meant of isFolder ? filesIn(place, true) : [place]) places.set(meant, true)
    const beside = isPostgres(one) || isFolder || isOfGows(place) ? [] : filesIn(dirname(place), false)
    for (const file of beside) if (!places.has(file)) places.set(file, false)
  }
  return places
}

/** The files of SQLite in a folder. No link is followed: some lead in a circle. */
function filesIn(folder: string, recursive: boolean): string[] {
  if (!existsSync(folder)) return []
  const found = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = join(folder, entry.name)
    if (entry.isDirectory()) return recursive ? filesIn(place, true) : []
    return entry.isFile() && /\.(?:db|sqlite3?)(?:\.moved)?$/.test(entry.name) ? [place] : []
  })
  return found.toSorted()
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

/** How a database is called among what was refused: its address may have a password. */
function nameOf(place: string): string {
  return basename(isPostgres(place) ? new URL(place).pathname : place)
}

/** A number in a gateway's own list. */
interface Listed extends Pick<FoundSession, "name" | "webhookUrls"> {
  /** The JID under which it is in the store, perhaps without its device; empty before it is linked. */
  jid: string
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
      for await (const row of database.rows(`SELECT * FROM ${table}`)) {
        const jid = String(jids.map((column) => row[column]).find(Boolean) ?? "")
        const its = String(row[name])
        listed.push({
          jid,
          // GOWA names by its JID what nobody has named.
          name: its.includes("@") ? Store.userIn(its) : its,
          webhookUrls: row[webhook] ? [String(row[webhook])] : [],
        })
      }
    }
  return listed
}

/** Adds the devices of these stores to what was found: those that can be taken, and why the others cannot. */
async function addSessions(stores: Database[], listed: Listed[], found: Found): Promise<void> {
  const logins = new Map<string, Store.Login[]>()
  const unmarked = new Map<Database, Set<string>>()
  for (const store of stores) {
    const why = await Store.whyUnreadable(store)
    if (why) found.refused.push({ name: basename(store.place), why })
    if (why) continue
    const { devices, others } = await Store.devicesIn(store)
    unmarked.set(store, new Set([...others, ...devices.map(({ jid }) => jid)]))
    for (const jid of others)
      found.refused.push({ name: jid, why: `${jid} in ${store.place} is no device of WhatsApp` })
    for (const device of devices)
      logins.set(device.jid, [...(logins.get(device.jid) ?? []), { device, store, keyStore: store }])
  }
  for (const [jid, some] of logins) {
    const login = await Store.inTwoStores(some)
    const about = await aboutDevice(jid, some[0]!.store, listed) // each is in one at least
    if (found.sessions.some(({ name }) => name === about.name)) about.name += `-${jid.split(/[:@]/)[1]}`
    if (login) found.sessions.push(sessionOf(login, about, unmarked))
    else
      found.refused.push({ ...about, why: `${jid} is in more than one store: name the one that is in use` })
  }
  for (const { name, jid } of listed)
    if (jid && ![...logins.keys()].some((one) => isSame(one, jid)))
      found.refused.push({ name, why: `${name} was logged out: the store has no device ${jid}` })
  if (logins.size + found.refused.length === 0)
    throw new Unusable(`no number is linked in ${stores.map(({ place }) => place).join(", ")}`)
}

/** A device's name in the list or of WAHA's folder, or its number; and its webhooks. */
async function aboutDevice(jid: string, { file = "" }: Database, listed: Listed[]) {
  const entry = listed.find((one) => one.jid === jid) ?? listed.find((one) => isSame(jid, one.jid))
  if (!entry && isOfGows(file)) return await aboutSessionIn(dirname(file))
  return { name: entry?.name ?? Store.userIn(jid), webhookUrls: entry?.webhookUrls ?? [] }
}

/** Whether a listed JID is this device's: older lists leave out which device it is. */
function isSame(jid: string, listed: string): boolean {
  return jid === listed || (!listed.includes(":") && Store.userIn(jid) === Store.userIn(listed))
}

/** @param unmarked the devices in each store that were not marked */
function sessionOf(
  login: Store.Login,
  about: Pick<FoundSession, "name" | "webhookUrls">,
  unmarked: Map<Database, Set<string>>,
): FoundSession {
  const stores = new Set([login.store, login.keyStore])
  return {
    ...about,
    place: `${login.store.place}, ${login.device.jid}`,
    async mustRest(open) {
      for (const store of stores) await store.mustRest(open)
    },
    creds: () => Store.credsOf(login),
    keys: (onCut) => Store.keysOf(login, onCut),
    people: () => Store.peopleOf(login),
    async mark() {
      const toDo: string[] = []
      for (const store of stores) {
        const left = unmarked.get(store)! // each has its devices there
        left.delete(login.device.jid)
        const still = `${store.place} still has numbers that are here`
        if (!store.file)
          toDo.push(`${still}: do not start its gateway again, and rename the table whatsmeow_device there`)
        else if (left.size > 0)
          toDo.push(`${still}, and others that are not: do not start its gateway before they are`)
        else setAside(store.file)
      }
      return toDo.join("; ") || undefined
    },
  }
}
