import type { Event } from "#contract/event.ts"
import type { MessageContent } from "../network/connection.ts"
import type { ContextInfo } from "../network/message-proto/types.ts"
import { contextInfoOf } from "./content.ts"

type Fields = Extract<Event, { event: "message" }>

/** `MessageAssociation.AssociationType` */
const associations: Record<number, NonNullable<Fields["part_of"]>["as"]> = {
  1: "album",
  3: "event_cover",
  5: "hd",
  7: "poll_option",
  8: "status",
  10: "hd",
  12: "motion_photo",
  19: "hd",
}

/** The message or chat that a message belongs to, what brought its sender here, and when it disappears. */
export function contextOf(content: MessageContent): Partial<Fields> {
  const context = contextInfoOf(content)
  const ad = context && adOf(context)
  const { associationType, parentMessageKey } = content.messageContextInfo?.messageAssociation ?? {}
  return {
    ...(ad && { ad }),
    ...(parentMessageKey?.id && {
      part_of: {
        message_id: parentMessageKey.id,
        as: associations[associationType ?? 0] ?? ("other" as const),
      },
    }),
    ...(context?.expiration && { disappears_after: context.expiration }),
  }
}

function adOf(context: ContextInfo): Fields["ad"] {
  const { externalAdReply: ad, entryPointConversionSource, entryPointConversionApp, utm } = context
  // Older apps name the place where a chat was begun, without a picture of it.
  const entryPoint = entryPointConversionSource || context.conversionSource
  if (!ad && !entryPoint && !utm?.utmSource) return undefined
  return {
    title: ad?.title ?? "",
    body: ad?.body ?? "",
    source_type: ad?.sourceType ?? "",
    source_id: ad?.sourceId ?? "",
    source_url: ad?.sourceUrl ?? "",
    click_id: ad?.ctwaClid ?? "",
    entry_point: entryPoint ?? "",
    app: ad?.sourceApp ?? entryPointConversionApp ?? "",
    ...(utm?.utmSource && { utm_source: utm.utmSource }),
    ...(utm?.utmCampaign && { utm_campaign: utm.utmCampaign }),
  }
}
