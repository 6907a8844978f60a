import type { Logger } from "#core/platform/log.ts"
import type { Chats } from "../chats/chats.ts"
import type { History } from "../chats/keep-history.ts"
import type { Condition } from "../concurrency/condition.ts"
import type { OccurrenceNumbers } from "../content/connection.ts"
import { mapNonMessage } from "../content/map-non-message.ts"
import { phonesOf } from "../content/map-received.ts"
import { lidsInStanza } from "../content/people-in-stanza.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection } from "../network/connection.ts"
import { type News, nobody } from "../network/happening.ts"
import type { Stanza } from "../network/stanza.ts"
import type { Contacts } from "../people/contacts.ts"
import type { Say } from "../say-in-log.ts"
import { newNoticing } from "./log-notices.ts"
import type { EventOutbox } from "./outbox.ts"

/** The parts of a session's memory that news goes to. */
export interface NewsParts {
  readonly vault: SessionVault
  readonly contacts: Contacts
  chats: Chats
  history: History
  /** `intake.ts` */
  intake: { recordRevealKey: (keyId: string, key: Uint8Array) => Promise<void> }
  outbox: EventOutbox
  standing: LoginStanding
  /** `session-host/send/statuses.ts` */
  statuses: { ackedLate: (messageId: string, timestamp: number) => Promise<void> }
}

interface Input {
  memory: NewsParts
  /** The session's connection, which may be asked for more. */
  connection: () => Pick<Connection, "phonesOf"> | undefined
  say: Say
  changes: Pick<Condition, "notify">
  log: Logger
}

/**
 * Takes in what the network says beside messages. A failure is logged, and the work goes on with the next
 * piece of news.
 */
export function newTakingNews({
  memory,
  connection,
  say,
  changes,
  log,
}: Input): (news: News, at: OccurrenceNumbers) => void {
  const notice = newNoticing({ memory, say, changes })
  /** The number of stanzas so far that may have become events. */
  let stanzas = 0
  const phones = (lids: string[], chat?: string) => phonesOf(lids, { connection: connection(), log }, chat)

  async function append(stanza: Stanza, at: OccurrenceNumbers): Promise<void> {
    const place = { ...at, stanza: ++stanzas }
    await memory.outbox.append(async () => {
      const known = await phones(lidsInStanza(stanza), stanza.attrs.from)
      return mapNonMessage(stanza, { own: memory.vault.login ?? nobody, phones: known }, place)
    })
  }

  async function applyNews(news: News, at: OccurrenceNumbers): Promise<void> {
    switch (news.kind) {
      case "stanza":
        return await append(news.stanza, at)
      case "people":
        return await memory.contacts.learn(news.people, (lids) => phones(lids))
      case "chats":
        return await memory.chats.set(news.settings)
      case "history":
        return await memory.history.addChat(news.chat)
      case "revealed":
        return await memory.intake.recordRevealKey(news.keyId, news.key)
      case "notice":
        return await notice(news.notice)
      case "acknowledged":
        return await memory.statuses.ackedLate(news.messageId, news.timestamp)
    }
  }

  return (news, at) =>
    void applyNews(news, at)
      .catch(logNotWritten(log))
      .finally("onTaken" in news ? news.onTaken : undefined)
}

/**
 * Logs why something that arrived is lost, unless the session has ended: then it comes again, or is not
 * wanted any more.
 */
export function logNotWritten(log: Logger): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof SessionEnded)) log.error({ error }, "something that arrived was not written")
  }
}
