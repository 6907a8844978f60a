import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { createTables } from "#local/dynamodb/create-tables.ts"
import { startDynamoDb } from "#local/dynamodb/server.ts"
import { startKms } from "#local/aws/kms.ts"
import { startBucket } from "#local/aws/s3.ts"
import { startSqs } from "#local/aws/sqs.ts"

/**
 * The service's real store and queue for one test file, with the environment that leads to them. The environment is read
 * here for the first time: a test that needs other settings changes `config`.
 */
const folder = mkdtempSync(join(tmpdir(), "bridge-test-"))
/** Also controls what goes wrong with the store. */
export const dynamoDb = await startDynamoDb()
export const sqs = await startSqs()
const bucket = await startBucket(sqs.endpoint)
/** The file of the wrapping keys. */
export const wrappingKeys = join(folder, "keys.json")
const kms = await startKms({ file: wrappingKeys, keyIds: ["session", "delivery"] })

Object.assign(process.env, {
  AWS_REGION: "local",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
  AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  DOORBELL_URL: sqs.doorbellUrl,
  AWS_ENDPOINT_URL_S3: sqs.endpoint,
  MEDIA_BUCKET: bucket.name,
  API_KEY_PEPPER: randomBytes(32).toString("base64url"),
  HOST_TOKEN_SECRET: randomBytes(32).toString("base64url"),
  AWS_ENDPOINT_URL_KMS: kms.endpoint,
  SESSION_WRAPPING_KEY: "session",
  DELIVERY_WRAPPING_KEY: "delivery",
  URL_ALLOW: "127.0.0.0/8,::1/128",
  HOST_NETWORK: process.env.HOST_NETWORK ?? "simulated",
  LEASE_BEAT_MS: process.env.LEASE_BEAT_MS ?? "1000",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
})

await createTables(dynamoDb.endpoint)

afterAll(async () => {
  await kms.close()
  bucket.close()
  await sqs.close()
  await dynamoDb.close()
  rmSync(folder, { recursive: true })
})
