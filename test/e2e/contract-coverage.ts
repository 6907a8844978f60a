import { z } from "zod"
import { Event } from "#contract/event.ts"

/** Where each event of the contract is shown to arrive. A new event without a place does not compile. */
const shownIn = {
  message: "messages",
  poll_vote: "messages",
  event_response: "messages",
  connected: "happenings",
  disconnected: "happenings",
  typing: "happenings",
  presence: "happenings",
  call_incoming: "happenings",
  call_terminated: "happenings",
  offline_sync_preview: "happenings",
  offline_sync_completed: "happenings",
  profile_picture_updated: "happenings",
  group: "groups",
  message_status: "messages",
  message_lost: "awaited",
  media_stored: "stored",
  channel_post: "channels",
  test: "happenings",
} as const satisfies Record<Event["event"], string>

/** The parts of a JSON schema that are read here. */
export interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
}

/**
 * Fields and values that the contract allows in events but these events never had: `message.caption`,
 * `message.type: poll`... Each field must have been there with content, and each word of an enumeration and
 * both truth values must have been said.
 */
export function uncoveredIn(place: (typeof shownIn)[Event["event"]], events: Event[]): string[] {
  return Event.options.flatMap((option) => {
    const type = option.shape.event.value
    if (shownIn[type] !== place) return []
    const schema = z.toJSONSchema(option) as Schema // plain data
    return uncovered(type, schema, ofType(events, type))
  })
}

/** The fields of an answer that never had any content. */
export function emptyFieldsIn(path: string, schema: Schema, answers: unknown[]): string[] {
  return uncovered(path, schema, answers).filter((one) => !one.includes(": "))
}

function ofType(events: Event[], type: Event["event"]): unknown[] {
  return events.filter(({ event }) => event === type)
}

function uncovered(path: string, schema: Schema, values: unknown[]): string[] {
  if (!values.some(isSomething)) return [path]
  const said = new Set(values)
  if (schema.enum)
    return schema.enum.filter((word) => !said.has(word)).map((word) => `${path}: ${String(word)}`)
  if (schema.items) return uncovered(`${path}[]`, schema.items, values.flat())
  if (schema.type === "boolean" && !("const" in schema))
    return [true, false].filter((truth) => !said.has(truth)).map((truth) => `${path}: ${truth}`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    uncovered(
      `${path}.${name}`,
      field,
      values.flatMap((value) => (value as Record<string, unknown>)[name] ?? []), // an object's schema
    ),
  )
}

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isSomething)
  return value !== undefined && value !== "" && value !== 0
}
