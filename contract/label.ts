import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { ChatAddress, MessageId, someOf, string, visibleName } from "./field-types.ts"
import { body, codesOfNetwork, Ok, proxy, refusals, reply } from "./route-parts.ts"

// Labels of WhatsApp Business. Other accounts have none: 409 `not_business`.

const LabelId = z
  .string()
  .regex(/^[0-9]{1,10}$/, "the id of a label: listLabels has them")
  .openapi({ description: "The id of a label.", example: "3" })

/** WhatsApp has twenty colours. */
const Color = z
  .int()
  .min(0)
  .max(19)
  .openapi({ description: "One of WhatsApp's twenty colours, by its number." })

const Label = z
  .object({ id: z.string(), name: z.string(), color: z.int() })
  .openapi("Label", { description: "A label, as the phone has it." })

const codes = [...codesOfNetwork, "not_business"] as const
const label = path.extend({ id: LabelId })

export const listLabels = createRoute({
  method: "get",
  path: `${proxy}/labels` as const,
  summary: "The labels of a business",
  request: {
    params: path,
    query: z.object({
      chat: ChatAddress.optional().openapi({ description: "Only those that this chat has." }),
    }),
  },
  responses: { 200: reply("The labels, by id.", z.array(Label)), ...refusals(...codes) },
})

export const createLabel = createRoute({
  method: "post",
  path: `${proxy}/labels` as const,
  summary: "Make a label",
  description: "If there is one of this name, that one is answered.",
  request: {
    params: path,
    body: body(z.object({ name: visibleName(100), color: Color.default(0) })),
  },
  responses: { 200: reply("The label.", Label), ...refusals(...codes) },
})

export const updateLabel = createRoute({
  method: "patch",
  path: `${proxy}/labels/{id}` as const,
  summary: "Change the name or the colour of a label",
  request: {
    params: label,
    body: body(someOf(z.object({ name: visibleName(100), color: Color }).partial())),
  },
  responses: { 200: reply("The label, as it is now.", Label), ...refusals(...codes) },
})

export const removeLabel = createRoute({
  method: "delete",
  path: `${proxy}/labels/{id}` as const,
  summary: "Delete a label; the chats that have it stay",
  request: { params: label },
  responses: { 200: reply("Deleted.", Ok), ...refusals(...codes) },
})

const Labelled = z
  .object({
    chat_id: string("As in events."),
    message_id: string("Absent: the whole chat has the label.").optional(),
  })
  .openapi("Labelled")

export const listLabelled = createRoute({
  method: "get",
  path: `${proxy}/labels/{id}/chats` as const,
  summary: "The chats and messages that have a label",
  request: { params: label },
  responses: { 200: reply("In no order.", z.array(Labelled)), ...refusals(...codes) },
})

const ofChat = {
  params: label.extend({ chat: ChatAddress }),
  query: z.object({
    message_id: MessageId.optional().openapi({
      description: "A message of this chat that is meant, in place of the chat itself.",
    }),
  }),
}

export const labelChat = createRoute({
  method: "put",
  path: `${proxy}/labels/{id}/chats/{chat}` as const,
  summary: "Put a label on a chat or a message",
  request: ofChat,
  responses: { 200: reply("It has the label.", Ok), ...refusals(...codes) },
})

export const unlabelChat = createRoute({
  method: "delete",
  path: `${proxy}/labels/{id}/chats/{chat}` as const,
  summary: "Take a label off a chat or a message",
  request: ofChat,
  responses: { 200: reply("It has not the label.", Ok), ...refusals(...codes) },
})
