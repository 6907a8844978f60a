import {
  DecryptCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  KMSClient,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
} from "@aws-sdk/client-kms"
import { requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"

/** A data key's purpose, which decides its wrapping key. Only session hosts may unwrap `session`. */
export type Purpose = "session" | "delivery"

/** The owner of a data key, bound into the wrapping. */
export interface Owner {
  accountId: string
  bridgeId: string
}

const kms = lazily(
  () => new KMSClient({ maxAttempts: 4, ...requestTimeouts, ...serviceAt(config.AWS_ENDPOINT_URL_KMS) }),
)

/** A new data key of a bridge, and its wrapped form. */
export async function newDataKey(
  purpose: Purpose,
  owner: Owner,
): Promise<{ key: Uint8Array; wrapped: Uint8Array }> {
  const made = await kms.send(new GenerateDataKeyCommand({ ...under(purpose, owner), KeySpec: "AES_256" }))
  return { key: made.Plaintext!, wrapped: made.CiphertextBlob! } // both are in every answer
}

/** A new data key, wrapped only: for a caller that may create it but not use it. */
export async function newWrappedDataKey(purpose: Purpose, owner: Owner): Promise<Uint8Array> {
  const made = await kms.send(
    new GenerateDataKeyWithoutPlaintextCommand({ ...under(purpose, owner), KeySpec: "AES_256" }),
  )
  return made.CiphertextBlob! // in every answer
}

/** @throws when the wrapping is for another bridge, for another purpose, or under another wrapping key. */
export async function unwrap(purpose: Purpose, owner: Owner, wrapped: Uint8Array): Promise<Uint8Array> {
  const opened = await kms.send(new DecryptCommand({ ...under(purpose, owner), CiphertextBlob: wrapped }))
  return opened.Plaintext! // in every answer
}

/** Wraps a data key that was made elsewhere: that of a bridge which comes from another service. */
export async function wrap(purpose: Purpose, owner: Owner, key: Uint8Array): Promise<Uint8Array> {
  const made = await kms.send(new EncryptCommand({ ...under(purpose, owner), Plaintext: key }))
  return made.CiphertextBlob! // in every answer
}

/**
 * The same data key, wrapped by the current material of its wrapping key. The data key stays in KMS on the
 * way.
 * @throws as `unwrap` does
 */
export async function rewrap(purpose: Purpose, owner: Owner, wrapped: Uint8Array): Promise<Uint8Array> {
  const { KeyId, EncryptionContext } = under(purpose, owner)
  const made = await kms.send(
    new ReEncryptCommand({
      CiphertextBlob: wrapped,
      SourceKeyId: KeyId,
      SourceEncryptionContext: EncryptionContext,
      DestinationKeyId: KeyId,
      DestinationEncryptionContext: EncryptionContext,
    }),
  )
  return made.CiphertextBlob! // in every answer
}

/** Wraps new data keys under new key material from now on; the old material still opens what it wrapped. */
export async function rotate(purpose: Purpose): Promise<void> {
  await kms.send(new RotateKeyOnDemandCommand({ KeyId: wrappingKey(purpose) }))
}

function wrappingKey(purpose: Purpose): string {
  return need(purpose === "session" ? "SESSION_WRAPPING_KEY" : "DELIVERY_WRAPPING_KEY")
}

function under(purpose: Purpose, owner: Owner) {
  return {
    KeyId: wrappingKey(purpose),
    EncryptionContext: { account: owner.accountId, bridge: owner.bridgeId },
  }
}
