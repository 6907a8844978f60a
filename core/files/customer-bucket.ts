export * as CustomerBucket from "./customer-bucket.ts"

import { createHash } from "node:crypto"
import { S3Client } from "@aws-sdk/client-s3"
import type { MediaStore, StoredAs } from "#contract/media-store.ts"
import { awsHandler, uriEncoded } from "../fetch/aws-handler.ts"
import { FetchError } from "../fetch/fetch-error.ts"
import { Connections } from "../fetch/safe-fetch.ts"
import { nowMs } from "../platform/clock.ts"
import { putInParts } from "./put-in-parts.ts"
import { hmac, signingKey } from "./sign-v4.ts"

/** How long a file may take, in ms: 100 MB at a megabyte a second. */
const usuallyWithinMs = 100_000
/** The longest that S3 allows, in seconds. */
const linkSeconds = 7 * 86_400

interface File {
  path: string
  contentType: string
  key: string
  /** The bridge whose file it is: its look-ups of names wait for no others. */
  share: string
}

/**
 * Puts a file into a customer's bucket.
 * @param withinMs how long that may take
 * @throws what `refusalOf` knows
 */
export async function put(
  store: MediaStore,
  { path, contentType, key, share }: File,
  withinMs = usuallyWithinMs,
): Promise<void> {
  const connections = new Connections()
  const client = new S3Client({
    region: store.region,
    ...(store.endpoint !== undefined && { endpoint: store.endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: store.access_key_id, secretAccessKey: store.secret_access_key },
    requestHandler: awsHandler(connections, share, AbortSignal.timeout(withinMs)),
    maxAttempts: 2,
    // Other stores than Amazon's know neither.
    requestChecksumCalculation: "WHEN_REQUIRED",
    expectContinueHeader: false,
  })
  try {
    await putInParts(client, { Bucket: store.bucket, Key: key }, { ContentType: contentType }, path)
  } finally {
    client.destroy()
    await connections.destroy()
  }
}

/** Why a store did not take a file; undefined: the error has another cause. */
export function refusalOf(error: unknown): string | undefined {
  if (error instanceof FetchError) return error.category
  // The store's own word, such as AccessDenied.
  if (error instanceof Error && "$metadata" in error) return error.name.replaceAll(/\W/g, "").slice(0, 64)
  return undefined
}

/**
 * Where a file of this key is, with a link that anybody may open, if the customer has chosen so (AWS
 * Signature Version 4, "Authenticating Requests: Using Query Parameters").
 */
export function placeOf(store: MediaStore, key: string): StoredAs {
  const { bucket, region, link, access_key_id, secret_access_key } = store
  if (link === "key") return { bucket, key }
  const { origin, host } = new URL(store.endpoint ?? `https://s3.${region}.amazonaws.com`)
  const path = `/${bucket}/${key.split("/").map(uriEncoded).join("/")}`
  const time = new Date(nowMs()).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const scope = [time.slice(0, 8), region, "s3", "aws4_request"]
  const query = Object.entries({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": [access_key_id, ...scope].join("/"),
    "X-Amz-Date": time,
    "X-Amz-Expires": String(linkSeconds),
    "X-Amz-SignedHeaders": "host",
  })
    .map((pair) => pair.map(uriEncoded).join("="))
    .join("&")
  const asked = ["GET", path, query, `host:${host}\n`, "host", "UNSIGNED-PAYLOAD"].join("\n")
  const digest = createHash("sha256").update(asked).digest("hex")
  const signed = ["AWS4-HMAC-SHA256", time, scope.join("/"), digest].join("\n")
  const signature = hmac(signingKey(secret_access_key, scope), signed).toString("hex")
  return { bucket, key, url: `${origin}${path}?${query}&X-Amz-Signature=${signature}` }
}
