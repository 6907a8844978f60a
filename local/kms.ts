import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { privateFile, writePrivate } from "./private-file.ts"

/** By id, the newest key material first; one alone is from before keys were rotated. */
const Material = z.array(z.base64()).min(1)
const Keys = z.record(z.string(), Material.or(z.base64().transform((one) => [one])))

const Context = z.record(z.string(), z.string()).default({})
const Blob = z.base64().transform((text) => Buffer.from(text, "base64"))

const OfKey = z.object({ KeyId: z.string() })
const Generate = OfKey.extend({ EncryptionContext: Context })
const Decrypt = Generate.extend({ CiphertextBlob: Blob })
const ReEncrypt = z.object({
  CiphertextBlob: Blob,
  SourceKeyId: z.string(),
  SourceEncryptionContext: Context,
  DestinationKeyId: z.string(),
  DestinationEncryptionContext: Context,
})

class Refusal extends Error {}

/**
 * KMS on one machine, as far as the service uses it: data keys wrapped under keys that stay here, in a file of
 * mode 600. A wrapping is bound to its key and to its encryption context.
 */
export async function startKms(input: { file: string; keyIds: string[] }) {
  const keys = await privateFile(input.file, Keys, () =>
    Object.fromEntries(input.keyIds.map((id) => [id, [newMaterial()]])),
  )

  function materialOf(id: string): string[] {
    const material = keys[id]
    if (!material) throw new Refusal("NotFoundException")
    return material
  }

  function wrap(id: string, context: Context, plain: Buffer): Buffer {
    const nonce = randomBytes(12)
    const key = Buffer.from(materialOf(id)[0]!, "base64") // never empty
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(bytesOf(context))
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Whichever material wrapped it. */
  function unwrap(id: string, context: Context, wrapped: Buffer): Buffer {
    for (const material of materialOf(id)) {
      const plain = opened(Buffer.from(material, "base64"), bytesOf(context), wrapped)
      if (plain) return plain
    }
    // Another key, another context, or changed bytes: KMS does not say which.
    throw new Refusal("InvalidCiphertextException")
  }

  function answer(operation: string, call: unknown): object {
    switch (operation) {
      case "GenerateDataKey":
      case "GenerateDataKeyWithoutPlaintext": {
        const { KeyId, EncryptionContext } = Generate.parse(call)
        const plain = randomBytes(32)
        const CiphertextBlob = base64(wrap(KeyId, EncryptionContext, plain))
        return { KeyId, CiphertextBlob, ...(operation === "GenerateDataKey" && { Plaintext: base64(plain) }) }
      }
      case "Decrypt": {
        const { KeyId, EncryptionContext, CiphertextBlob } = Decrypt.parse(call)
        return { KeyId, Plaintext: base64(unwrap(KeyId, EncryptionContext, CiphertextBlob)) }
      }
      case "ReEncrypt": {
        const asked = ReEncrypt.parse(call)
        const plain = unwrap(asked.SourceKeyId, asked.SourceEncryptionContext, asked.CiphertextBlob)
        const { SourceKeyId, DestinationKeyId: KeyId } = asked
        const wrapped = wrap(KeyId, asked.DestinationEncryptionContext, plain)
        return { KeyId, SourceKeyId, CiphertextBlob: base64(wrapped) }
      }
      case "RotateKeyOnDemand": {
        const { KeyId } = OfKey.parse(call)
        // Written down before anything is wrapped by it.
        const rotated = { ...keys, [KeyId]: [newMaterial(), ...materialOf(KeyId)] }
        writePrivate(input.file, rotated)
        Object.assign(keys, rotated)
        return { KeyId }
      }
      default:
        throw new Refusal("UnknownOperationException")
    }
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; body: object }> {
    try {
      const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? ""
      return { status: 200, body: answer(operation, await json(request)) }
    } catch (error) {
      const type = error instanceof Refusal ? error.message : "ValidationException"
      return { status: 400, body: { __type: type, message: String(error) } }
    }
  }

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void respond(request).then(({ status, body }) =>
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body)),
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Context = z.output<typeof Context>

function bytesOf(context: Context): Buffer {
  return Buffer.from(JSON.stringify(context, Object.keys(context).toSorted()))
}

function opened(key: Buffer, context: Buffer, wrapped: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, wrapped.subarray(0, 12))
  decipher.setAAD(context).setAuthTag(wrapped.subarray(-16))
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
  } catch {
    // Not this key: the tag says so.
    return undefined
  }
}

function newMaterial(): string {
  return base64(randomBytes(32))
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64")
}
