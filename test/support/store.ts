import { randomBytes, randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { config } from "#core/platform/config.ts"
import { type DynamoDb, startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { startKms } from "#one-machine/aws/kms.ts"
import { listen } from "#one-machine/listen.ts"
import { createTables } from "#one-machine/store/create-tables.ts"
import { makeMediaBucket } from "./media-bucket.ts"
import { startOtherStore } from "./other-store.ts"
import { startSqs } from "./sqs.ts"

/**
 * The service's real store and queue for one test file, with the environment that leads to them. The
 * environment is read here for the first time: a test that needs other settings changes `config`.
 */
const folder = mkdtempSync(join(tmpdir(), "bridge-test-"))
/** The file of the wrapping keys. */
export const wrappingKeys = join(folder, "keys.json")
const ports = await claimPorts()
/** Also controls what goes wrong with the store. */
export let dynamoDb = await startStore(ports.dynamoDb)
export let sqs = await startSqs({ port: ports.sqs })
const bucket = await makeMediaBucket(sqs.endpoint)
const keyring = { file: wrappingKeys, keyIds: ["session", "delivery"], at: { port: ports.kms } }
let kms = await startKms(keyring)

Object.assign(process.env, {
  AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
  AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  DOORBELL_URL: sqs.doorbellUrl,
  AWS_ENDPOINT_URL_S3: sqs.endpoint,
  MEDIA_BUCKET: bucket,
  API_KEY_PEPPER: randomBytes(32).toString("base64url"),
  HOST_TOKEN_SECRET: randomBytes(32).toString("base64url"),
  PHONE_SECRET: randomBytes(32).toString("base64url"),
  AWS_ENDPOINT_URL_KMS: kms.endpoint,
  SESSION_WRAPPING_KEY: "session",
  DELIVERY_WRAPPING_KEY: "delivery",
  URL_ALLOW: "127.0.0.0/8,::1/128",
  HOST_NETWORK: process.env.HOST_NETWORK ?? "simulated",
  LEASE_BEAT_MS: process.env.LEASE_BEAT_MS ?? "1000",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
})

await createTables(dynamoDb.endpoint)
afterAll(close)

/** The settings that every test file begins with. */
export const settings = { ...config }

let isOpen = true

/**
 * Another test file of this process gets a store, a queue and keys of its own, at the addresses of those
 * before.
 */
export async function reopen(): Promise<void> {
  if (isOpen) return
  mkdirSync(folder)
  dynamoDb = await startStore(ports.dynamoDb)
  sqs = await startSqs({ port: ports.sqs })
  await makeMediaBucket(sqs.endpoint)
  kms = await startKms(keyring)
  await createTables(dynamoDb.endpoint)
  isOpen = true
  afterAll(close)
}

/** `OTHER_STORE` is the program of one that nobody here wrote (`npm run infra:judges`). */
async function startStore(port: number): Promise<DynamoDb> {
  const program = process.env.OTHER_STORE
  return program === undefined ? await startDynamoDb({ at: { port } }) : await startOtherStore(program, port)
}

async function close(): Promise<void> {
  isOpen = false
  await kms.close()
  await sqs.close()
  await dynamoDb.close()
  rmSync(folder, { recursive: true })
}

/**
 * A block of ports for this process alone, for as long as it lives: it listens on the block's first one.
 * Linux gives connections higher ones, so no other process takes these between two test files.
 */
async function claimPorts(): Promise<{ dynamoDb: number; sqs: number; kms: number }> {
  for (;;) {
    const first = randomInt(5000, 7500) * 4
    const claim = createServer().unref()
    try {
      await listen(claim, first)
      const block = { dynamoDb: first + 1, sqs: first + 2, kms: first + 3 }
      for (const port of Object.values(block)) await tryPort(port)
      return block
    } catch (error) {
      // Else another process has the block, or another program one of its ports.
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
      claim.close()
    }
  }
}

async function tryPort(port: number): Promise<void> {
  const server = createServer()
  await listen(server, port)
  server.close()
  await once(server, "close")
}
