import type { z } from "zod"
import { EventType } from "#contract/event.ts"
import { type chosen as fields, mask } from "#contract/webhook.ts"
import type { ApiKey } from "#core/account/api-key.ts"
import type { Webhook } from "#core/bridge/webhook.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { seesSecrets } from "../http/scope.ts"

/** What a caller chooses of a webhook. */
export function choiceOf({
  format_options: formatOptions,
  healing: heals,
  ...chosen
}: z.infer<z.ZodObject<typeof fields>>): Webhook.Choice {
  return { ...chosen, formatOptions, heals }
}

/** A webhook of a bridge as the customer sees it. */
export async function wireOfBridge(
  { bridge, access }: Pick<ApiEnv["Variables"], "bridge" | "access">,
  webhook: Delivery.Info,
) {
  const { failingSince, recovered, missed, createdAt = Math.floor(bridge.createdMs / 1000) } = webhook
  return {
    ...(await wire(access, { ...webhook, createdAt })),
    ...(failingSince !== undefined && { failing_since: failingSince }),
    ...(recovered && { recovered: DeliveryReport.wireRecovered(recovered) }),
    ...(missed && { missed }),
  }
}

/** What was chosen of a webhook. A key that may only read sees no secret. */
export async function wire(access: ApiKey.Access, webhook: Delivery.Info) {
  const { receiver, batch, pausedAt, createdAt = 0 } = webhook
  const { filter, before, format } = receiver
  const { secrets, headers, options } = await Receiver.keysOf(receiver)
  const state = pausedAt === undefined ? ("active" as const) : ("paused" as const)
  return {
    id: webhook.webhookId,
    url: receiver.url,
    secret: seesSecrets(access) ? secrets[0] : "",
    ...(before && secrets.length > 1 && { secret_overlap_until: before.until }),
    events: EventType.options.filter((type) => filter?.events?.includes(type) ?? true),
    ignore: filter?.ignore ?? [],
    chats: filter?.chats ?? null,
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, mask])),
    batch: batch ?? null,
    format: format?.name ?? null,
    format_options: { ...options, ...(options.hmac_key !== undefined && { hmac_key: mask }) },
    healing: webhook.heals,
    state,
    created_at: createdAt,
  }
}
