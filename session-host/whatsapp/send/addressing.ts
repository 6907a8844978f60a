import {
  type AuthenticationCreds,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  proto,
  type WASocket,
} from "@whiskeysockets/baileys"
import { changeAdditionalData, additionalDataOf } from "../additional-data.ts"

interface Input {
  sock: Pick<WASocket, "signalRepository">
  creds: AuthenticationCreds
  commitCreds: () => void
}

export interface Addressing {
  /** Gets every frame that comes in. */
  onFrame: (frame: BinaryNode) => void
  /** The address under which a message to this chat leaves. */
  addressOf: (chat: string) => Promise<string>
  /**
   * The attribute of a message that says the other address of the person to whom it goes. Without it the
   * owner's phone, which may know the person by that address alone, opens a second chat without a name
   * (whatsmeow 1009; WhatsApp Web sends the attribute).
   */
  otherNameOf: (chat: string) => Promise<Record<string, string>>
}

/** The account's property `lid_one_on_one_migration_enabled`. */
const movedProperty = "9435"

/**
 * How an account addresses people. The network refuses (400) what an account sends to a private id before its
 * chats were moved to private ids (whatsapp-rust 943), and afterwards may refuse (463) what it sends to a
 * number (Baileys 2683). The network says whether they were moved when a device is linked, and later by a
 * property. If it has said nothing, people are addressed as callers name them.
 */
export function newAddressing({ sock, creds, commitCreds }: Input): Addressing {
  const isByNumber = () => additionalDataOf(creds).byNumber
  const set = (byNumber: boolean | undefined) => {
    if (byNumber === undefined || byNumber === isByNumber()) return
    changeAdditionalData(creds, { byNumber })
    commitCreds()
  }
  return {
    onFrame(frame) {
      if (frame.tag !== "iq") return
      const linked = getBinaryNodeChild(frame, "pair-success")
      if (linked) set(isUnmoved(getBinaryNodeChild(linked, "client-props")))
      if (saysMoved(getBinaryNodeChild(frame, "props"))) set(false)
    },
    async addressOf(chat) {
      const byNumber = isByNumber()
      const { lidMapping } = sock.signalRepository
      if (byNumber === undefined && isPnUser(chat)) return chat
      // A private id may be a former one: the present one is found by the number.
      const number = isLidUser(chat) ? await lidMapping.getPNForLID(chat) : chat
      const other = byNumber || !isPnUser(number ?? "") ? number : await lidMapping.getLIDForPN(number!)
      return jidNormalizedUser(other ?? chat)
    },
    async otherNameOf(chat): Promise<Record<string, string>> {
      const { lidMapping } = sock.signalRepository
      const number = isLidUser(chat) ? await lidMapping.getPNForLID(chat) : undefined
      if (number) return { peer_recipient_pn: jidNormalizedUser(number) }
      const lid = isPnUser(chat) ? await lidMapping.getLIDForPN(chat) : undefined
      return lid ? { peer_recipient_lid: jidNormalizedUser(lid) } : {}
    },
  }
}

/** Whether the account's chats are still by number; undefined if the properties do not say. */
function isUnmoved(props: BinaryNode | undefined): boolean | undefined {
  if (!(props?.content instanceof Uint8Array)) return undefined
  try {
    return !proto.ClientPairingProps.decode(props.content).isChatDbLidMigrated
  } catch {
    // The properties are not readable, so nothing is known.
    return undefined
  }
}

function saysMoved(props: BinaryNode | undefined): boolean {
  return getBinaryNodeChildren(props, "prop").some(
    ({ attrs }) =>
      attrs.config_code === movedProperty && ["1", "true"].includes(attrs.config_value?.toLowerCase() ?? ""),
  )
}
