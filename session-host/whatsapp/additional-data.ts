import type { AuthenticationCreds, SignedKeyPair } from "@whiskeysockets/baileys"
import { z } from "zod"

const Key = z.custom<SignedKeyPair>((given) =>
  Number.isInteger((given as Partial<SignedKeyPair> | null)?.keyId),
)

/** The values of ours that are kept with Baileys' credentials. */
const Kept = z
  .object({
    /** Whether the account's chats are still by number, or were moved to private ids. */
    byNumber: z.boolean(),
    /** How often this device has logged in. */
    logins: z.number().int(),
    signedPreKeys: z.object({
      /** When the present key is to be replaced, in Unix seconds. */
      dueAt: z.number(),
      /** The number of the next key, if it is not the one after the present key's. */
      nextId: z.number().int().optional(),
      /** The next key, once it is made: the network may have it already. */
      next: Key.optional(),
      /** Earlier keys, the newest first. */
      former: z.array(Key),
    }),
  })
  .partial()
  .catch({})
type Kept = z.infer<typeof Kept>

/** The field of the credentials that Baileys leaves to others. */
type Creds = Pick<AuthenticationCreds, "additionalData">

export function additionalDataOf(creds: Creds): Kept {
  return Kept.parse(creds.additionalData ?? {})
}

/** Changes some of the values that are kept with the credentials. The caller keeps the credentials. */
export function changeAdditionalData(creds: Creds, change: Kept): void {
  creds.additionalData = { ...additionalDataOf(creds), ...change }
}
