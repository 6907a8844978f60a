import { isDeepStrictEqual } from "node:util"
import type { EventType } from "#contract/event.ts"
import { ApiError } from "#core/error.ts"
import { proxyUrlOf } from "../bridge.ts"
import type { Bridge, Webhook } from "../ours.ts"
import { typesOf } from "./events.ts"
import type { Config, WebhookConfig } from "./given.ts"
import type { Its } from "./its.ts"

/** What stands for a secret that is not shown. */
const mask = "***"

/** A session's configuration, of which WAHA's programs write back what they do not change. */
export function toConfig(bridge: Bridge, webhooks: Webhook[]) {
  return {
    metadata: {},
    proxy: bridge.proxy_url === null ? null : { server: mask },
    debug: false,
    ignore: { status: bridge.ignore.includes("status"), groups: bridge.ignore.includes("groups") },
    noweb: {
      markOnline: bridge.daily_presence,
      store: { enabled: bridge.keep !== null, fullSync: bridge.history },
    },
    webhooks: webhooks.filter(isTheirs).map(toWebhookConfig),
  }
}

/** Webhooks that get our own events are none of WAHA's programs' business. */
function isTheirs({ format, url }: Webhook): boolean {
  return format === "waha" && url !== ""
}

function toWebhookConfig({ url, format_options: { events, hmac_key }, headers }: Webhook) {
  return {
    url,
    events: events ?? ["*"],
    hmac: hmac_key === undefined ? undefined : { key: hmac_key },
    customHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
  }
}

/** A webhook of our API's for one of WAHA's. */
function fromWebhookConfig({ events = ["*"], hmac, customHeaders = [] }: WebhookConfig) {
  const key = hmac?.key && shown(hmac.key, "hmac.key")
  return {
    format: "waha",
    events: typesOf(events),
    headers: Object.fromEntries(customHeaders.map(({ name, value }) => [name, value])),
    format_options: { events, ...(key && { hmac_key: key }) },
  }
}

/** @throws ApiError `invalid_request` for what only stands for a secret */
function shown(value: string, path: string): string {
  if (value !== mask) return value
  throw new ApiError(
    "invalid_request",
    `${path}: ${mask} stands for a secret that is not shown: give the secret itself`,
  )
}

/**
 * Gives a session this configuration. Its webhooks are those that are named, and no others; what else is not
 * named stays as it is.
 * @throws Refused, ApiError
 */
export async function configure({ bridge: ours }: Pick<Its, "bridge">, config: Config): Promise<void> {
  const bridge = await ours.ask<Bridge>("GET", "")
  const wanted = config.webhooks ?? []
  const choice = choiceOf(config, bridge, wanted)
  if (Object.keys(choice).length > 0) await ours.ask("PATCH", "", choice)
  const before = (await ours.ask<Webhook[]>("GET", "/webhooks")).filter(isTheirs)
  for (const { id } of before.filter((one) => !wanted.some(({ url }) => url === one.url)))
    await (id === "first"
      ? ours.ask("PATCH", "", { webhook_url: "" })
      : ours.ask("DELETE", `/webhooks/${id}`))
  for (const webhook of wanted) {
    const now = before.find(({ url }) => url === webhook.url)
    if (!now) await ours.ask("POST", "/webhooks", { url: webhook.url, ...fromWebhookConfig(webhook) })
    // One that is written back as it was shown has its secrets masked.
    else if (!isDeepStrictEqual(plain(webhook), plain(toWebhookConfig(now)))) {
      const { events, ...chosen } = fromWebhookConfig(webhook)
      await ours.ask("PATCH", `/webhooks/${now.id}`, now.id === "first" ? chosen : { ...chosen, events })
    }
  }
}

/** What may differ while nothing does. */
function plain({ url, events, hmac, customHeaders }: WebhookConfig) {
  return { url, events: events ?? ["*"], key: hmac?.key || null, headers: customHeaders ?? [] }
}

function choiceOf({ proxy, ignore, noweb }: Config, bridge: Bridge, webhooks: WebhookConfig[]) {
  const store = noweb?.store
  const isKept = store?.enabled ?? undefined
  const kept = isKept === true ? (bridge.keep ?? 30) : null
  const missing = eventsMissing(bridge, webhooks)
  return {
    ...(isKept !== undefined && kept !== bridge.keep && { keep: kept }),
    ...(isKept === true && store?.fullSync && !bridge.history && { history: true }),
    ...(ignore && { ignore: (["status", "groups"] as const).filter((kind) => ignore[kind]) }),
    ...(proxy &&
      proxy.server !== mask && { proxy_url: proxyUrlOf(proxy.server, proxy.username, proxy.password) }),
    ...(missing.length > 0 && { events: [...bridge.events, ...missing] }),
  }
}

/** The types of events that these webhooks ask for and the bridge does not send. */
function eventsMissing({ events }: Bridge, webhooks: WebhookConfig[]): EventType[] {
  const asked = typesOf(webhooks.flatMap((webhook) => webhook.events ?? ["*"]))
  return asked.filter((type) => !events.includes(type))
}
