import fs, { mkdtempSync, readlinkSync, rmSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { GenerateDataKeyCommand, KMSClient, RotateKeyOnDemandCommand } from "@aws-sdk/client-kms"
import { afterAll, expect, test } from "vitest"
import { startKms } from "#local/aws/kms.ts"
import { readOrCreateSecrets } from "#local/service/secrets.ts"

const folder = mkdtempSync(join(tmpdir(), "keys-before-rows-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** What reaches the disk, in its order. The calls themselves are the real ones. */
const seen: string[] = []
const { renameSync, fsyncSync } = fs
Object.assign(fs, {
  renameSync: (from: string, to: string) => {
    renameSync(from, to)
    seen.push(`moved: ${basename(to)}`)
  },
  fsyncSync: (handle: number) => {
    fsyncSync(handle)
    seen.push(`synced: ${readlinkSync(`/proc/self/fd/${handle}`) === folder ? "the folder" : "a file"}`)
  },
})
syncBuiltinESMExports()
afterAll(() => {
  Object.assign(fs, { renameSync, fsyncSync })
  syncBuiltinESMExports()
})

const durable = (name: string) => ["synced: a file", `moved: ${name}`, "synced: the folder"]

test("a key is on the disk, its folder's entry too, before anything is wrapped under it; so are secrets", async () => {
  const kms = await startKms({ file: join(folder, "keys.json"), keyIds: ["session"] })
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
  const key = durable("keys.json")
  expect(seen).toEqual([...key, "wrapped", ...key, "wrapped", ...durable("secrets.json")])
})
