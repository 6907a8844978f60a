import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"

/** Makes the media bucket in the stand-in for S3 at `endpoint`. @returns its name */
export async function makeMediaBucket(endpoint: string, name = "media"): Promise<string> {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  })
  await client.send(new CreateBucketCommand({ Bucket: name }))
  client.destroy()
  return name
}
