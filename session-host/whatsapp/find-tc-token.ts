import { areJidsSameUser, type WASocket } from "@whiskeysockets/baileys"
import { buildTcTokenFromJid } from "@whiskeysockets/baileys/lib/Utils/tc-token-utils.js"

/**
 * The token that this person has given us (`tctoken`). Baileys puts the token into messages and into
 * questions for pictures and presence; other questions take it from here. For ourselves there is none: the
 * network leaves a question with our own token unanswered.
 */
export async function tokenGivenBy(
  { authState, signalRepository }: Pick<WASocket, "authState" | "signalRepository">,
  jid: string,
  me: string,
): Promise<Uint8Array | undefined> {
  const { lidMapping } = signalRepository
  if (areJidsSameUser(jid, me) || areJidsSameUser(jid, authState.creds.me?.lid)) return undefined
  const [node] =
    (await buildTcTokenFromJid({ authState, jid, getLIDForPN: (pn) => lidMapping.getLIDForPN(pn) })) ?? []
  return node?.content instanceof Uint8Array ? node.content : undefined
}
