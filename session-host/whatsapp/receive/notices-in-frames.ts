import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  type WASocket,
} from "@whiskeysockets/baileys"
import { z } from "zod"
import { usernameIn } from "#core/message/jid.ts"
import { verifiedNameIn } from "../../network/ask-about-people.ts"
import type { Acquaintance, Notice } from "../../network/happening.ts"
import { jsonIn } from "../../network/mex.ts"
import type { Lifetime } from "../lifetime.ts"
import { restrictionsIn } from "../questions/restrictions.ts"
import type { ILogger } from "../quiet-log.ts"
import { placeholderIn } from "./placeholder.ts"

interface Input {
  sock: Pick<WASocket, "signalRepository">
  lifetime: Pick<Lifetime, "emit">
  reportPeople: (people: Acquaintance[]) => void
  log: ILogger
}

/**
 * Takes every frame and emits the notices in it. If a frame shows that two addresses are one person's, the
 * pair is kept.
 */
export function newNotices({ sock, lifetime, reportPeople, log }: Input): (frame: BinaryNode) => void {
  const { lidMapping } = sock.signalRepository
  const byPrivateId = async (notice: Notice): Promise<Notice> => {
    if (!("jid" in notice && notice.jid && isPnUser(notice.jid))) return notice
    const lid = await lidMapping.getLIDForPN(notice.jid)
    return { ...notice, jid: lid ? jidNormalizedUser(lid) : notice.jid }
  }
  const storePairs = (people: Acquaintance[]) => {
    const pairs = people.flatMap(({ jid, lid }) => (jid && lid ? [{ pn: jid, lid }] : []))
    if (pairs.length === 0) return
    const kept = lidMapping.storeLIDPNMappings(pairs)
    kept.catch((error: unknown) => log.warn({ error }, "a changed number was not kept"))
  }
  return (frame) => {
    const { notices, people } = noticesIn(frame)
    for (const notice of notices)
      byPrivateId(notice)
        .then((one) => lifetime.emit({ kind: "notice", notice: one }))
        .catch((error: unknown) => log.warn({ error }, "a notice was not emitted"))
    reportPeople(people)
    storePairs([...people, ...(frame.tag === "iq" ? membersIn(frame) : [])])
  }
}

/** The members whom a group's card names by both addresses: events name them as the card does. */
function membersIn(answer: BinaryNode): Acquaintance[] {
  const cards = [answer, ...getBinaryNodeChildren(answer, "groups")].flatMap((node) =>
    getBinaryNodeChildren(node, "group"),
  )
  return cards.flatMap((card) =>
    getBinaryNodeChildren(card, "participant").flatMap(({ attrs: { jid, phone_number, lid } }) => {
      const [number, privateId] = isLidUser(jid) ? [phone_number, jid] : [jid, lid]
      return isPnUser(number) && isLidUser(privateId) ? [{ jid: number, lid: privateId }] : []
    }),
  )
}

interface Heard {
  notices: Notice[]
  people: Acquaintance[]
}

/**
 * The network's news about accounts, beside messages and events: for a log, for the contacts, for `status`.
 * Baileys reports little of it. `docs/network.md` has a line for each kind.
 */
function noticesIn(frame: BinaryNode): Heard {
  switch (frame.tag) {
    case "notification":
      return fromNotification(frame)
    case "message":
    case "status":
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
      return isPerson(from) && getBinaryNodeChild(frame, "identity")
        ? changed("identity_changed", frame)
        : nothing
    case "contacts":
      return fromNumbers(getBinaryNodeChild(frame, "modify"))
    case "w:gp2":
      return fromMember(getBinaryNodeChild(frame, "modify"))
    case "business":
      return { notices: [], people: fromBusiness(frame) }
    case "status":
      return { notices: [], people: fromAbout(frame) }
    case "newsletter":
      return { notices: [{ kind: "newsletter" }], people: [] }
    case "mex": {
      const updates = getBinaryNodeChildren(frame, "update")
      return {
        notices: updates.flatMap((update) => restrictionsIn(update) ?? []),
        people: updates.flatMap(fromUsername),
      }
    }
    default:
      return nothing
  }
}

/** Another phone, or another number, of a person whom one of these nodes names. */
function changed(kind: "identity_changed" | "number_changed", ...nodes: BinaryNode[]): Heard {
  const named = nodes.flatMap(({ attrs }) => [attrs.from, attrs.lid, attrs.jid])
  const jid = named.find((each) => isLidUser(each)) ?? named.find((each) => isPnUser(each))
  return { notices: [{ kind, jid: jid && jidNormalizedUser(jid) }], people: [] }
}

/** `<modify><participant jid/></modify>` */
function fromMember(change: BinaryNode | undefined): Heard {
  return change ? changed("number_changed", ...getBinaryNodeChildren(change, "participant")) : nothing
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
  return { notices: [{ kind: "number_changed", jid: person.lid ?? person.jid }], people: [person] }
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
    // These bytes are no certificate, so they name no business.
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

/** What a notice in GraphQL says of a username (zapo, `mex-notification.ts`). */
const Usernames = z.object({
  data: z.object({
    xwa2_notify_username_on_change: z.object({ lid: z.string(), username: z.string() }).nullish(),
    xwa2_notify_username_delete: z.object({ lid: z.string() }).nullish(),
  }),
})

/** A person who has another username, or none any more. */
function fromUsername({ content }: BinaryNode): Acquaintance[] {
  const { data } = Usernames.safeParse(jsonIn(content)).data ?? {}
  const { xwa2_notify_username_on_change: set, xwa2_notify_username_delete: gone } = data ?? {}
  const lid = set?.lid ?? gone?.lid
  const username = set ? usernameIn(set.username) : ""
  if (!isLidUser(lid) || username === undefined) return []
  return [{ lid: jidNormalizedUser(lid), username, ofContactsOnly: true }]
}

/** Messages that this release cannot read, or that a bridge has no use for. */
function fromMessage(node: BinaryNode): Notice[] {
  const { attrs, content } = node
  if (attrs.from?.endsWith("@newsletter")) return [{ kind: "newsletter" }]
  const parts = Array.isArray(content) ? content : []
  const isBots = parts.some((part) => part.tag === "enc" && part.attrs.type === "msmsg")
  if (isBots) return [{ kind: "bot_message" }]
  if (attrs.category !== "peer" && !parts.some(isReadable)) return [{ kind: "unreadable_message" }]
  const placeholder = placeholderIn(node)
  if (placeholder === "withheld") return [{ kind: "withheld_message" }]
  return placeholder === "old" ? [{ kind: "old_placeholder" }] : []
}

/** Ciphertexts that this release decrypts, and what stands in the place of one. */
const ciphertexts = new Set(["pkmsg", "msg", "skmsg"])

function isReadable({ tag, attrs }: BinaryNode): boolean {
  return tag === "plaintext" || tag === "unavailable" || (tag === "enc" && ciphertexts.has(attrs.type ?? ""))
}

function isPerson(jid: string | undefined): jid is string {
  return isPnUser(jid) === true || isLidUser(jid) === true
}
