import {
  type AuthenticationCreds,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  jidNormalizedUser,
  proto,
  type WASocket,
} from "@whiskeysockets/baileys"
import { z } from "zod"

interface Input {
  sock: Pick<WASocket, "signalRepository">
  creds: AuthenticationCreds
  keepCreds: () => void
}

export interface Addressing {
  /** Takes every frame that comes in. */
  take: (frame: BinaryNode) => void
  /** The address under which a message to this chat leaves. */
  addressOf: (chat: string) => Promise<string>
}

/** Kept with the credentials: the account's chats were not moved to private ids yet. */
const Kept = z.object({ byNumber: z.boolean().default(false) }).catch({ byNumber: false })

/** The account's property `lid_one_on_one_migration_enabled`. */
const movedProperty = "9435"

/**
 * How an account addresses people. The network refuses (400) what an account sends to a private id before its chats were
 * moved to these (whatsapp-rust 943). It says whether they were when a device is linked, and later by a property. An account
 * of which it says nothing writes to people as they are named.
 */
export function newAddressing({ sock, creds, keepCreds }: Input): Addressing {
  const isByNumber = () => Kept.parse(creds.additionalData).byNumber
  const set = (byNumber: boolean) => {
    if (byNumber === isByNumber()) return
    creds.additionalData = { byNumber }
    keepCreds()
  }
  return {
    take(frame) {
      if (frame.tag !== "iq") return
      const linked = getBinaryNodeChild(frame, "pair-success")
      if (linked) set(isUnmoved(getBinaryNodeChild(linked, "client-props")))
      if (isByNumber() && saysMoved(getBinaryNodeChild(frame, "props"))) set(false)
    },
    async addressOf(chat) {
      if (!isLidUser(chat) || !isByNumber()) return chat
      const number = await sock.signalRepository.lidMapping.getPNForLID(chat)
      return number ? jidNormalizedUser(number) : chat
    },
  }
}

function isUnmoved(props: BinaryNode | undefined): boolean {
  if (!(props?.content instanceof Uint8Array)) return false
  try {
    return !proto.ClientPairingProps.decode(props.content).isChatDbLidMigrated
  } catch {
    // Not readable: nothing is known then.
    return false
  }
}

function saysMoved(props: BinaryNode | undefined): boolean {
  return getBinaryNodeChildren(props, "prop").some(
    ({ attrs }) =>
      attrs.config_code === movedProperty && ["1", "true"].includes(attrs.config_value?.toLowerCase() ?? ""),
  )
}
