import * as contract from "#contract/account-webhook.ts"
import { resendEverywhere } from "#contract/delivery.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { resendAll } from "#core/bridge/resend-all.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { contractRouter } from "../http/contract-router.ts"
import { auditByKey } from "./audit.ts"
import { choiceOf, wire } from "./wire-webhook.ts"

/**
 * The webhooks that get the events of all of an account's bridges (Contract, "Webhooks of the account"), and
 * what was given up of all of them.
 */
export const accountWebhooks = contractRouter()
  .openapi(contract.listAccountWebhooks, async (c) => {
    const all = await AccountWebhook.list(c.var.accountId)
    return c.json(await Promise.all(all.map((webhook) => wire(c.var.access, webhook))), 200)
  })
  .openapi(contract.createAccountWebhook, async (c) => {
    const { url, ...chosen } = c.req.valid("json")
    const choice = choiceOf(chosen)
    const at = Webhook.parseFurtherUrl(url)
    const { webhook, created } = await AccountWebhook.create(c.var.accountId, at, choice)
    if (created) await auditByKey(c, "webhook_added", AccountWebhook.labelOf(webhook))
    return c.json(await wire(c.var.access, webhook), created ? 201 : 200)
  })
  .openapi(contract.getAccountWebhook, async (c) => {
    const webhook = await AccountWebhook.get(c.var.accountId, c.req.valid("param").webhook_id)
    return c.json(await wire(c.var.access, webhook), 200)
  })
  .openapi(contract.updateAccountWebhook, async (c) => {
    const { accountId, access } = c.var
    const { url, state, ...chosen } = c.req.valid("json")
    const changes = {
      ...choiceOf(chosen),
      url: url === undefined ? undefined : Webhook.parseFurtherUrl(url),
    }
    const webhook = await AccountWebhook.get(accountId, c.req.valid("param").webhook_id)
    if (Object.values(changes).some((change) => change !== undefined))
      await AccountWebhook.update(webhook, changes)
    if (state === "paused") await AccountWebhook.pause(webhook)
    if (state === "active") await AccountWebhook.resume(webhook)
    const changed = await AccountWebhook.get(accountId, webhook.webhookId)
    if (changes.url !== undefined) await auditByKey(c, "webhook_changed", AccountWebhook.labelOf(changed))
    return c.json(await wire(access, changed), 200)
  })
  .openapi(contract.removeAccountWebhook, async (c) => {
    const webhook = await AccountWebhook.get(c.var.accountId, c.req.valid("param").webhook_id)
    await AccountWebhook.remove(webhook)
    await auditByKey(c, "webhook_removed", AccountWebhook.labelOf(webhook))
    return c.body(null, 204)
  })
  .openapi(contract.rollAccountSecret, async (c) => {
    const webhook = await AccountWebhook.get(c.var.accountId, c.req.valid("param").webhook_id)
    const { secret, until } = await WebhookSecret.roll(webhook)
    await auditByKey(c, "secret_replaced", AccountWebhook.labelOf(webhook))
    return c.json({ webhook_secret: secret, overlap_until: until }, 200)
  })
  .openapi(contract.finishAccountSecret, async (c) => {
    const webhook = await AccountWebhook.get(c.var.accountId, c.req.valid("param").webhook_id)
    await WebhookSecret.endOverlap(webhook)
    return c.json({ ok: true as const }, 200)
  })
  .openapi(resendEverywhere, async (c) => {
    const { requested, next } = await resendAll(c.var.accountId, c.req.valid("json"))
    const count = requested.reduce((all, one) => all + one.count, 0)
    const each = requested.map(({ customerRef, webhookId, isAll, ...one }) => {
      return { customer_ref: customerRef, webhook: webhookId, ...one, all: isAll }
    })
    return c.json({ ok: true as const, count, requested: each, ...(next !== undefined && { next }) }, 202)
  })
