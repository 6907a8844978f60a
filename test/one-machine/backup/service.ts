import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, onTestFinished } from "vitest"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { makeBackup } from "#one-machine/backup/backup.ts"
import { readOrCreateSecrets } from "#one-machine/service/secrets.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"

export const passphrase = "correct horse battery staple"

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "backup-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const put = (n: number) => ({ TableName: "things", Item: { pk: { S: "a" }, sk: { S: String(n) } } })

/** A data folder whose store is open, as the service's is, with one row. */
export async function aService(dataDir = aFolder()) {
  const kms = await startKms({
    at: { port: 0 },
    file: join(dataDir, "wrapping-keys.json"),
    keyIds: ["session", "delivery"],
  })
  await kms.close()
  await readOrCreateSecrets(join(dataDir, "secrets.json"))
  const store = await startDynamoDb({ at: { port: 0 }, path: dataDir })
  onTestFinished(store.close)
  const keys = ["pk", "sk"]
  await store.answer("CreateTable", {
    TableName: "things",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? "HASH" : "RANGE" })),
  })
  const write = async (n: number) =>
    expect(await store.answer("PutItem", put(n))).toMatchObject({ status: 200 })
  await write(0)
  return { dataDir, write, dir: aFolder(), store }
}

export const backUp = async (service: { dataDir: string; dir: string }, keep = 48, reserveMb = 0) =>
  await makeBackup({ dataDir: service.dataDir, dir: service.dir, passphrase, keep, reserveMb })

/** `npm run admin --` with these words: its exit code and what it said. */
export async function admin(environment: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, ["admin/main.ts", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...bareEnvironment, ...environment },
  })
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ])
  return { code: code as number, out: out.trim(), error: error.trim().split("\n")[0] }
}
