import fs, { mkdtempSync, readlinkSync, rmSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { GenerateDataKeyCommand, KMSClient, RotateKeyOnDemandCommand } from "@aws-sdk/client-kms"
import { afterAll, expect, test } from "vitest"
import { startKms } from "#one-machine/aws/kms.ts"
import { readOrCreateSecrets } from "#one-machine/service/secrets.ts"

const folder = mkdtempSync(join(tmpdir(), "keys-before-rows-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** What reaches the disk, in its order. The calls themselves are the real ones. */
const seen: string[] = []
const { linkSync, renameSync, fsyncSync } = fs
Object.assign(fs, {
  renameSync: (from: string, to: string) => {
    renameSync(from, to)
    seen.push(`moved: ${basename(to)}`)
  },
  linkSync: (from: string, to: string) => {
    linkSync(from, to)
    seen.push(`made: ${basename(to)}`)
  },
  fsyncSync: (handle: number) => {
    fsyncSync(handle)
    seen.push(`synced: ${readlinkSync(`/proc/self/fd/${handle}`) === folder ? "the folder" : "a file"}`)
  },
})
syncBuiltinESMExports()
afterAll(() => {
  Object.assign(fs, { linkSync, renameSync, fsyncSync })
  syncBuiltinESMExports()
})

const durable = (deed: string) => ["synced: a file", deed, "synced: the folder"]

test("a key is on the disk, its folder's entry too, before anything is wrapped under it; so are secrets", async () => {
  const kms = await startKms({ at: { port: 0 }, file: join(folder, "keys.json"), keyIds: ["session"] })
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  const client = new KMSClient({ endpoint: kms.endpoint, region: "local", credentials })
  const wrap = async () => {
    await client.send(new GenerateDataKeyCommand({ KeyId: "session", KeySpec: "AES_256" }))
    seen.push("wrapped")
  }
  await wrap()
  await client.send(new RotateKeyOnDemandCommand({ KeyId: "session" }))
  await wrap()
  client.destroy()
  await kms.close()
  await readOrCreateSecrets(join(folder, "secrets.json"))
  expect(seen).toEqual([
    ...durable("made: keys.json"),
    "wrapped",
    ...durable("moved: keys.json"),
    "wrapped",
    ...durable("made: secrets.json"),
  ])
})
