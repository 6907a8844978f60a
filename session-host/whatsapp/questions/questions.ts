import {
  type BinaryNode,
  decodeMessageNode,
  isLidUser,
  jidNormalizedUser,
  proto,
  type AuthenticationCreds,
  type WAMessageKey,
  type WASocket,
} from "@whiskeysockets/baileys"
import { userOf } from "#core/message/jid.ts"
import { hasTwoSpellings, spellingsOf } from "#core/message/spellings.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Connection, Oldest, Question } from "#session-host/network/connection.ts"
import type { Acquaintance } from "#session-host/network/happening.ts"
import { child, type Stanza } from "#session-host/network/stanza.ts"
import type { GroupCache } from "#session-host/whatsapp/send/group-cache.ts"
import { findRegistered } from "../../network/ask-about-people.ts"
import type { AnswerOrEnd } from "../answer-unless-ended.ts"
import { tokenGivenBy } from "../find-tc-token.ts"
import { askForLinkCode } from "../login/link-code.ts"
import type { ILogger } from "../quiet-log.ts"
import type { ShowAsAvailable } from "../show-as-available.ts"
import type { Keys } from "../signal/keys.ts"
import { answerInTime, askNetwork } from "./ask.ts"
import { bringAgain } from "./media-retry.ts"
import { storePairs, type MembersInput, newMembers } from "./members.ts"
import { reactToPost } from "./react-to-post.ts"
import { rejectCall, type newCallers } from "./reject-call.ts"
import { type MediaInput, newMedia, askForPictureUrl } from "./upload-and-media-host.ts"

interface Input extends Pick<MediaInput, "uploadAgent" | "toFiles">, MembersInput {
  sock: WASocket
  creds: AuthenticationCreds
  log: ILogger
  answerOrEnd: AnswerOrEnd
  availability: ShowAsAvailable
  calls: ReturnType<typeof newCallers>
  groups: MembersInput["groups"] & Pick<GroupCache, "asked">
  reportPeople: (people: Acquaintance[]) => void
}

/** What a connection asks of the network. */
type Questions = Omit<
  Connection,
  | "send"
  | "changeSetting"
  | "settings"
  | "showName"
  | "keepTimer"
  | "answerPasskey"
  | "isInGroup"
  | "mayWriteIn"
  | "timerOf"
  | "isByLid"
  | "networkTime"
  | "logout"
  | "close"
>

/** Everything that a connection can do besides sending messages. */
export function newQuestions(input: Input): Questions {
  const { sock, creds, keys, log, answerOrEnd, availability, calls, groups, reportPeople } = input
  const { lidMapping } = sock.signalRepository
  const asked = async (question: Question) => {
    let answer: Stanza | undefined
    try {
      answer = await answerOrEnd(askNetwork(sock, question))
    } finally {
      groups.asked(question, answer)
    }
    if (question.xmlns === "w:g2" && !child(answer, "groups")) await answerOrEnd(storePairs(sock, answer))
    return answer
  }
  const members = newMembers(input)
  const phonesOf = async (jids: string[]) => {
    const known = (await lidMapping.getPNsForLIDs(jids)) ?? []
    return new Map([
      ...known.map(({ lid, pn }) => [lid, jidNormalizedUser(pn)] as const),
      ...(await findRespelt(keys, jids)),
    ])
  }
  const media = newMedia({ ...input, ask: asked })
  const me = () => creds.me?.id ?? ""
  const tokenOf = (jid: string) => answerOrEnd(tokenGivenBy(sock, jid, me()))
  // Nothing in the network's answer says which number it is about.
  const linkCodes = newTurns()
  return {
    ask: asked,
    linkCode: (phone) => answerOrEnd(linkCodes(() => askForLinkCode(sock, phone))),
    async registered(phones) {
      const found = await findRegistered({ ask: asked }, phones)
      const named = [...found.values()].filter(({ lid }) => lid !== "")
      await answerOrEnd(lidMapping.storeLIDPNMappings(named.map(({ jid, lid }) => ({ pn: jid, lid }))))
      reportPeople(named.map(({ jid, lid }) => ({ jid, lid, ofContactsOnly: true })))
      return found
    },
    showTyping: (chat, state) => answerOrEnd(showTyping(sock, chat, state)),
    setAvailable: (isAvailable) => answerOrEnd(availability.set(isAvailable)),
    watch: (jid) => answerOrEnd(sock.presenceSubscribe(jid)),
    reactToPost: (reaction) => answerOrEnd(reactToPost(sock, reaction)),
    async rejectCall({ id, caller: asked }) {
      const caller = calls.callerOf(id) ?? asked
      await answerOrEnd(rejectCall(sock, { id, caller, me: me() }))
    },
    pictureUrl: (jid) => answerOrEnd(askForPictureUrl(sock, jid)),
    markRead: (message) => answerOrEnd(answerInTime(sock.readMessages([message]))),
    upload: (file) => answerOrEnd(media.upload(file)),
    mediaHost: () => media.mediaHost(),
    toFiles: media.toFiles,
    bringAgain: (missed) => answerOrEnd(bringAgain(sock, missed, { me: me(), log })),
    async askPhoneFor(attrs) {
      const { key } = decodeMessageNode({ tag: "message", attrs }, me(), creds.me?.lid ?? "").fullMessage
      await answerOrEnd(askPhoneFor(sock, key))
    },
    askPhoneForOlder: (oldest, count) => answerOrEnd(askPhoneForOlder(sock, oldest, count)),
    tokenOf,
    async phonesOf(jids, group) {
      const known = await phonesOf(jids)
      const isComplete = group === undefined || jids.every((jid) => known.has(jid) || !isLidUser(jid))
      return isComplete || !(await members.nameMembers(group)) ? known : await phonesOf(jids)
    },
    rightsIn: (group, jid) => members.rightsIn(group, jid),
  }
}

/** Asks the account's phone for a message that could not be read here. */
async function askPhoneFor(
  sock: WASocket,
  { remoteJid, fromMe, id, participant }: WAMessageKey,
): Promise<void> {
  // Baileys has a function for this, with a time limit of its own.
  await sock.sendPeerDataOperationMessage({
    placeholderMessageResendRequest: [{ messageKey: { remoteJid, fromMe, id, participant } }],
    peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
  })
}

/** Asks the account's phone for messages of a chat before this one (Contract, "Older messages"). */
async function askPhoneForOlder(sock: WASocket, oldest: Oldest, count: number): Promise<void> {
  await sock.sendPeerDataOperationMessage({
    historySyncOnDemandRequest: {
      chatJid: oldest.chat,
      oldestMsgId: oldest.id,
      oldestMsgFromMe: oldest.fromMe,
      // Phones want seconds, whatever the field's name says: whatsmeow's `BuildHistorySyncRequest`.
      oldestMsgTimestampMs: oldest.timestamp,
      onDemandMsgCount: count,
    },
    peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.HISTORY_SYNC_ON_DEMAND,
  })
}

/**
 * Finds the numbers that the network spells otherwise, each with its other spelling: the network has given a
 * private id of that one alone.
 */
async function findRespelt(keys: Pick<Keys, "get">, jids: string[]): Promise<[string, string][]> {
  const spelt = jids.filter(hasTwoSpellings).map(spellingsOf)
  if (spelt.length === 0) return []
  const lids = await keys.get("lid-mapping", spelt.flat().map(userOf))
  return spelt.flatMap(([jid, other = ""]): [string, string][] =>
    lids[userOf(other)] && !lids[userOf(jid)] ? [[jid, other]] : [],
  )
}

/**
 * Shows that the account is typing. Baileys would also name the account, which WhatsApp Web leaves to the
 * network.
 */
async function showTyping(
  sock: Pick<WASocket, "sendNode">,
  to: string,
  state: Parameters<Connection["showTyping"]>[1],
): Promise<void> {
  const shown: BinaryNode =
    state === "recording" ? { tag: "composing", attrs: { media: "audio" } } : { tag: state, attrs: {} }
  await sock.sendNode({ tag: "chatstate", attrs: { to }, content: [shown] })
}
