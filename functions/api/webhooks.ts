import * as contract from "#contract/webhook.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { invalid } from "#core/error.ts"
import { Receiver } from "#core/event/receiver.ts"
import { contractRouter } from "../http/contract-router.ts"
import { auditByKey } from "./audit.ts"
import { choiceOf, wireOfBridge as wire } from "./wire-webhook.ts"

/** The webhooks of a bridge, and the secrets that sign their deliveries (Contract, "Webhooks"). */
export const webhooks = contractRouter()
  .openapi(contract.listWebhooks, async (c) => {
    const all = await Webhook.list(c.var.bridge)
    return c.json(await Promise.all(all.map((webhook) => wire(c.var, webhook))), 200)
  })
  .openapi(contract.createWebhook, async (c) => {
    const { url, ...chosen } = c.req.valid("json")
    const choice = choiceOf(chosen)
    const { webhook, created } = await Webhook.create(c.var.bridge, Webhook.parseFurtherUrl(url), choice)
    if (created) await auditByKey(c, "webhook_added", Webhook.labelOf(webhook, c.var.bridge))
    return c.json(await wire(c.var, webhook), created ? 201 : 200)
  })
  .openapi(contract.getWebhook, async (c) => {
    const webhook = await Webhook.get(c.var.bridge, c.req.valid("param").webhook_id)
    return c.json(await wire(c.var, webhook), 200)
  })
  .openapi(contract.updateWebhook, async (c) => {
    const { bridge } = c.var
    const { url, state, ...chosen } = c.req.valid("json")
    const changes = {
      ...choiceOf(chosen),
      url: url === undefined ? undefined : Webhook.parseFurtherUrl(url),
    }
    const webhook = await Webhook.get(bridge, c.req.valid("param").webhook_id)
    if (Receiver.isFirst(webhook)) onlyItsOwn(c.req.valid("json"))
    if (Object.values(changes).some((change) => change !== undefined))
      await Webhook.update(bridge, webhook, changes)
    if (state === "paused") await Webhook.pause(webhook)
    if (state === "active") await Webhook.resume(webhook)
    const changed = await Webhook.get(bridge, webhook.webhookId)
    if (changes.url !== undefined) await auditByKey(c, "webhook_changed", Webhook.labelOf(changed, bridge))
    return c.json(await wire(c.var, changed), 200)
  })
  .openapi(contract.removeWebhook, async (c) => {
    const webhook = await Webhook.get(c.var.bridge, c.req.valid("param").webhook_id)
    if (Receiver.isFirst(webhook))
      throw invalid([
        {
          path: "webhook_id",
          message: "`first` cannot be deleted: PATCH the bridge with another `webhook_url`",
        },
      ])
    await Webhook.remove(c.var.bridge, webhook.webhookId)
    await auditByKey(c, "webhook_removed", Webhook.labelOf(webhook, c.var.bridge))
    return c.body(null, 204)
  })
  .openapi(contract.rollSecret, async (c) => {
    const webhook = await Webhook.get(c.var.bridge, c.req.valid("query").webhook)
    const { secret, until } = await WebhookSecret.roll(webhook)
    await auditByKey(c, "secret_replaced", c.var.bridge.customerRef)
    return c.json({ webhook_secret: secret, overlap_until: until }, 200)
  })
  .openapi(contract.finishSecret, async (c) => {
    await WebhookSecret.endOverlap(await Webhook.get(c.var.bridge, c.req.valid("query").webhook))
    return c.json({ ok: true as const }, 200)
  })

const ofFirst = new Set(["headers", "batch", "format", "format_options", "healing"])

/**
 * Refuses what `first` cannot choose, since it gets what its bridge gets. @throws ApiError `invalid_request`
 */
function onlyItsOwn(input: object): void {
  const others = Object.entries(input).filter(([name, value]) => value !== undefined && !ofFirst.has(name))
  if (others.length === 0) return
  throw invalid(
    others.map(([path]) => {
      return {
        path,
        message:
          path === "state"
            ? "`first` cannot be paused: only a further webhook can"
            : "`first` takes `headers`, `batch`, `format` and `healing` alone: PATCH the bridge, or add a webhook",
      }
    }),
  )
}
