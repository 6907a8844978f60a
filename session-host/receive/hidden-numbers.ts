import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  jidNormalizedUser,
  type BinaryNode,
} from "@whiskeysockets/baileys"
import type { Acquaintance } from "../network/connection.ts"

/** The visible parts of numbers that a group's card hides. */
export function hiddenNumbersIn(answer: BinaryNode): Acquaintance[] {
  if (answer.tag !== "iq") return []
  const groups = [
    ...getBinaryNodeChildren(answer, "group"),
    ...getBinaryNodeChildren(getBinaryNodeChild(answer, "groups"), "group"),
  ]
  return groups
    .flatMap((group) => getBinaryNodeChildren(group, "participant"))
    .flatMap(({ attrs }) => {
      const { jid, display_name: redactedPhone } = attrs
      if (!isLidUser(jid) || !redactedPhone) return []
      return [{ lid: jidNormalizedUser(jid), redactedPhone, ofContactsOnly: true as const }]
    })
}
