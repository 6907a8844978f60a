import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { z } from "zod"
import { AwsRefusal, startAwsJson } from "#dynamodb-on-sqlite/aws-json-server.ts"
import type { At } from "#dynamodb-on-sqlite/listen.ts"
import { readOrCreatePrivate, writePrivate } from "../service/private-file.ts"

/** The material of each key, by the key's id, the newest first. */
export const KeyMaterial = z.record(z.string(), z.array(z.base64()).min(1))

const Context = z.record(z.string(), z.string()).default({})
const Blob = z.base64().transform((text) => Buffer.from(text, "base64"))

const OfKey = z.object({ KeyId: z.string() })
const Generate = OfKey.extend({ EncryptionContext: Context })
const Encrypt = Generate.extend({ Plaintext: Blob })
const Decrypt = Generate.extend({ CiphertextBlob: Blob })
const ReEncrypt = z.object({
  CiphertextBlob: Blob,
  SourceKeyId: z.string(),
  SourceEncryptionContext: Context,
  DestinationKeyId: z.string(),
  DestinationEncryptionContext: Context,
})

/**
 * KMS on one machine, as far as the service uses it. Data keys are wrapped under keys that never leave this
 * process and its file of mode 600. A wrapping is bound to its key and its encryption context.
 */
export async function startKms(input: { file: string; keyIds: string[]; at: At }) {
  const keys = await readOrCreatePrivate(input.file, KeyMaterial, () =>
    Object.fromEntries(input.keyIds.map((id) => [id, [newMaterial()]])),
  )

  const { materialOf, wrap, unwrap } = wrappingUnder(keys)

  function generate(call: unknown) {
    const { KeyId, EncryptionContext } = Generate.parse(call)
    const plain = randomBytes(32)
    const CiphertextBlob = base64(wrap(KeyId, EncryptionContext, plain))
    return { KeyId, CiphertextBlob, Plaintext: base64(plain) }
  }

  function encrypt(call: unknown) {
    const { KeyId, EncryptionContext, Plaintext } = Encrypt.parse(call)
    return { KeyId, CiphertextBlob: base64(wrap(KeyId, EncryptionContext, Plaintext)) }
  }

  function decrypt(call: unknown) {
    const { KeyId, EncryptionContext, CiphertextBlob } = Decrypt.parse(call)
    return { KeyId, Plaintext: base64(unwrap(KeyId, EncryptionContext, CiphertextBlob)) }
  }

  function reEncrypt(call: unknown) {
    const asked = ReEncrypt.parse(call)
    const plain = unwrap(asked.SourceKeyId, asked.SourceEncryptionContext, asked.CiphertextBlob)
    const { SourceKeyId, DestinationKeyId: KeyId } = asked
    const wrapped = wrap(KeyId, asked.DestinationEncryptionContext, plain)
    return { KeyId, SourceKeyId, CiphertextBlob: base64(wrapped) }
  }

  function rotate(call: unknown) {
    const { KeyId } = OfKey.parse(call)
    // The new material is written down before it wraps anything.
    const rotated = { ...keys, [KeyId]: [newMaterial(), ...materialOf(KeyId)] }
    writePrivate(input.file, rotated)
    Object.assign(keys, rotated)
    return { KeyId }
  }

  return await startAwsJson({
    at: input.at,
    invalid: "ValidationException",
    actions: {
      GenerateDataKey: generate,
      GenerateDataKeyWithoutPlaintext: (call) => ({ ...generate(call), Plaintext: undefined }),
      Encrypt: encrypt,
      Decrypt: decrypt,
      ReEncrypt: reEncrypt,
      RotateKeyOnDemand: rotate,
    },
  })
}

type Context = z.output<typeof Context>

function wrappingUnder(keys: z.output<typeof KeyMaterial>) {
  function materialOf(id: string): string[] {
    const material = keys[id]
    if (!material) throw new AwsRefusal("NotFoundException")
    return material
  }

  function wrap(id: string, context: Context, plain: Buffer): Buffer {
    const nonce = randomBytes(12)
    const key = Buffer.from(materialOf(id)[0]!, "base64") // never empty
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(bytesOf(context))
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Tries each key material. */
  function unwrap(id: string, context: Context, wrapped: Buffer): Buffer {
    for (const material of materialOf(id)) {
      const plain = opened(Buffer.from(material, "base64"), bytesOf(context), wrapped)
      if (plain) return plain
    }
    // Another key, another context, or changed bytes: KMS does not say which.
    throw new AwsRefusal("InvalidCiphertextException")
  }

  return { materialOf, wrap, unwrap }
}

function bytesOf(context: Context): Buffer {
  return Buffer.from(JSON.stringify(context, Object.keys(context).toSorted()))
}

function opened(key: Buffer, context: Buffer, wrapped: Buffer): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, wrapped.subarray(0, 12))
  decipher.setAAD(context).setAuthTag(wrapped.subarray(-16))
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
  } catch {
    // The tag says that it is not this key.
    return undefined
  }
}

function newMaterial(): string {
  return base64(randomBytes(32))
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64")
}
