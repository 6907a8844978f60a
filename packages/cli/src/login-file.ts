import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { Refused } from "./refused.ts"

/** Where to ask, and with which key. */
export interface Login {
  url: string
  key: string
}

/** The folder of this person's settings. */
export function folder(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "messaging-bridge")
}

export const loginFile = () => join(folder(), "login.json")

/** The login of the environment, else the one that was saved. @throws Refused without one */
export function login(): Login {
  const { BRIDGE_URL: url, BRIDGE_KEY: key } = process.env
  // The key of one service is not sent to another.
  if (!url !== !key) throw new Refused("set both BRIDGE_URL and BRIDGE_KEY, or neither")
  if (url && key) return { url, key }
  const saved = readSettingsFile("login.json") as Login | undefined // as it was saved
  if (saved) return saved
  throw new Refused(
    "you are not signed in: bridge login <url of the service>, or set BRIDGE_URL and BRIDGE_KEY",
  )
}

export function saveLogin(login: Login): void {
  saveSettingsFile("login.json", login)
}

export function forgetLogin(): void {
  removeSettingsFile("login.json")
}

/** A file of this folder; undefined if it is absent or damaged. */
function readSettingsFile(name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder(), name), "utf8"))
  } catch {
    return undefined
  }
}

export function removeSettingsFile(name: string): void {
  rmSync(join(folder(), name), { force: true })
}

/** Writes a file that this person alone can read, whole or not at all. */
function saveSettingsFile(name: string, content: object): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const path = join(folder(), name)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}
