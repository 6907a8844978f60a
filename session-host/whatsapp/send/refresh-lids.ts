import {
  type BinaryNode,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  type WASocket,
} from "@whiskeysockets/baileys"
import { askForLids } from "../../network/ask-about-people.ts"
import type { Acquaintance } from "../../network/happening.ts"
import { askNetwork } from "../questions/ask.ts"

interface Input {
  sock: Pick<WASocket, "query" | "signalRepository">
  reportPeople: (people: Acquaintance[]) => void
  onError: (error: unknown) => void
}

/**
 * Takes `<ack class="message">`. With `refresh_lid` it says that the chat's private id is a former one. The
 * network is asked for the person's present one by their number, as WhatsApp Web does (whatsapp-rust,
 * `lid_pn.rs`): one question at a time for each person, since each message of a burst is acknowledged like
 * this.
 */
export function newLidRefresh({ sock, reportPeople, onError }: Input): (ack: BinaryNode) => void {
  const { lidMapping } = sock.signalRepository
  const asking = new Set<string>()

  async function refresh(chat: string): Promise<void> {
    const number = isLidUser(chat) ? await lidMapping.getPNForLID(chat) : chat
    const jid = jidNormalizedUser(number ?? undefined)
    // If the number was never known, nothing is kept that could be out of date.
    if (!isPnUser(jid) || asking.has(jid)) return
    asking.add(jid)
    try {
      const pairs = await askForLids({ ask: (question) => askNetwork(sock, question) }, [jid])
      await lidMapping.storeLIDPNMappings(pairs)
      reportPeople(pairs.map(({ pn, lid }) => ({ jid: pn, lid, ofContactsOnly: true })))
    } finally {
      asking.delete(jid)
    }
  }
  return ({ attrs }) => {
    if (attrs.refresh_lid === "true" && attrs.from) refresh(jidNormalizedUser(attrs.from)).catch(onError)
  }
}
