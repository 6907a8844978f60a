import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
} from "@whiskeysockets/baileys"
import { z } from "zod"
import type { Acquaintance, Notice, Restriction } from "#session-host/network/connection.ts"
import { verifiedNameIn } from "#session-host/people/registered.ts"

interface Heard {
  notices: Notice[]
  people: Acquaintance[]
}

/**
 * The network's news about accounts, beside messages and events: for a log, for the contacts, for `status`. Baileys
 * reports little of it. `docs/network.md` has a line for each kind.
 */
export function noticesIn(frame: BinaryNode): Heard {
  switch (frame.tag) {
    case "notification":
      return fromNotification(frame)
    case "message":
      return { notices: fromMessage(frame), people: [] }
    default:
      return nothing
  }
}

const nothing: Heard = { notices: [], people: [] }

function fromNotification(frame: BinaryNode): Heard {
  const { type, from } = frame.attrs
  switch (type ?? "") {
    case "encrypt":
      return isPerson(from) && getBinaryNodeChild(frame, "identity") ? told("identity_changed") : nothing
    case "contacts":
      return fromNumbers(getBinaryNodeChild(frame, "modify"))
    case "w:gp2":
      return getBinaryNodeChild(frame, "modify") ? told("number_changed") : nothing
    case "business":
      return { notices: [], people: fromBusiness(frame) }
    case "status":
      return { notices: [], people: fromAbout(frame) }
    case "newsletter":
      return told("newsletter")
    case "mex":
      return { notices: getBinaryNodeChildren(frame, "update").flatMap(fromMex), people: [] }
    default:
      return nothing
  }
}

function told(kind: "identity_changed" | "number_changed" | "newsletter"): Heard {
  return { notices: [{ kind }], people: [] }
}

/** `<modify old new old_lid new_lid/>`: the private address mostly stays. */
function fromNumbers(change: BinaryNode | undefined): Heard {
  const { old, new: jid, new_lid, old_lid } = change?.attrs ?? {}
  if (!isPnUser(jid) || !isPnUser(old)) return nothing
  const lid = [new_lid, old_lid].find((each) => isLidUser(each))
  const person = {
    jid: jidNormalizedUser(jid),
    lid: lid && jidNormalizedUser(lid),
    formerJid: jidNormalizedUser(old),
    ofContactsOnly: true as const,
  }
  return { notices: [{ kind: "number_changed" }], people: [person] }
}

/** `<verified_name>` with a certificate, or `<remove>`: of the person in `jid`, else of the sender. */
function fromBusiness(frame: BinaryNode): Acquaintance[] {
  const named = getBinaryNodeChild(frame, "verified_name")
  const gone = getBinaryNodeChild(frame, "remove")
  const jid = (named ?? gone)?.attrs.jid ?? frame.attrs.from
  if (!isPerson(jid)) return []
  const address = jidNormalizedUser(jid)
  const person = { ...(isLidUser(jid) ? { lid: address } : { jid: address }), ofContactsOnly: true as const }
  if (gone) return [{ ...person, isNoBusiness: true }]
  const verifiedName = nameIn(named)
  return verifiedName ? [{ ...person, verifiedName }] : []
}

function nameIn(named: BinaryNode | undefined): string {
  if (!(named?.content instanceof Uint8Array)) return ""
  try {
    return verifiedNameIn(named.content)
  } catch {
    // No certificate: it names nobody.
    return ""
  }
}

/** `<set>` with the about text; without any it is empty now. */
function fromAbout(frame: BinaryNode): Acquaintance[] {
  const { from } = frame.attrs
  const set = getBinaryNodeChild(frame, "set")
  if (!set || !isPerson(from) || Array.isArray(set.content)) return []
  const address = jidNormalizedUser(from)
  const about = Buffer.from(set.content ?? "")
    .toString()
    .slice(0, longestAbout)
  return [{ ...(isLidUser(from) ? { lid: address } : { jid: address }), about, ofContactsOnly: true }]
}

/** The longest about text that is kept, in characters. The network's own limit is 139. */
const longestAbout = 1000

/** Messages that this release cannot read, or that a bridge has no use for. */
function fromMessage({ attrs, content }: BinaryNode): Notice[] {
  if (attrs.from?.endsWith("@newsletter")) return [{ kind: "newsletter" }]
  const parts = Array.isArray(content) ? content : []
  const isBots = parts.some((part) => part.tag === "enc" && part.attrs.type === "msmsg")
  return isBots ? [{ kind: "bot_message" }] : []
}

/** A time in Unix seconds, at most the end of the century. */
const Seconds = z.coerce.number().int().nonnegative().max(4_102_444_800).catch(0)

/** The `w:mex` notices about an account that may not begin chats, or no more of them. */
const Restricting = z.object({
  data: z.object({
    xwa2_notify_account_reachout_timelock: z
      .object({ is_active: z.boolean(), time_enforcement_ends: Seconds })
      .nullish(),
    xwa2_notify_new_chat_messages_capping_info_update: z
      .object({ capping_status: z.string(), cycle_end_timestamp: Seconds })
      .nullish(),
  }),
})

function fromMex({ content }: BinaryNode): Notice[] {
  const {
    xwa2_notify_account_reachout_timelock: lock,
    xwa2_notify_new_chat_messages_capping_info_update: cap,
  } = parsed(content)?.data ?? {}
  const notices: Notice[] = []
  if (lock) notices.push(restricted("new_chats", lock.is_active, lock.time_enforcement_ends))
  if (cap)
    notices.push(restricted("new_chats_quota", cap.capping_status === "CAPPED", cap.cycle_end_timestamp))
  return notices
}

function restricted(kind: Restriction["kind"], isOn: boolean, until: number): Notice {
  return { kind: "restriction", restriction: { kind, until }, isOn }
}

function parsed(content: BinaryNode["content"]): z.infer<typeof Restricting> | undefined {
  if (!(content instanceof Uint8Array)) return undefined
  try {
    return Restricting.safeParse(JSON.parse(Buffer.from(content).toString())).data
  } catch {
    // It is not JSON, so it is none of the notices that are known here.
    return undefined
  }
}

function isPerson(jid: string | undefined): jid is string {
  return isPnUser(jid) === true || isLidUser(jid) === true
}
