import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { Hono } from "hono"
import { tokens } from "#contract/reference/design-tokens.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"

/**
 * A folder of this repository whose files are served. A function is one file at the top of its folder, and
 * they are copied beside it.
 */
export function servedFolder(path: string): URL {
  const besideFunction = new URL(`./${path}/`, import.meta.url)
  return existsSync(besideFunction) ? besideFunction : new URL(`../${path}/`, import.meta.url)
}

const folder = servedFolder("dashboard/assets")

const files = {
  style: load("style.css", "text/css", tokens),
  script: load("app.js", "text/javascript"),
  passkey: load("passkey.js", "text/javascript"),
  chat: load("chat.js", "text/javascript"),
  icon: load("icon.svg", "image/svg+xml"),
}

/** Where the style, the script and the icon of every page are. */
export const assets = { style: files.style.path, script: files.script.path, icon: files.icon.path }

/** The script of the pages where passkeys are made and used. */
export const passkeyScript = files.passkey.path

/** The script of a chat. */
export const chatScript = files.chat.path

/** Serves them. Their names change with their content, so browsers keep them for ever. */
export const assetRoutes = new Hono<ApiEnv>()
for (const { path, type, text } of Object.values(files))
  assetRoutes.get(path, (c) =>
    c.body(text, 200, { "content-type": type, "cache-control": "public, max-age=31536000, immutable" }),
  )

function load(name: string, type: string, before = "") {
  const text = `${before}\n${readFileSync(new URL(name, folder), "utf8")}`
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 12)
  return { path: `/assets/${hash}/${name}`, type: `${type}; charset=utf-8`, text }
}
