import { usuallyValidFor } from "#contract/planned.ts"
import { ApiError, invalid } from "#core/error.ts"
import { statusChat, toJid } from "#core/message/jid.ts"
import { chatOf } from "../send/plans.ts"
import type { Called } from "./command.ts"

/** In bytes of JSON: a row holds 400 KB. */
const largest = 300_000

/** A send with a time. */
export interface PlannedBody {
  [field: string]: unknown
  send_at: number
  valid_for?: number
}

/** Whether a call asks for a send that is to go later (Contract, "Planned sends"). */
export function isPlanned(path: string, body: unknown): body is PlannedBody {
  return path.startsWith("/send/") && typeof body === "object" && body !== null && "send_at" in body
}

/**
 * Plans a send, and answers with its id.
 * @param path of the send at a host
 * @throws ApiError
 */
export async function planSend(
  path: string,
  { session, call }: Pick<Called, "session" | "call">,
  { send_at: sendAt, valid_for: validFor = usuallyValidFor, ...body }: PlannedBody,
): Promise<Response> {
  await (await session.linking()).paired()
  const { messageId, requestId } = call
  if (!messageId) throw new ApiError("invalid_request", "the call names no message id")
  if (body.file !== undefined) throw invalid([{ path: "file", message: noUpload }])
  if (Buffer.byteLength(JSON.stringify(body)) > largest) throw new ApiError("payload_too_large", tooLarge)
  const { plans, vault } = await session.memory()
  const planned = await plans.add({ messageId, path, body, requestId, sendAt, validFor })
  const chat = chatOf(body)
  const chat_id = chat === statusChat ? chat : await vault.phoneOf(toJid(chat))
  const answer = { message_id: messageId, chat_id, timestamp: planned.sendAt, state: "planned" }
  return keptResponse(answer, planned.isRepeat)
}

/** An answer that the session's rows give to a retry, too. */
export function keptResponse(answer: object, isRepeat: boolean): Response {
  const headers = { "x-send-kept": "true", ...(isRepeat && { "x-send-repeated": "true" }) }
  return Response.json(answer, { headers })
}

const noUpload =
  "an upload is kept for 24 hours only, and may be gone when the message is due: give a `url`, which is fetched then"
const tooLarge = "a planned message may have 300 KB: give a `url`, which is fetched when it is due"
