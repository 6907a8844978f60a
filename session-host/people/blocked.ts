import { ApiError } from "#core/error.ts"
import { isLid, isPhoneJid, userOf } from "#core/message/jid.ts"
import type { Connection } from "../network/connection.ts"
import { NetworkRejected } from "../network/errors.ts"
import { type Stanza, child, childrenOf, el } from "../network/stanza.ts"

type Asked = Pick<Connection, "ask" | "registered" | "phonesOf">

/** The people whom the account has blocked. @throws NetworkRejected, NoAnswer */
export async function askForBlockedPeople(connection: Asked): Promise<{ jid: string; phone: string }[]> {
  const answer = await connection.ask({ xmlns: "blocklist", type: "get" })
  const items = childrenOf(child(answer, "list"), "item")
  const unknown = items.flatMap(({ attrs }) => (attrs.jid && !attrs.pn_jid ? attrs.jid : [])).filter(isLid)
  const phones = await connection.phonesOf(unknown)
  return items.flatMap(({ attrs: { jid, pn_jid } }) => {
    const known = pn_jid ?? phones.get(jid ?? "") ?? jid
    return known ? [{ jid: known, phone: isPhoneJid(known) ? userOf(known) : "" }] : []
  })
}

/** Blocks or unblocks a person (a JID). @throws ApiError `not_found`, NetworkRejected, NoAnswer */
export async function setBlocked(connection: Asked, jid: string, isBlocked: boolean): Promise<void> {
  const children = [await itemOf(connection, jid, isBlocked)]
  try {
    await connection.ask({ xmlns: "blocklist", type: "set", children })
  } catch (error) {
    // The simulated network answers this for a person whom it does not know. The live network has not been
    // tried.
    if (error instanceof NetworkRejected && error.networkCode === 400) throw nobody()
    throw error
  }
}

export function nobody(): ApiError {
  return new ApiError("not_found", "nobody on the network has this address")
}

/** Names the person as Baileys does: by private id, and for a block by phone number as well. */
async function itemOf(connection: Asked, jid: string, isBlocked: boolean): Promise<Stanza> {
  const { lid, phone } = await addressesOf(connection, jid)
  const action = isBlocked ? "block" : "unblock"
  return el("item", { action, jid: lid ?? jid, ...(isBlocked && phone && { pn_jid: phone }) })
}

/**
 * Both addresses of a person, as far as they are known.
 * @throws ApiError `not_found`, NetworkRejected, NoAnswer
 */
export async function addressesOf(
  connection: Asked,
  jid: string,
): Promise<{ lid?: string; phone?: string | undefined }> {
  if (isLid(jid)) return { lid: jid, phone: (await connection.phonesOf([jid])).get(jid) }
  const found = (await connection.registered([userOf(jid)])).get(userOf(jid))
  if (!found) throw nobody()
  return { ...(found.lid && { lid: found.lid }), phone: found.jid }
}
