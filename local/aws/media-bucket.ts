import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3"

/** The bucket's retention, shorter than on AWS since objects take up memory here. Older ones are never read. */
const keptMs = 3 * 3600 * 1000

/**
 * Creates the media bucket in the stand-in for S3 at `endpoint` (fauxqs, which stands in for SQS as well), and keeps it
 * small. It is in memory: cached media are lost with it and fetched again.
 */
export async function startMediaBucket(
  endpoint: string,
  name = "media",
): Promise<{ name: string; close: () => void }> {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  })
  await client.send(new CreateBucketCommand({ Bucket: name }))
  const timer = setInterval(() => {
    removeOld(client, name).catch((error: unknown) => console.error("old media were not removed", error))
  }, keptMs / 6)
  return {
    name,
    close: () => {
      clearInterval(timer)
      client.destroy()
    },
  }
}

async function removeOld(client: S3Client, Bucket: string): Promise<void> {
  for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket })) {
    const isOld = (at: Date | undefined) => Date.now() - (at?.getTime() ?? 0) > keptMs
    const old = (Contents ?? []).flatMap(({ Key, LastModified }) => (isOld(LastModified) ? [{ Key }] : []))
    if (old.length > 0) await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: old } }))
  }
}
