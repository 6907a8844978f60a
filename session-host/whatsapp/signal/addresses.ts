import { jidDecode, jidEncode, type SignalRepositoryWithLIDStore } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"

type Repository = Pick<SignalRepositoryWithLIDStore, "jidToSignalProtocolAddress" | "lidMapping">

/** The Signal addresses of a device: of the JID as given, and of its LID. */
export async function addressesOf(jid: string, repository: Repository): Promise<string[]> {
  const lid = await repository.lidMapping.getLIDForPN(jid)
  return [...new Set([jid, lid ?? jid])].map((each) => repository.jidToSignalProtocolAddress(each))
}

/** The addresses that a migration of all of a user's devices may touch. */
export async function addressesMoved(
  { from, to }: { from: string; to: string },
  repository: Repository,
  keys: Keys,
): Promise<string[]> {
  const pn = jidDecode(from)
  const lid = jidDecode(to)
  if (!pn || !lid) return []
  const known = (await keys.get("device-list", [pn.user]))[pn.user] ?? []
  const devices = new Set([...known.map(Number), pn.device ?? 0])
  // Device 99 is on servers of its own and has no plain JID.
  devices.delete(99)
  return [...devices].flatMap((device) => [
    repository.jidToSignalProtocolAddress(jidEncode(pn.user, "s.whatsapp.net", device)),
    repository.jidToSignalProtocolAddress(jidEncode(lid.user, "lid", device)),
  ])
}
