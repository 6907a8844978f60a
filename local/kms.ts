import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { privateFile } from "./private-file.ts"

const Keys = z.record(z.string(), z.base64())

const Call = z.object({
  KeyId: z.string(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
  CiphertextBlob: z.base64().optional(),
})
type Call = z.infer<typeof Call>

class Refusal extends Error {}

/**
 * KMS on one machine, as far as the service uses it: data keys wrapped under keys that stay here, in a file of
 * mode 600. A wrapping is bound to its key and to its encryption context.
 */
export async function startKms(input: { file: string; keyIds: string[] }) {
  const keys = await privateFile(input.file, Keys, () =>
    Object.fromEntries(input.keyIds.map((id) => [id, randomBytes(32).toString("base64")])),
  )

  function wrappingKey(id: string): Buffer {
    const key = keys[id]
    if (!key) throw new Refusal("NotFoundException")
    return Buffer.from(key, "base64")
  }

  function generate(call: Call): { plain: Buffer; wrapped: Buffer } {
    const plain = randomBytes(32)
    const nonce = randomBytes(12)
    const cipher = createCipheriv("aes-256-gcm", wrappingKey(call.KeyId), nonce).setAAD(contextOf(call))
    return {
      plain,
      wrapped: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
    }
  }

  function decrypt(call: Call): Buffer {
    const wrapped = Buffer.from(call.CiphertextBlob ?? "", "base64")
    const decipher = createDecipheriv("aes-256-gcm", wrappingKey(call.KeyId), wrapped.subarray(0, 12))
    decipher.setAAD(contextOf(call)).setAuthTag(wrapped.subarray(-16))
    try {
      return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
    } catch {
      // Another key, another context, or changed bytes: KMS does not say which.
      throw new Refusal("InvalidCiphertextException")
    }
  }

  function answer(operation: string, call: Call): object {
    switch (operation) {
      case "GenerateDataKey": {
        const { plain, wrapped } = generate(call)
        return { KeyId: call.KeyId, Plaintext: base64(plain), CiphertextBlob: base64(wrapped) }
      }
      case "GenerateDataKeyWithoutPlaintext":
        return { KeyId: call.KeyId, CiphertextBlob: base64(generate(call).wrapped) }
      case "Decrypt":
        return { KeyId: call.KeyId, Plaintext: base64(decrypt(call)) }
      default:
        throw new Refusal("UnknownOperationException")
    }
  }

  async function respond(request: IncomingMessage): Promise<{ status: number; body: object }> {
    try {
      const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? ""
      return { status: 200, body: answer(operation, Call.parse(await json(request))) }
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

function contextOf(call: Call): Buffer {
  return Buffer.from(JSON.stringify(call.EncryptionContext, Object.keys(call.EncryptionContext).toSorted()))
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64")
}
