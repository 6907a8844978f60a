import type { z } from "zod"
import type { BridgeWithManager } from "#contract/bridge.ts"
import type { Chat as ChatSchema, KeptMessage } from "#contract/chat.ts"
import type { checkContacts } from "#contract/contact.ts"
import type { Group as GroupSchema, GroupWithMembers } from "#contract/group.ts"
import type { getMessage, SendResult, SentMessage } from "#contract/message.ts"
import type { SessionStatus } from "#contract/session.ts"
import type { Webhook as WebhookSchema } from "#contract/webhook.ts"

// What our API answers both dialects, as the contract has it.

export type Bridge = z.infer<typeof BridgeWithManager>
export type Chat = z.infer<typeof ChatSchema>
export type Checks = Of<typeof checkContacts>
export type Found = Of<typeof getMessage>
export type Group = z.infer<typeof GroupSchema>
export type Kept = z.infer<typeof KeptMessage>
export type Remembered = z.infer<typeof SentMessage>
export type Sent = z.infer<typeof SendResult>
export type Status = z.infer<typeof SessionStatus>
export type Webhook = z.infer<typeof WebhookSchema>
export type WholeGroup = z.infer<typeof GroupWithMembers>

/** What a route answers when it succeeds. */
type Of<Route extends { responses: { 200: { content: { "application/json": { schema: z.ZodType } } } } }> =
  z.infer<Route["responses"][200]["content"]["application/json"]["schema"]>
