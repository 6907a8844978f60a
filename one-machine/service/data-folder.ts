import { existsSync, lstatSync, mkdirSync, realpathSync, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import { hostSocket, socketPath } from "#core/platform/local-socket.ts"
import { CannotStart, MayPass } from "#dynamodb-on-sqlite/cannot-start.ts"
import { hasStore, refuseUnusable } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { KeyMaterial } from "../aws/kms.ts"
import { readPrivate } from "./private-file.ts"
import { Secrets } from "./secrets.ts"
import type { Settings } from "./settings.ts"

/** The files without which nothing that is stored can be read. */
export const keyFiles = { wrapping: "wrapping-keys.json", secrets: "secrets.json" }

/** The wrapping keys of this machine, by the settings that name them. */
export const wrappingKeys = { SESSION_WRAPPING_KEY: "session", DELIVERY_WRAPPING_KEY: "delivery" }

/** The account that the first start has made, and its key. */
export const accountFile = (dataDir: string) => join(dataDir, "account.json")
export const SeededAccount = z.object({ accountId: z.string(), apiKey: z.string() })

/** Says which network the bridges in this folder are on. */
export const networkFile = (dataDir: string) => join(dataDir, "network.json")

const Network = z.object({ network: z.enum(["simulated", "live"]) })

/**
 * Refuses a folder in which the service cannot go on, before anything is written there. @throws CannotStart
 */
export function refuseFolder(settings: Settings): void {
  const { DATA_DIR: dataDir } = settings
  refuseOpen(dataDir)
  refuseLongPath(dataDir)
  refuseUnusable(dataDir)
  refuseOtherNetwork(settings)
  refuseWithoutKeys(dataDir)
  refuseWithoutRoom(dataDir)
}

/**
 * Refuses a folder that other users of this machine can enter, own, or replace with another: a user who
 * reaches a socket there, or makes one, may do everything.
 */
function refuseOpen(dataDir: string): void {
  if (!existsSync(dataDir)) return
  const { mode, uid } = statSync(dataDir)
  if (uid !== process.getuid?.() || (lstatSync(dataDir).uid !== uid && lstatSync(dataDir).uid !== 0))
    throw new CannotStart(`${dataDir} belongs to another user: choose a folder of your own with DATA_DIR=...`)
  if ((mode & 0o077) !== 0)
    throw new CannotStart(
      `${dataDir} is open to other users of this machine (mode ${(mode & 0o777).toString(8)}): ` +
        `\`chmod 700 ${dataDir}\``,
    )
  const above = [dirname(dataDir), dirname(realpathSync(dataDir))].map(openFolderAt).find((open) => open)
  if (above)
    throw new CannotStart(
      `${above}, above ${dataDir}, is open to all users of this machine, who could put another folder in its place: ` +
        "choose another with DATA_DIR=...",
    )
}

/**
 * The nearest folder from here upwards in which any user of this machine may rename what others have made;
 * undefined: there is none.
 */
function openFolderAt(folder: string): string | undefined {
  const { mode } = statSync(folder)
  const isSticky = (mode & 0o1000) !== 0
  if ((mode & 0o002) !== 0 && !isSticky) return folder
  return dirname(folder) === folder ? undefined : openFolderAt(dirname(folder))
}

/**
 * The kernel's limit for the path of a socket, in bytes, with the zero at its end: 108 on Linux, 104
 * elsewhere.
 */
const longestSocket = 103

function refuseLongPath(dataDir: string): void {
  const path = socketPath(hostSocket(4_194_304), dataDir)
  if (Buffer.byteLength(path) > longestSocket)
    throw new CannotStart(
      `${dataDir} is too long a path for sockets in it: choose a shorter one with DATA_DIR=...`,
    )
}

/**
 * Refuses the folder of another network: a bridge stays on the network it was created on, and no host would
 * ever take it.
 */
function refuseOtherNetwork({ DATA_DIR: dataDir, HOST_NETWORK: asked }: Settings): void {
  const file = networkFile(dataDir)
  if (!existsSync(file)) return
  const { network } = readPrivate(file, Network)
  if (network !== asked)
    throw new CannotStart(
      `${dataDir} was begun with HOST_NETWORK=${network}, and its bridges stay there: ` +
        `for HOST_NETWORK=${asked} choose another folder with DATA_DIR=...`,
    )
}

const AllKeys = KeyMaterial.refine((keys) => Object.values(wrappingKeys).every((id) => keys[id]))

/** Refuses a store without its keys: new ones could not read anything in it. */
function refuseWithoutKeys(dataDir: string): void {
  for (const file of Object.values(keyFiles).map((name) => join(dataDir, name)))
    if (!existsSync(file) && hasStore(dataDir))
      throw new CannotStart(
        `${file} is missing, and what is stored cannot be read without it: put it back, ` +
          "or begin anew in another folder with DATA_DIR=...",
      )
  readIfThere(join(dataDir, keyFiles.wrapping), AllKeys)
  readIfThere(join(dataDir, keyFiles.secrets), Secrets)
  readIfThere(accountFile(dataDir), SeededAccount)
}

function readIfThere(file: string, schema: z.ZodType): void {
  if (existsSync(file)) readPrivate(file, schema)
}

/** The room that the store may need at once, before what it replaces is free again: its journal, in MB. */
const leastMb = 16

/** Refuses a full disk: one part or another would fail in the midst of its start. */
function refuseWithoutRoom(dataDir: string): void {
  const { bavail, bsize } = statfsSync(nearestExisting(dataDir))
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  if (freeMb < leastMb)
    throw new MayPass(
      `the disk of ${dataDir} is full: ${freeMb} MB are free, and a start needs ${leastMb}. Nothing is lost: ` +
        "make room, then start again",
    )
}

/** Makes a folder for this user alone, unless it is there. @throws CannotStart */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CannotStart(`${path} cannot be made (${String(error)}): choose another with DATA_DIR=...`, {
      cause: error,
    })
  }
}

/** The folder, or the nearest one above it that exists. */
export function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder))
}
