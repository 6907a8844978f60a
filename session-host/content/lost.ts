import { isGroup } from "#core/message/jid.ts"
import { type AboutInput, aboutOf } from "./chat-and-sender.ts"
import type { Mapped } from "./mapped.ts"
import { eventIdentityOf } from "./message-identity.ts"

/**
 * The event of a message that neither the network nor the phone has sent. Its identity is not that of the
 * message, since the message may still come.
 */
export function fromLost(input: AboutInput): Mapped[] {
  const about = aboutOf(input)
  if (!about) return []
  return [
    {
      identity: ["message_lost", ...eventIdentityOf(about.identity)],
      event: { event: "message_lost", ...about.common, is_group: isGroup(about.chat) },
      mayRepeat: true,
    },
  ]
}
