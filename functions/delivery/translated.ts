import type { Event } from "#contract/event.ts"
import { EventRow } from "#core/event/event-row.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { config } from "#core/platform/config.ts"
import type { Told, Translated } from "../dialects/format.ts"
import { formats } from "../dialects/formats.ts"
import { fileOf, meOf } from "./ask-session.ts"
import type { PostBody } from "./attempt.ts"

/** Whether an event has a counterpart in the format of its webhook, which wants it. */
export function isTold(event: EventRow.Info, receiver: Receiver.Info, keys: Receiver.Keys): boolean {
  return translate(event, receiver, keys) !== undefined
}

/**
 * An event in the format of its webhook, with what only the session knows. That is left out where it cannot
 * be had at once: nothing waits for it.
 * @returns undefined if events come in our own form, or this one has no counterpart
 */
export async function translated(
  event: EventRow.Info,
  receiver: Receiver.Info,
  keys: Receiver.Keys,
): Promise<PostBody | undefined> {
  if (!receiver.format || !isTold(event, receiver, keys)) return undefined
  const { headers } = formats[receiver.format.name]
  const me = await meOf(receiver.bridgeId)
  const found = keys.options.media ? await fileOf(receiver, read(event, keys)) : undefined
  try {
    const said = translate(event, receiver, keys, { me, file: found?.file })! // as before
    const body = Buffer.from(JSON.stringify(said.body))
    const about = { path: said.path, headers: headers?.(body, keys.options), onPosted: found?.leave }
    return { id: event.eventId, body, ...about }
  } catch (error) {
    found?.leave()
    throw error
  }
}

function translate(
  event: EventRow.Info,
  { format, url, bridgeId, customerRef }: Receiver.Info,
  keys: Receiver.Keys,
  beside: Pick<Told, "me" | "file"> = { me: undefined, file: undefined },
): Translated | undefined {
  return (
    format &&
    formats[format.name].translate({
      event: read(event, keys),
      eventId: event.eventId,
      createdAt: event.createdAt,
      bridgeId,
      instance: customerRef,
      options: keys.options,
      destination: url,
      serverUrl: config.PUBLIC_URL,
      ...beside,
    })
  )
}

/** As it was written. */
function read(event: EventRow.Info, { deliveryKey }: Receiver.Keys): Event {
  return JSON.parse(EventRow.bodyOf(event, deliveryKey).toString()) as Event
}
