import * as contract from "#contract/bridge.ts"
import { createLinkSession } from "#contract/session.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Choice } from "#core/bridge/choice.ts"
import { knownStateOf } from "#core/bridge/known-state.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { MediaStore } from "#core/bridge/media-store.ts"
import { processHealthOf } from "#core/bridge/process-health.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import { remove } from "#core/bridge/remove.ts"
import { restart } from "#core/bridge/restart.ts"
import { sentenceOf } from "#core/bridge/state-words.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { invalid } from "#core/error.ts"
import { awakeLease, freshLease } from "#core/lease/call-holder.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { originOf } from "../http/address.ts"
import { contractRouter } from "../http/contract-router.ts"
import { seesSecrets } from "../http/scope.ts"
import { auditByKey } from "./audit.ts"
import { listedFor } from "./bridge-list.ts"
import { writeChoice, hasChoice } from "./write-choice.ts"

export const bridges = contractRouter()
  .openapi(contract.createBridge, async (c) => {
    const input = c.req.valid("json")
    const { bridge, created } = await Bridge.create({
      accountId: c.var.accountId,
      customerRef: input.customer_ref,
      webhookUrl: input.webhook_url,
    })
    if (created) await auditByKey(c, "number_added", bridge.customerRef)
    const lease = await freshLease(bridge.id)
    return c.json(wire(bridge, lease, await WebhookSecret.ofBridge(bridge.id)), created ? 201 : 200)
  })
  .openapi(contract.listBridges, async (c) => {
    const { bridges: found, next } = await listedFor(c.var.accountId, c.var.access, c.req.valid("query"))
    const leases = await Lease.byIds(found.map(({ id }) => id))
    // A bridge without a lease was deleted between the two reads.
    const listed = found.flatMap((bridge) => {
      const lease = leases.get(bridge.id)
      return lease ? [wireInList(bridge, lease)] : []
    })
    if (next !== undefined) c.header("x-next-after", next)
    return c.json(listed, 200)
  })
  .openapi(contract.getBridge, async (c) => {
    const { bridge } = c.var
    const lease = await freshLease(bridge.id)
    const host = Lease.isHeld(lease) ? await Host.get(lease.host) : undefined
    const secret = await WebhookSecret.ofBridge(bridge.id)
    const why = Lease.whyStopped(lease)
    return c.json(
      {
        ...wire(bridge, lease, secret),
        ...(!seesSecrets(c.var.access) && {
          webhook_secret: "",
          ...(c.var.access.chats && { webhook_url: "" }),
        }),
        ...Choice.wire(lease.choice),
        ...(why &&
          why !== "suspended" &&
          why !== "moved" && {
            paused_reason: why === "operator" || why === "customer" ? "manual" : why,
          }),
        ...(secret.overlapUntil !== undefined && { secret_overlap_until: secret.overlapUntil }),
        manager: processHealthOf(lease, host),
        explanation: sentenceOf(await knownStateOf(bridge, lease)),
        ...(lease.reported && { reported: await reportedBy(bridge, lease, lease.reported) }),
      },
      200,
    )
  })
  .openapi(contract.updateBridge, async (c) => {
    const { proxy_url, media_store, ...given } = c.req.valid("json")
    const mediaStore = await mediaStoreOf(c.var.bridge, media_store)
    const input = { ...given, proxy: await proxyOf(c.var.bridge, proxy_url), mediaStore }
    const isOfUrl = input.webhook_url !== undefined || !hasChoice(input)
    const url = isOfUrl ? parseWebhookUrl(input.webhook_url) : c.var.bridge.webhookUrl
    const { requestId } = c.var
    const awoken = await awakeLease(c.var.bridge.id, requestId)
    mustHaveEffect(given, awoken.choice)
    const bridge = isOfUrl ? await redirectEvents(awoken, c.var.bridge, url, requestId) : c.var.bridge
    const lease = await writeChoice(awoken, input, requestId)
    if (url !== c.var.bridge.webhookUrl)
      await auditByKey(c, "webhook_changed", `${bridge.customerRef}: ${url === "" ? "none" : url}`)
    const inbox = bridge.webhookUrl === ""
    const secret = await WebhookSecret.ofBridge(bridge.id)
    return c.json({ ...wire(bridge, lease, secret), ...Choice.wire(lease.choice), inbox }, 200)
  })
  .openapi(contract.removeBridge, async (c) => {
    await remove(c.var.bridge, c.var.requestId)
    await auditByKey(c, "number_deleted", c.var.bridge.customerRef)
    return c.body(null, 204)
  })
  .openapi(createLinkSession, async (c) => {
    const asked = c.req.valid("json")
    const { token, expiresAt } = await LinkSession.create(c.var.bridge, {
      expectedPhone: asked.expected_phone,
      returnUrl: asked.return_url,
      isLasting: asked.lasting,
      embedAt: asked.embed_at,
      madeBy: c.var.keyId,
    })
    await auditByKey(c, "link_made", c.var.bridge.customerRef)
    // The pages are where the API is.
    return c.json({ url: `${originOf(c)}/link/${token}`, expires_at: expiresAt }, 201)
  })

/**
 * Refuses a choice that another one, which stays as it is, leaves without effect. @throws ApiError
 * `invalid_request`
 */
function mustHaveEffect(
  given: {
    history?: boolean | undefined
    message_status?: string | undefined
    keep?: unknown
    events?: unknown
  },
  { keep, events }: Choice.Info,
): void {
  if (given.history && given.keep === undefined && keep === undefined)
    throw invalid([{ path: "history", message: "needs `keep`, which is not set: give both" }])
  const isUnheard = given.events === undefined && !events?.includes("message_status")
  if (given.message_status === "participants" && isUnheard)
    throw invalid([
      {
        path: "message_status",
        message: "needs `message_status` among `events`, which is not there: give both",
      },
    ])
}

/**
 * Sends a bridge's events elsewhere from now on (Contract, "Changing the webhook"). Its session is not
 * touched, unless another place has taken it over: this call takes it back.
 * @throws ApiError `orchestrator_failed`, `not_found`, `invalid_webhook_url`
 */
export async function redirectEvents(
  awoken: Lease.Info,
  bridge: Bridge.Info,
  url: string,
  requestId: string,
): Promise<Bridge.Info> {
  const isSame = url === bridge.webhookUrl
  const mustBeFree = async () => {
    if (!isSame) await Webhook.mustBeFree(bridge, url, { webhookId: "first", field: "webhook_url" })
  }
  await mustBeFree()
  // Only the customer can say which program is to have the login, so the status stays across hosts.
  const isReplaced = awoken.reported?.status === "replaced"
  if (isReplaced) await restart(bridge.id, requestId)
  // Written even if it is unchanged: one of the two tables may have been restored from a backup.
  const changed = await Bridge.setWebhookUrl(bridge, url, mustBeFree)
  if (!isSame) BridgeLog.append(bridge.id, "info", "webhook URL changed")
  return changed
}

/** A request's proxy as the lease keeps it. @throws ApiError `invalid_request` */
async function proxyOf(bridge: Bridge.Info, given: string | null | undefined) {
  return given ? Proxy.sealed(given, bridge.id, await Bridge.deliveryKeyOf(bridge)) : given
}

/** A request's media store as the lease keeps it. @throws ApiError `invalid_request` */
async function mediaStoreOf(
  bridge: Bridge.Info,
  given: Parameters<typeof MediaStore.sealed>[0] | null | undefined,
) {
  return given ? MediaStore.sealed(given, bridge.id, await Bridge.deliveryKeyOf(bridge)) : given
}

async function reportedBy(
  bridge: Bridge.Info,
  lease: Lease.Info,
  { status, since, objection }: Lease.Reported,
) {
  const phone = LinkedPhone.numberOf(lease, await Bridge.deliveryKeyOf(bridge))
  return { status, since, phone, ...(objection && { objection }) }
}

function wireInList(bridge: Bridge.Listed, lease: Lease.Info) {
  return {
    id: bridge.id,
    customer_ref: bridge.customerRef,
    state: Lease.stateOf(lease),
    created_at: Math.floor(bridge.createdMs / 1000),
  }
}

function wire(bridge: Bridge.Info, lease: Lease.Info, { secrets }: { secrets: [string, ...string[]] }) {
  return {
    ...wireInList(bridge, lease),
    webhook_secret: secrets[0],
    webhook_url: bridge.webhookUrl,
  }
}
