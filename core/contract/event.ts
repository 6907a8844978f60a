import { z } from "@hono/zod-openapi"

/** §6.2. What a customer gets of a message, inbound or written on the phone or another device. */
export const MessageEvent = z.object({
  event: z.literal("message"),
  message_id: z.string(),
  contact_id: z.string(),
  phone: z.string(),
  chat_id: z.string(),
  name: z.string(),
  body: z.string(),
  type: z.enum(["text", "media", "reaction", "poll", "location", "event"]),
  media_type: z.enum(["", "image", "video", "audio", "voice", "document", "sticker"]),
  is_group: z.boolean(),
  from_me: z.boolean(),
  timestamp: z.number().int(),
  quoted: z
    .object({ message_id: z.string(), contact_id: z.string(), body: z.string(), type: z.string() })
    .optional(),
  mentions: z.array(z.string()).optional(),
  forwarded: z.boolean().optional(),
  offline: z.boolean().optional(),
})

export const ConnectedEvent = z.object({ event: z.literal("connected"), phone: z.string() })

export const DisconnectedEvent = z.object({
  event: z.literal("disconnected"),
  reason: z.enum(["logged_out", "stream_replaced"]).optional(),
  detail: z.string().optional(),
})

export const OfflineSyncPreviewEvent = z.object({
  event: z.literal("offline_sync_preview"),
  total: z.number().int(),
  messages: z.number().int(),
  notifications: z.number().int(),
  receipts: z.number().int(),
  app_data_changes: z.number().int(),
})

export const OfflineSyncCompletedEvent = z.object({
  event: z.literal("offline_sync_completed"),
  count: z.number().int(),
})

export const Event = z.discriminatedUnion("event", [
  MessageEvent,
  ConnectedEvent,
  DisconnectedEvent,
  OfflineSyncPreviewEvent,
  OfflineSyncCompletedEvent,
])
export type Event = z.infer<typeof Event>
