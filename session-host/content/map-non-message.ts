import type { Stanza } from "../network/stanza.ts"
import { fromCall } from "./call.ts"
import type { OccurrenceNumbers } from "./connection.ts"
import { fromGroupNews, isGroupNews } from "./group.ts"
import type { Mapped } from "./mapped.ts"
import { fromInfo } from "./offline-sync.ts"
import { fromPictureNotification } from "./own-picture.ts"
import type { KnownPeople } from "./people-in-stanza.ts"
import { fromPresence } from "./presence.ts"
import { fromChatState } from "./typing.ts"

/** The events of a stanza that is no message. */
export function mapNonMessage(stanza: Stanza, known: KnownPeople, at: OccurrenceNumbers): Mapped[] {
  switch (stanza.tag) {
    case "ib":
      return fromInfo(stanza, at)
    case "call":
      return fromCall(stanza, known)
    case "chatstate":
      return fromChatState(stanza, known, at)
    case "presence":
      return fromPresence(stanza, known, at)
    case "notification":
      if (isGroupNews(stanza)) return fromGroupNews(stanza, known)
      return stanza.attrs.type === "picture" ? fromPictureNotification(stanza, known) : []
    default:
      return []
  }
}
