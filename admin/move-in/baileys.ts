import { constants, existsSync } from "node:fs"
import { access, lstat, readdir, readFile, rename } from "node:fs/promises"
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
/** Finds a folder of a session, a folder of such folders, or a file with a session in it. */
export const findBaileys: FindSessions = async (where) => {
  const sessions: FoundSession[] = []
  const refused: { name: string; why: string }[] = []
  for (const given of where) {
    const found = await foldersAt(resolve(given))
    refused.push(...found.refused)
    sessions.push(...found.folders.map((folder) => sessionInFolder(folder)))
    sessions.push(...found.files.map((file) => sessionInFile(file)))
  }
  if (sessions.length + refused.length === 0)
    throw new Unusable(`there is no ${credsFile} in ${where.join(", ")}, nor in a folder there`)
  return { sessions, refused, close: async () => {} }
}

/** The folders of sessions at this place, and what looks like one and cannot be taken. @throws Unusable */
export async function foldersAt(place: string) {
  const found = { folders: [] as string[], files: [] as string[], refused: [] as Refusal[] }
  const stats = await lstat(existsSync(movedName(place)) ? movedName(place) : place).catch(
    (error: unknown) => {
      throw new Unusable(`${place} cannot be read: ${String(error)}`)
    },
  )
  if (stats.isSymbolicLink()) throw new Unusable(whySymlink(place))
  if (stats.isFile()) return { ...found, files: [place] }
  const entries = await readdir(place, { withFileTypes: true })
  if (entries.some(({ name }) => isOfSession(name))) return { ...found, folders: [place] }
  for (const entry of entries) {
    const path = join(place, entry.name)
    const names = await readdir(path).catch(() => [])
    if (!names.some(isOfSession)) continue
    if (entry.isSymbolicLink()) found.refused.push({ name: entry.name, why: whySymlink(path) })
    else found.folders.push(path)
  }
  return found
}

interface Refusal {
  name: string
  why: string
}

function whySymlink(path: string): string {
  return `${path} is a symbolic link: name the folder that it leads to`
}

function isOfSession(name: string): boolean {
  return name === credsFile || name === movedName(credsFile) || keyNamed(name) !== undefined
}

/**
 * A session whose keys are the files of a folder.
 * @param credsElsewhere reads the credentials, where a program keeps them in another place, and marks them
 */
export function sessionInFolder(
  folder: string,
  about: Partial<Pick<FoundSession, "name" | "webhookUrls" | "mark">> & {
    creds?: () => Promise<string>
  } = {},
): FoundSession {
  const { creds: credsElsewhere } = about
  const names = async () =>
    await readdir(folder).catch((error: unknown) => {
      throw new Unusable(`${folder} cannot be read: ${String(error)}`)
    })
  return {
    name: basename(folder),
    place: folder,
    webhookUrls: [],
    mark: async () => await markFile(join(folder, credsFile)),
    ...about,
    async mustRest() {
      const all = await names()
      if (!credsElsewhere && !all.includes(credsFile)) throw alreadyMoved(join(folder, credsFile))
      const file = join(folder, credsFile)
      if (!credsElsewhere && (await lstat(file)).isSymbolicLink()) throw new Unusable(whySymlink(file))
      await mustBeWritable(folder)
      mustBeAtRest(all.map((name) => join(folder, name)))
    },
    creds: async () =>
      credsElsewhere
        ? credsIn(await credsElsewhere(), folder)
        : credsIn(await textOf(join(folder, credsFile)), join(folder, credsFile)),
    async *keys(onCut) {
      for (const name of await names()) {
        const key = keyNamed(name)
        if (!key) continue
        const value = parsed(await readFile(join(folder, name), "utf8"))
        if (value === undefined || value === null) onCut(name)
        else yield { ...key, value } as FoundKey // its form is looked at when it is taken
      }
    },
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
    place: file,
    webhookUrls: [],
    mark: async () => await markFile(file),
    async mustRest() {
      if (!existsSync(file)) throw alreadyMoved(file)
      await mustBeWritable(dirname(file))
      mustBeAtRest([file])
    },
    creds: async () => (await content()).creds as unknown as FoundCreds, // looked at when it is taken
    async *keys() {
      yield* keysIn((await content()).keys)
    },
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

/** @throws Unusable when it was cut */
function credsIn(text: string, place: string): FoundCreds {
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

/** @throws Unusable for a folder in which no session could be marked later */
async function mustBeWritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK).catch(() => {
    throw new Unusable(`${folder} cannot be written: its session is marked there once it is here`)
  })
}

/** The text of a file, or of what became of it when its session moved. @throws Unusable */
async function textOf(file: string): Promise<string> {
  return await readFile(file, "utf8")
    .catch(async () => await readFile(movedName(file), "utf8"))
    .catch(() => {
      throw new Unusable(`${file} is missing: what is there is half of a session`)
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
