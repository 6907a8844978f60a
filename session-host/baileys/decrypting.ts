import { createHash } from "node:crypto"
import type { SignalRepositoryWithLIDStore } from "@whiskeysockets/baileys"
import { addressesOf } from "./addresses.ts"
import { forOurselves } from "./for-ourselves.ts"
import type { ILogger } from "./quiet-log.ts"
import type { RepositoryInput } from "./repository.ts"
import { hasChild } from "./stanza.ts"

/** What a redelivered message becomes once its event is written: it unpads to an empty message, so only the receipt goes out. */
const emptyMessage = Buffer.of(1)

type Decrypting = Pick<
  SignalRepositoryWithLIDStore,
  "decryptMessage" | "decryptGroupMessage" | "processSenderKeyDistributionMessage"
>

/** Decrypts what was not decrypted before, and journals it in the commit that moves the ratchet. */
export function newDecrypting(
  input: RepositoryInput,
  inner: SignalRepositoryWithLIDStore,
  log: ILogger,
): Decrypting {
  const { creds, keys, vault, hold } = input

  async function journalled(ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>) {
    const hash = createHash("sha256").update(ciphertext).digest("hex")
    const known = await vault.lookUp(hash)
    if (known.state === "drained") return emptyMessage
    if (known.state === "journalled") return Buffer.from(known.plaintext)

    const stanza = input.stanzaOf(ciphertext)
    if (!stanza) throw new Error("a ciphertext without its stanza")
    const plaintext = await keys.atomically(async (unit) => {
      const decrypted = await decrypt()
      await forOurselves({ plaintext: decrypted, stanza, me: creds.me, keys, inner, log })
      const verified = hasChild(stanza, "verified_name")
      unit.received = { hash, attrs: stanza.attrs, plaintext: decrypted, ...(verified && { verified }) }
      return decrypted
    })
    input.onJournalled()
    return plaintext
  }

  async function settling<T>(ciphertext: Uint8Array, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      input.onSettled(ciphertext)
    }
  }

  return {
    decryptMessage: (message) =>
      settling(message.ciphertext, async () =>
        hold(await addressesOf(message.jid, inner), () =>
          journalled(message.ciphertext, () => inner.decryptMessage(message)),
        ),
      ),
    decryptGroupMessage: (message) =>
      settling(message.msg, () =>
        hold([message.group], () => journalled(message.msg, () => inner.decryptGroupMessage(message))),
      ),
    /** Was done in the commit that journalled it. What came unencrypted is not to be believed. */
    processSenderKeyDistributionMessage: async () => {},
  }
}
