import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { z } from "zod"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { type Called, foldersAt, sessionInFolder } from "./baileys.ts"
import type { FindSessions } from "./found-session.ts"

/*
 * WAHA with its engine NOWEB: `.sessions/noweb/<session>/`, a folder of Baileys with the session's settings
 * beside its keys.
 */

const Settings = z.object({ webhooks: z.array(z.object({ url: z.string() })).default([]) })

/** Finds the sessions in WAHA's folder `.sessions`, in its `noweb`, or one of them. */
export const findNoweb: FindSessions = async (where) => {
  const places = where
    .flatMap((one) => [resolve(one, "noweb"), resolve(one)])
    .filter((place) => existsSync(place))
  const folders = (await Promise.all(places.map((place) => foldersAt(place)))).flat()
  if (folders.length === 0) throw new Unusable(`there is no session of NOWEB in ${where.join(", ")}`)
  const sessions = folders.map(async (folder) => sessionInFolder(folder, await aboutSessionIn(folder)))
  return { sessions: await Promise.all(sessions), refused: [], close: async () => {} }
}

/** What WAHA calls the session in a folder, and where it posts its events. */
export async function aboutSessionIn(folder: string): Promise<Called> {
  return { name: nameOf(basename(folder)), webhookUrls: await webhooksOf(folder) }
}

/** Some releases of WAHA put the hash of a session's name behind it. */
function nameOf(folder: string): string {
  const [, name = folder, hash] = /^(.+)-([0-9a-f]{32})$/.exec(folder) ?? []
  return createHash("md5").update(name).digest("hex") === hash ? name : folder
}

/** The URLs that WAHA Plus has noted; WAHA Core notes none. */
async function webhooksOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, ".waha.session.config.json"), "utf8").catch(() => "{}")
  try {
    return Settings.parse(JSON.parse(text) ?? {}).webhooks.map(({ url }) => url)
  } catch {
    // They are shown only, and somebody may have changed them.
    return []
  }
}
