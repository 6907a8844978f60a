import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  jidNormalizedUser,
  type BinaryNode,
} from "@whiskeysockets/baileys"
import { usernameIn } from "#core/message/jid.ts"
import type { Acquaintance } from "../../network/happening.ts"

/** The visible parts of numbers that a group's card hides, and the members' usernames. */
export function redactedPhonesAndUsernames(answer: BinaryNode): Acquaintance[] {
  if (answer.tag !== "iq") return []
  const groups = [
    ...getBinaryNodeChildren(answer, "group"),
    ...getBinaryNodeChildren(getBinaryNodeChild(answer, "groups"), "group"),
  ]
  return groups
    .flatMap((group) => getBinaryNodeChildren(group, "participant"))
    .flatMap(({ attrs }) => {
      const { jid, display_name: redactedPhone } = attrs
      const username = usernameIn(attrs.participant_username ?? attrs.username)
      if (!isLidUser(jid) || !(redactedPhone || username)) return []
      return [{ lid: jidNormalizedUser(jid), redactedPhone, username, ofContactsOnly: true as const }]
    })
}
