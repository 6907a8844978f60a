import { constants, type Dirent, existsSync } from "node:fs"
import { access, lstat, readdir, readFile, rename, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { Unusable } from "#one-machine/backup/unusable.ts"
import type { FoundCreds, FoundKey } from "#session-host/whatsapp/found-login.ts"
import { readJson } from "#session-host/whatsapp/take-login.ts"
import { alreadyMoved, movedName, mustBeAtRest } from "./at-rest.ts"
import type { FindSessions, FoundSession } from "./found-session.ts"

/*
 * Programs with Baileys keep each session in a folder of `useMultiFileAuthState`, or in one file.
 */

export const credsFile = "creds.json"
/** No file of a session is larger, in bytes. */
const largest = 100_000_000

/** Finds a folder of a session, a folder of such folders, or a file with a session in it. */
export const findBaileys: FindSessions = async (where) => {
  const sessions: FoundSession[] = []
  for (const place of where.map((given) => resolve(given))) {
    // An import that is repeated finds what has moved before.
    const found = existsSync(place) ? place : movedName(place)
    if (!existsSync(found)) throw new Unusable(`there is no ${place}`)
    if ((await stat(found)).isFile()) sessions.push(sessionInFile(place))
    else sessions.push(...(await foldersAt(place)).map((folder) => sessionInFolder(folder)))
  }
  if (sessions.length === 0)
    throw new Unusable(`there is no ${credsFile} in ${where.join(", ")}, nor in a folder there`)
  return { sessions, refused: [], close: async () => {} }
}

/** The folders of sessions at this place: itself, or those in it. @throws Unusable */
export async function foldersAt(place: string): Promise<string[]> {
  if (await isOne(place)) return [place]
  const folders: string[] = []
  for (const { name } of await entriesIn(place))
    if (await isOne(join(place, name))) folders.push(join(place, name))
  return folders
}

async function isOne(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).some(isOfSession)
}

/** @throws Unusable */
async function entriesIn(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new Unusable(`${folder} cannot be read: ${String(error)}`)
  })
}

function isOfSession(name: string): boolean {
  return name === credsFile || name === movedName(credsFile) || keyNamed(name) !== undefined
}

/** A session in a folder, called like it unless its program calls it otherwise. */
export function sessionInFolder(folder: string, called?: Called): FoundSession {
  const file = join(folder, credsFile)
  const { keys, mustRest } = keysInFolder(folder)
  return {
    ...(called ?? { name: basename(folder), webhookUrls: [] }),
    place: folder,
    creds: async () => credsIn(await textOf(file), file),
    keys,
    async mustRest(open) {
      await mustBeMarkable(file)
      await mustRest(open)
    },
    mark: async () => await markFile(file),
  }
}

/** The name that a program has for a session, and where it posts the session's events. */
export type Called = Pick<FoundSession, "name" | "webhookUrls">

/** The keys in a folder of `useMultiFileAuthState`. */
export function keysInFolder(folder: string): Pick<FoundSession, "keys" | "mustRest"> {
  return {
    async *keys(onCut) {
      for (const entry of await entriesIn(folder)) {
        const key = keyNamed(entry.name)
        if (!key) continue
        // A link may lead to another number's key, and a pipe to nobody who writes.
        const value = entry.isFile() ? await valueIn(join(folder, entry.name)) : undefined
        if (value === undefined || value === null) onCut(entry.name)
        else yield { ...key, value } as FoundKey // its form is looked at when it is taken
      }
    },
    async mustRest(open) {
      const files = (await entriesIn(folder)).filter((entry) => entry.isFile())
      mustBeAtRest(
        files.map(({ name }) => join(folder, name)),
        open,
      )
    },
  }
}

/** The value that a file of a key has; undefined if it cannot be read. */
async function valueIn(file: string): Promise<unknown> {
  try {
    return (await lstat(file)).size > largest ? undefined : parsed(await readFile(file, "utf8"))
  } catch {
    // It belongs to somebody else, or is gone.
    return undefined
  }
}

/** A session in one file: `{ creds, keys }`, with keys in one of the forms of `keysIn`. */
function sessionInFile(file: string): FoundSession {
  const content = async () => {
    const found = parsed(await textOf(file))
    if (isObject(found) && isObject(found.creds) && isObject(found.keys))
      return { creds: found.creds, keys: found.keys }
    throw new Unusable(`${file} is not whole, or has no creds and keys`)
  }
  return {
    name: basename(file).replace(/\.json$/, ""),
    webhookUrls: [],
    place: file,
    creds: async () => (await content()).creds as unknown as FoundCreds, // looked at when it is taken
    async *keys() {
      yield* keysIn((await content()).keys)
    },
    async mustRest(open) {
      await mustBeMarkable(file)
      mustBeAtRest([file], open)
    },
    mark: async () => await markFile(file),
  }
}

/** The names that `useSingleFileAuthState` of older versions gives to the kinds of keys. */
const singleFileNames: Record<string, FoundKey["type"]> = {
  preKeys: "pre-key",
  sessions: "session",
  senderKeys: "sender-key",
  appStateSyncKeys: "app-state-sync-key",
  appStateVersions: "app-state-sync-version",
}

/**
 * Keys in one object: by kind and id, with Baileys' names of the kinds or those of `useSingleFileAuthState`;
 * or flat, with the names that `useMultiFileAuthState` gives to files.
 */
export function* keysIn(keys: Record<string, unknown>): Generator<FoundKey> {
  for (const [name, value] of Object.entries(keys)) {
    const type = singleFileNames[name] ?? kinds.find((kind) => kind === name)
    const key = keyNamed(`${name}.json`)
    if (type && isObject(value))
      for (const [id, one] of Object.entries(value)) if (one) yield { type, id, value: one } as FoundKey
    if (!type && key && value) yield { ...key, value } as FoundKey // as above
  }
}

/** The kinds of keys, of which no name begins with an earlier one's. */
const kinds: FoundKey["type"][] = [
  "pre-key",
  "session",
  "sender-key-memory",
  "sender-key",
  "app-state-sync-key",
  "app-state-sync-version",
  "lid-mapping",
  "device-list",
  "tctoken",
  "identity-key",
]

/** The key in a file of this name: Baileys writes `/` as `__`, and `:` as `-`. */
export function keyNamed(file: string): Pick<FoundKey, "type" | "id"> | undefined {
  const type = kinds.find((kind) => file.startsWith(`${kind}-`))
  if (!type || !file.endsWith(".json")) return undefined
  const id = file.slice(type.length + 1, -".json".length)
  // Only an id in base64 has slashes, and only that of a sender's keys has colons.
  if (type === "app-state-sync-key") return { type, id: id.replaceAll("__", "/") }
  if (type === "sender-key") return { type, id: id.replace(/--([^-]+)--(\d+)$/, "::$1::$2") }
  return { type, id }
}

/** The name of the file in which `useMultiFileAuthState` keeps a key. */
export function fileOfKey({ type, id }: Pick<FoundKey, "type" | "id">): string {
  return `${`${type}-${id}`.replaceAll("/", "__").replaceAll(":", "-")}.json`
}

/** Credentials that Baileys has written as JSON. @throws Unusable when they were cut */
export function credsIn(text: string, place: string): FoundCreds {
  const found = parsed(text)
  if (!isObject(found)) throw new Unusable(`${place} was cut, or is not JSON`)
  return found as unknown as FoundCreds // looked at when it is taken
}

/** A value that Baileys has written; undefined if it was cut. */
function parsed(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** @throws Unusable for a file that has been marked, or could not be when its session is here */
async function mustBeMarkable(file: string): Promise<void> {
  if (!existsSync(file)) throw alreadyMoved(file)
  const folder = dirname(file)
  await access(folder, constants.W_OK).catch(() => {
    throw new Unusable(`${folder} cannot be written: its session is marked there once it is here`)
  })
}

/** The text of a file, or of what became of it when its session moved. @throws Unusable */
async function textOf(file: string): Promise<string> {
  const found = existsSync(file) ? file : movedName(file)
  const stats = await lstat(found).catch(() => {
    throw new Unusable(`${file} is missing: what is there is half of a session`)
  })
  if (stats.isSymbolicLink())
    throw new Unusable(`${file} is a symbolic link: name the folder that it leads to`)
  if (!stats.isFile() || stats.size > largest) throw new Unusable(`${file} is no file that Baileys writes`)
  return await readFile(found, "utf8").catch((error: unknown) => {
    throw new Unusable(`${file} cannot be read: ${String(error)}`)
  })
}

/** Renames a file, so that the old program finds no session. @returns what to do if that fails */
async function markFile(file: string): Promise<string | undefined> {
  try {
    await rename(file, movedName(file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    return `${file} could not be renamed: move it away, so that the old gateway cannot come back by accident (${String(error)})`
  }
  return undefined
}
