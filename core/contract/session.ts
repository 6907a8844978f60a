import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { body, refusals, reply } from "./reply.ts"

const proxy = "/api/instances/{customer_ref}/proxy"

export const Status = z.enum([
  "unpaired",
  "connecting",
  "connected",
  "disconnected",
  "replaced",
  "passkey_required",
])
export type Status = z.infer<typeof Status>

/** §2.2. Unknown fields are `""`, never absent. */
export const SessionStatus = z
  .object({ status: Status, jid: z.string(), lid: z.string(), name: z.string(), phone: z.string() })
  .openapi("SessionStatus")

/** A chat as a caller may name it (decisions, "Messages"). */
export const Chat = z
  .string()
  .regex(
    /^(?:\+?\d{7,15}|\d{7,15}@s\.whatsapp\.net|\d{1,20}@lid|\d{1,20}(?:-\d{1,20})?@g\.us)$/,
    "7 to 15 digits, or a JID: <digits>@s.whatsapp.net, <digits>@lid, <id>@g.us",
  )

/** What a person reads. The network takes neither half characters nor NUL. */
const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "must be well-formed Unicode without NUL")

/** §2.3 */
export const SendResult = z
  .object({ message_id: z.string(), timestamp: z.number().int() })
  .openapi("SendResult")

/** §2.4 */
export const Attempt = z
  .object({
    attempt: z.number().int(),
    error: z.string(),
    event: z.string(),
    event_id: z.string(),
    latency_ms: z.number().int(),
    status_code: z.number().int(),
    success: z.boolean(),
    timestamp: z.string(),
  })
  .openapi("DeliveryAttempt")
export type Attempt = z.infer<typeof Attempt>

/** §2.10, with true figures of the host process under the specification's names (decisions, "Session"). */
export const DebugStats = z
  .object({
    gc_cycles: z.number(),
    goroutines: z.number(),
    heap_alloc_mb: z.number(),
    heap_objects: z.number(),
    heap_sys_mb: z.number(),
    media_cache_size: z.number(),
    next_gc_mb: z.number(),
    total_alloc_mb: z.number(),
  })
  .openapi("DebugStats")

const unreachable = ["not_found", "bridge_paused"] as const

export const status = createRoute({
  method: "get",
  path: `${proxy}/status`,
  summary: "The state of the session",
  request: { params: path },
  responses: { 200: reply("The session.", SessionStatus), ...refusals(...unreachable) },
})

export const qr = createRoute({
  method: "get",
  path: `${proxy}/qr`,
  summary: "The QR code that links the session, as it is now",
  request: { params: path },
  responses: {
    200: {
      description: "A PNG. `X-QR-Expires` says until when it holds (Unix seconds).",
      content: { "image/png": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...refusals(...unreachable, "already_paired"),
  },
})

export const webhookLogs = createRoute({
  method: "get",
  path: `${proxy}/webhook-logs`,
  summary: "The latest delivery attempts, newest first",
  request: { params: path },
  responses: { 200: reply("At most 200 attempts.", z.array(Attempt)), ...refusals(...unreachable) },
})

export const sendText = createRoute({
  method: "post",
  path: `${proxy}/send/text`,
  summary: "Send a text message",
  request: {
    params: path,
    body: body(z.object({ chat: Chat, body: Text.min(1).max(65_536) }).openapi("SendText")),
  },
  responses: {
    200: reply("The network has acknowledged the message.", SendResult),
    ...refusals(
      ...unreachable,
      "not_paired",
      "recipient_not_found",
      "network_rejected",
      "send_outcome_unknown",
    ),
  },
})

export const healthz = createRoute({
  method: "get",
  path: `${proxy}/healthz`,
  summary: "Whether the process of the session is up",
  request: { params: path },
  responses: { 200: reply("It is.", z.object({ ok: z.literal(true) })), ...refusals(...unreachable) },
})

export const debugStats = createRoute({
  method: "get",
  path: `${proxy}/debug/stats`,
  summary: "Figures of the process that holds the session",
  request: { params: path },
  responses: { 200: reply("The figures.", DebugStats), ...refusals(...unreachable) },
})
