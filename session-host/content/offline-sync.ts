import type { Stanza } from "../network/stanza.ts"
import { type OccurrenceNumbers, identity } from "./connection.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"

/**
 * The beginning and the end of what happened while the session was offline: `<ib><offline_preview/></ib>`,
 * `<ib><offline/></ib>`.
 */
export function fromInfo(info: Stanza, at: OccurrenceNumbers): Mapped[] {
  const [child] = info.children
  if (!child) return []
  const count = (name: string) => wholeNumber(child.attrs[name])
  switch (child.tag) {
    case "offline_preview":
      return [
        {
          identity: identity("offline_sync_preview", at),
          event: {
            event: "offline_sync_preview",
            total: count("count"),
            messages: count("message"),
            notifications: count("notification"),
            receipts: count("receipt"),
            app_data_changes: count("appdata"),
          },
        },
      ]
    case "offline":
      return [
        {
          identity: identity("offline_sync_completed", at),
          event: { event: "offline_sync_completed", count: count("count") },
        },
      ]
    default:
      return []
  }
}
