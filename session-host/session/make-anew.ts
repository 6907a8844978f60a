import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import type { Commits } from "../memory/commits.ts"
import type { Patience } from "../memory/patience.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import { Fenced } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { KeysAnew } from "../network/connection.ts"

/** How many rows are read at a time. */
const atOnce = 50

interface MakeAnewParts {
  lease: Lease.Held
  store: SessionStore
  commits: Pick<Commits, "write" | "whenKept">
  patience: Patience
  vault: Pick<SessionVault, "creds" | "change" | "prefixOf">
  keysAnew: KeysAnew
}

/**
 * Leaves no key that can encrypt in a login whose keys came back from a backup, before anything is sent. If
 * the work is cut short, the next session does all of it again, which does no harm. The login itself stays:
 * the customer does not have to link the phone again.
 * @throws SessionEnded
 */
export async function makeAnew({
  lease,
  store,
  commits,
  patience,
  vault,
  keysAnew,
}: MakeAnewParts): Promise<void> {
  const { areOwnSenderKeys, readingOnly, withUnusedPreKeys, worthlessKinds } = keysAnew
  for await (const rows of pagesOf(store, vault.prefixOf("session")))
    await commits.write(rows.map(({ sk, secret }) => store.put(sk, readingOnly(secret.toString(), nowMs()))))
  for await (const rows of pagesOf(store, vault.prefixOf("sender-key")))
    await commits.write(
      rows.filter(({ secret }) => areOwnSenderKeys(secret.toString())).map(({ sk }) => store.remove(sk)),
    )
  for (const kind of worthlessKinds) {
    const names = await store.names(vault.prefixOf(kind))
    await commits.write(names.map((sk) => store.remove(sk)))
  }
  if (vault.creds !== undefined) await vault.change({ creds: withUnusedPreKeys(vault.creds) })
  await commits.whenKept()
  if (!(await patience.read(() => Lease.noteMadeAnew(lease)))) throw new Fenced()
}

async function* pagesOf(store: SessionStore, prefix: string): AsyncGenerator<Stored[]> {
  for (let after: string | undefined; ;) {
    const rows = await store.page(prefix, { after, limit: atOnce })
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)!.sk.slice(prefix.length)
  }
}
