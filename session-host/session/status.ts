import type { z } from "@hono/zod-openapi"
import type { SessionStatus } from "#contract/session.ts"
import { userOf } from "#core/message/jid.ts"
import type { Uplink } from "../uplink/uplink.ts"
import type { Memory } from "./memory.ts"

/** The answer of a session to a call for its status. */
export function statusOf({
  memory,
  uplink,
}: {
  memory: Memory
  uplink: Uplink
}): z.infer<typeof SessionStatus> {
  const { jid, lid, name } = memory.vault.login ?? { jid: "", lid: "", name: "" }
  const [restriction] = memory.standing.restrictions
  const { passkey } = uplink.linking
  return {
    status: uplink.status,
    jid,
    lid,
    name,
    phone: userOf(jid),
    ...(passkey && { passkey }),
    ...uplink.refusal,
    ...(memory.pacing.newChatsLeft !== undefined && { new_chats_left: memory.pacing.newChatsLeft }),
    ...(restriction && { restriction: restriction.kind, restricted_until: restriction.until }),
  }
}
