import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import type { Bridge } from "#core/bridge/bridge.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { syncFolder } from "#dynamodb-on-sqlite/rows/sync-folder.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { leavingLogin } from "#session-host/whatsapp/leave-login.ts"
import { leaveInto } from "../move/export.ts"
import { credsFile, fileOfKey } from "./baileys.ts"

/**
 * A bridge leaves for a program with Baileys, as a folder of `useMultiFileAuthState`: it is stopped here for
 * good, and goes on there without being linked again. Events that wait for a webhook stay here.
 * @param say is told of the progress
 * @returns how many keys went along
 * @throws Unusable
 */
export async function leaveToBaileys(
  { bridge, folder }: { bridge: Bridge.Info; folder: string },
  say: (line: string) => void,
): Promise<number> {
  let count = 0
  await leaveInto({ path: folder, bridges: [bridge], isFolder: true }, say, async (part) => {
    const [keys, lease] = [await DataKeys.get(bridge.id), await Lease.get(bridge.id)]
    if (lease?.anew)
      throw new Unusable(
        `${bridge.customerRef} has not run since it came here: export it once it is connected`,
      )
    const login = keys && (await leavingLogin({ bridgeId: bridge.id, sessionKey: keys.session }))
    if (!login)
      throw new Unusable(`no phone is linked to ${bridge.customerRef}: there is nothing to take along`)
    await mkdir(part, { mode: 0o700 })
    for await (const key of login.keys) {
      await writeSynced(join(part, fileOfKey(key)), key.json)
      count++
    }
    // A program that finds no credentials links a phone anew.
    await writeSynced(join(part, credsFile), login.creds)
    syncFolder(part)
  })
  return count
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
