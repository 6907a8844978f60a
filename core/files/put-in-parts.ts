import { open as openFile } from "node:fs/promises"
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3"

/** S3 wants parts of at least 5 MB; one part is in memory at a time. */
const partBytes = 8 * 1024 * 1024

interface About {
  ContentType: string
  ContentDisposition?: string
}

/** Puts the file at this path into a bucket. An upload that fails is taken back. */
export async function putInParts(
  bucket: Pick<S3Client, "send">,
  target: { Bucket: string; Key: string },
  about: About,
  path: string,
): Promise<void> {
  const file = await openFile(path)
  try {
    const { size } = await file.stat()
    const part = async (at: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(partBytes, size - at)), {
        position: at,
      })
      return buffer.subarray(0, bytesRead)
    }
    if (size <= partBytes)
      await bucket.send(new PutObjectCommand({ ...target, ...about, Body: await part(0) }))
    else await putParts(bucket, { target, about, size, part })
  } finally {
    await file.close()
  }
}

interface Parts {
  target: { Bucket: string; Key: string }
  about: About
  size: number
  part: (at: number) => Promise<Buffer>
}

async function putParts(bucket: Pick<S3Client, "send">, { target, about, size, part }: Parts): Promise<void> {
  const { UploadId } = await bucket.send(new CreateMultipartUploadCommand({ ...target, ...about }))
  const upload = { ...target, UploadId }
  try {
    const Parts: { ETag: string | undefined; PartNumber: number }[] = []
    for (let at = 0; at < size; at += partBytes) {
      const PartNumber = Parts.length + 1
      const { ETag } = await bucket.send(
        new UploadPartCommand({ ...upload, PartNumber, Body: await part(at) }),
      )
      Parts.push({ ETag, PartNumber })
    }
    await bucket.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (error) {
    await bucket.send(new AbortMultipartUploadCommand(upload))
    throw error
  }
}
