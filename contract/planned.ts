import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { ChatId, inQuery, integer, string, text, Timestamp } from "./field-types.ts"
import { codesOfSend, idempotencyHeaders } from "./idempotency-key.ts"
import { body, codesOfSession, Ok, proxy, refusals, reply } from "./route-parts.ts"

const day = 86_400
/** Contract, "Planned sends", in seconds. */
export const usuallyValidFor = 600
/** Contract, "Planned sends": how far ahead a message may be planned, in seconds. */
export const farthest = 366 * day
/** Contract, "Planned sends": how many messages of a bridge may be planned one by one. */
export const mostPlanned = 5000
/** Contract, "Jobs": how many jobs of a bridge may be under way. */
export const mostJobs = 10

const SendAt = z.int().min(1).max(9_999_999_999, "must be in Unix seconds, not milliseconds")
const validFor = z
  .int()
  .min(30)
  .max(7 * day)

/** Contract, "Planned sends": the fields of a send that plan it. */
export const planning = {
  send_at: SendAt.optional().openapi({
    description:
      "Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what " +
      "needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`.",
  }),
  valid_for: validFor.optional().openapi({
    description: `With \`send_at\`: for how many seconds after that it may still go, as when the number is away at its time; by default ${usuallyValidFor}.`,
  }),
}

export const PlannedState = z.enum(["planned", "sent", "failed", "expired", "cancelled"]).openapi({
  description:
    "`sent`: the network has it; the rest is said of the message `message_id`. `failed`: it was refused, or no phone is linked any more. " +
    "`expired`: it could not go by `valid_until`.",
})

/** Contract, "Planned sends" */
export const PlannedSend = z
  .object({
    id: string("Of a message that was planned alone: its `message_id`."),
    message_id: string("The id that the message gets on the network."),
    chat: string('As it was asked for; `""`: a status.'),
    kind: string("The send's path: `text`, `media`, `poll` ..."),
    text: string("Its text, caption or question: the beginning, of at most 1,000 characters."),
    send_at: Timestamp,
    valid_until: Timestamp,
    state: PlannedState,
    job: string("The job that it is of.").optional(),
    sent_at: integer("Of `sent`: when the network had it. Unix seconds.").optional(),
    code: string("Of `failed` and `expired`: why, as a code of errors; of a job also `blocked`.").optional(),
    reason: string("The same, in a sentence for people.").optional(),
  })
  .openapi("PlannedSend")

const JobId = z
  .string()
  .regex(/^job_3EB0[0-9A-F]{18}$/, "not the id of a job")
  .openapi({ example: "job_3EB0A1B2C3D4E5F6A7B8C9" })
const PlannedId = z
  .string()
  .regex(/^(?:3EB0[0-9A-F]{18}|job_3EB0[0-9A-F]{18}-[0-9]{5})$/, "not the id of a planned message")
const planned = {
  params: path.extend({ id: PlannedId }),
  query: z.object({
    chat: ChatId.optional().openapi({ description: "Its chat; one to another chat is then `not_found`." }),
  }),
}

export const listPlanned = createRoute({
  method: "get",
  path: `${proxy}/planned` as const,
  summary: "The messages that are planned, and what became of those that were",
  description:
    "Those that were planned alone, or those of a job. What is over is kept for 7 days. It needs no connection.",
  request: {
    params: path,
    query: z.object({
      state: z.enum(["planned", "over"]).default("planned").openapi({
        description: "`planned`: what is still to go, the next one first. `over`: all else, in no order.",
      }),
      job: JobId.optional().openapi({ description: "Those of this job, in its order." }),
      chat: ChatId.optional().openapi({ description: "Only those to this chat." }),
      limit: inQuery(1, 1000).default(100),
      after: PlannedId.optional().openapi({ description: "The `X-Next-After` of the page before." }),
    }),
  },
  responses: {
    200: reply(
      "A page. The header `X-Next-After` is there while there may be more: give it as `after`.",
      z.array(PlannedSend),
    ),
    ...refusals(...codesOfSession),
  },
})

export const getPlanned = createRoute({
  method: "get",
  path: `${proxy}/planned/{id}` as const,
  summary: "A planned message, and what has become of it",
  request: planned,
  responses: { 200: reply("As it is now.", PlannedSend), ...refusals(...codesOfSession) },
})

export const changePlanned = createRoute({
  method: "patch",
  path: `${proxy}/planned/{id}` as const,
  summary: "Plan a message for another time",
  description: "Of a job, the job's own time holds: `not_planned`.",
  request: {
    ...planned,
    body: body(
      z.object({
        send_at: SendAt.openapi({ description: "Unix seconds. A time that has passed: now." }),
        valid_for: validFor.optional().openapi({ description: "By default as it was." }),
      }),
    ),
  },
  responses: { 200: reply("As it is now.", PlannedSend), ...refusals(...codesOfSession, "not_planned") },
})

export const cancelPlanned = createRoute({
  method: "delete",
  path: `${proxy}/planned/{id}` as const,
  summary: "Cancel a planned message",
  description: "It is certain that it does not go. One whose sending has begun is `not_planned`.",
  request: planned,
  responses: { 200: reply("Cancelled.", Ok), ...refusals(...codesOfSession, "not_planned") },
})

/** Contract, "Jobs" */
export const Job = z
  .object({
    id: JobId,
    name: z.string(),
    state: z.enum(["running", "paused", "stopped", "expired", "done"]).openapi({
      description:
        "`running`: it sends, or waits for its time. `stopped` and `expired`: what is left never goes. `done`: nothing is left.",
    }),
    reason: string("Why it has paused or stopped by itself, in a sentence for people.").optional(),
    text: string("The beginning of its first message."),
    created_at: Timestamp,
    send_at: Timestamp,
    valid_until: Timestamp,
    gap_ms: z.int(),
    total: z.int(),
    sent: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    left: integer("How many have not gone, and did not fail."),
  })
  .openapi("Job")

/** In messages, in milliseconds, and in seconds (Contract, "Jobs"). */
const mostOfJob = 10_000
const usualGapMs = 5000
const usuallyValidJob = day

const Field = z.record(z.string().regex(/^\w{1,40}$/, "not 1 to 40 letters, digits and _"), text(0, 1000))

export const createJob = createRoute({
  method: "post",
  path: `${proxy}/jobs` as const,
  summary: "Send a text to many, slowly",
  description:
    "One message to each chat, in the order of the list: `body`, or the `template` with the message's `fields` in place of `{{name}}`. " +
    "All or none are taken. The body may have 4 MB.",
  request: {
    params: path,
    headers: idempotencyHeaders,
    body: body(
      z.object({
        name: text(1, 100).optional().openapi({ description: "For people." }),
        template: text(1, 65_536).optional(),
        messages: z
          .array(z.object({ chat: ChatId, body: text(1, 65_536).optional(), fields: Field.optional() }))
          .min(1)
          .max(mostOfJob)
          .openapi({ description: "A chat that is named twice is `invalid_request`." }),
        send_at: SendAt.optional().openapi({ description: "When it begins, Unix seconds; by default now." }),
        valid_for: validFor.default(usuallyValidJob).openapi({
          description:
            "For how many seconds after its time messages may still go. What is left then never goes.",
        }),
        gap_ms: z
          .int()
          .min(500)
          .max(3_600_000)
          .default(usualGapMs)
          .openapi({
            description:
              "The least time from one of its messages to the next; up to half as much is added at random. At least twice the gap of the " +
              "bridge's `pacing` is kept.",
          }),
        new_chat: z.enum(["refuse", "allow"]).optional().openapi({ description: "As of a send." }),
      }),
    ),
  },
  responses: {
    200: reply("The job, durable with all its messages.", Job),
    ...refusals(...codesOfSession, "not_paired", "plan_limit_reached", ...codesOfSend),
  },
})

export const listJobs = createRoute({
  method: "get",
  path: `${proxy}/jobs` as const,
  summary: "The jobs of the last 30 days, the newest first",
  request: { params: path },
  responses: { 200: reply("All of them.", z.array(Job)), ...refusals(...codesOfSession) },
})

const job = path.extend({ id: JobId })

export const getJob = createRoute({
  method: "get",
  path: `${proxy}/jobs/{id}` as const,
  summary: "A job, and how far it has come",
  description: "What became of each message: `listPlanned` with `job`.",
  request: { params: job },
  responses: { 200: reply("As it is now.", Job), ...refusals(...codesOfSession) },
})

export const changeJob = createRoute({
  method: "patch",
  path: `${proxy}/jobs/{id}` as const,
  summary: "Pause a job, let it go on, or stop it for good",
  description:
    "When this has answered, no message of a paused or stopped job begins to be sent; one that has begun may still arrive.",
  request: {
    params: job,
    body: body(z.object({ state: z.enum(["running", "paused", "stopped"]) })),
  },
  responses: { 200: reply("As it is now.", Job), ...refusals(...codesOfSession, "not_planned") },
})
