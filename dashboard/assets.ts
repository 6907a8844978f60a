import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { Hono } from "hono"
import { tokens } from "#contract/reference/design-tokens.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"
import type { Assets } from "./layout.ts"

/** A function is one file at the top of its folder, and the assets are copied beside it. */
const besideFunction = new URL("./dashboard/assets/", import.meta.url)
const folder = existsSync(besideFunction) ? besideFunction : new URL("./assets/", import.meta.url)

const files = {
  style: load("style.css", "text/css", tokens),
  script: load("app.js", "text/javascript"),
  passkey: load("passkey.js", "text/javascript"),
}

/** Where the style and the script are. */
export const assets: Assets = { style: files.style.path, script: files.script.path }

/** The script of the pages where passkeys are made and used. */
export const passkeyScript = files.passkey.path

/** Serves them. Each name stands for one content, so it may be kept for ever. */
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
