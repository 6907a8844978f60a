import type { Stanza } from "../network.ts"
import type { At } from "./connection.ts"
import type { Mapped } from "./mapped.ts"
import { fromInfo } from "./offline-sync.ts"

/** A stanza that passes no journal. */
export function fromStanza(stanza: Stanza, at: At): Mapped[] {
  switch (stanza.tag) {
    case "ib":
      return fromInfo(stanza, at)
    default:
      return []
  }
}
