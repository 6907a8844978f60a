import type { MemberOutcome } from "#contract/group.ts"
import { ApiError, invalid } from "#core/error.ts"
import { isLid, isPhoneJid, toJid, userOf } from "#core/message/jid.ts"
import type { Connection } from "../network/connection.ts"
import { type Stanza, el } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import { addressesOf } from "./group.ts"
import { reasonOf } from "./refusals.ts"

/** A person whom a caller has named. */
export interface Person {
  /** The JID of the phone number if it is known, else the LID. */
  jid: string
  /** `""` if it is unknown. */
  lid: string
}

/** How many numbers are looked up in one request. */
const together = 256

/**
 * The people whom a caller names, each once. `areThere`: they are in the group, or ask to join it. Then a
 * person whom the network does not find by number, such as one with a username, may be known by private id.
 * @throws ApiError `recipient_not_found` with the numbers that are not on the network, `invalid_request` if
 * the session's own account is among them. NetworkRejected, NoAnswer
 */
export async function findPeople(
  { connection, own, lidOf }: Pick<ConnectedSession, "connection" | "own" | "lidOf">,
  given: string[],
  { areThere = false } = {},
): Promise<Person[]> {
  const jids = [...new Set(given.map(toJid))]
  const phones = jids.filter(isPhoneJid).map(userOf)
  const parts = Array.from({ length: Math.ceil(phones.length / together) }, (_, n) =>
    phones.slice(n * together, (n + 1) * together),
  )
  const found = await Promise.all(parts.map((part) => connection.registered(part)))
  const registered = new Map(found.flatMap((part) => [...part]))
  const missing = phones.filter((phone) => !registered.has(phone))
  const lids = new Map<string, string>()
  for (const phone of areThere ? missing : []) lids.set(phone, (await lidOf(toJid(phone))) ?? "")
  const unknown = missing.filter((phone) => !lids.get(phone))
  if (unknown.length > 0) throw notOnNetwork(unknown)
  const byLid = await connection.phonesOf(jids.filter(isLid))
  const people = jids.map((jid): Person => {
    if (isLid(jid)) return { jid: byLid.get(jid) ?? jid, lid: jid }
    const known = registered.get(userOf(jid))
    return { jid: known?.jid ?? jid, lid: known?.lid ?? lids.get(userOf(jid)) ?? "" }
  })
  if (people.some(({ jid, lid }) => jid === own.jid || (lid !== "" && lid === own.lid))) throw ownAccount()
  // Two numbers may be different spellings of one person's number.
  return [...new Map(people.map((person) => [person.jid, person])).values()]
}

function ownAccount(): ApiError {
  return invalid([
    { path: "members", message: "the session's own account is among them: leave it out, or use `leave`" },
  ])
}

/** How many numbers the sentence names. */
const named = 10

function notOnNetwork(phones: string[]): ApiError {
  const more = phones.length > named ? ` and ${phones.length - named} more` : ""
  const who = `${phones.slice(0, named).join(", ")}${more}`
  return new ApiError(
    "recipient_not_found",
    `nothing was changed, since these numbers are not on the network: ${who}. Leave them out`,
  )
}

/**
 * The nodes of a request that name people: by their private addresses if these are known, as the network's
 * own clients do. A request that adds people also has the token that each of them has given us: with it,
 * people who let only contacts add them can be added (whatsmeow, `group.go`).
 */
export async function participantStanzas(
  { tokenOf }: Pick<Connection, "tokenOf">,
  people: Person[],
  isAdding: boolean,
): Promise<Stanza[]> {
  return await Promise.all(
    people.map(async ({ jid, lid }) => {
      if (!isAdding) return el("participant", { jid: lid || jid })
      const token = await tokenOf(lid || jid)
      const privacy = token ? [el("privacy", {}, token)] : []
      return el(
        "participant",
        { jid: lid || jid, ...(lid && isPhoneJid(jid) && { phone_number: jid }) },
        privacy,
      )
    }),
  )
}

/** What became of each person, by the `participant` nodes of an answer. */
export function outcomesOf(
  people: Person[],
  nodes: Stanza[],
  { done, isAdding }: { done: MemberOutcome["outcome"]; isAdding: boolean },
): MemberOutcome[] {
  const byAddress = new Map(nodes.flatMap((node) => addressesOf(node).map((jid) => [jid, node] as const)))
  return people.map((person) => {
    const who = { jid: person.jid, phone: isPhoneJid(person.jid) ? userOf(person.jid) : "" }
    const node = byAddress.get(person.lid) ?? byAddress.get(person.jid)
    if (!node) return { ...who, outcome: "refused", reason: "unknown" }
    const code = Number(node.attrs.error ?? 200)
    if (code === 200) return { ...who, outcome: done }
    const network_code = Number.isSafeInteger(code) ? code : 0
    return { ...who, outcome: "refused", reason: reasonOf(code, isAdding), network_code }
  })
}
