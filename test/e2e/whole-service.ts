import { z } from "zod"
import type { Phone } from "#one-machine/network/client.ts"
import { type Customer, type Service, startService, statusOf } from "../support/service/service.ts"
import { startWebhook } from "./webhook.ts"

let running: Promise<Service> | undefined

/**
 * The whole service as `npm start` runs it, which is one for all that a test file loads; a customer, and the
 * customer's webhook receiver.
 */
export async function startWhole() {
  running ??= startService({ LEASE_BEAT_MS: process.env.LEASE_BEAT_MS ?? "1000" })
  const service = await running
  return { ...service, ...(await wholeOf(service)) }
}

/** What is needed of a service. */
type Running = Pick<Service, "admin" | "network" | "customer" | "stop" | "remove">

/**
 * The service on which the endpoints are called. A test of another service replaces it before it loads them.
 */
export const place = { start: async (): Promise<AnyWhole> => await startWhole() }

/** A service that runs, a customer, and the customer's webhook receiver. */
export async function wholeOf(service: Running) {
  const webhook = await startWebhook()
  const shop = await service.customer("shop")
  return {
    network: service.network,
    webhook,
    /** The customer's calls of the API. */
    call: wholePath(shop),
    /** Another customer's calls. */
    customer: async (about: Parameters<Service["customer"]>[1]) =>
      wholePath(await service.customer("another", about)),
    /** A bridge whose events come to the webhook. */
    bridge: async (ref: string) => {
      const made = await shop.bridge(ref, { webhook_url: webhook.urlOf(ref) })
      webhook.trust(ref, made.webhook_secret)
      return made
    },
    statusOf: (ref: string) => statusOf(shop.call, ref),
    idOf: async (ref: string) =>
      z.object({ id: z.string() }).parse(await (await shop.call("GET", `/instances/${ref}`)).json()).id,
    /** The operator's commands: `npm run admin -- <verb>`. */
    admin: (...verb: string[]) => service.admin(z.unknown(), ...verb),
    /** Writes from this phone. Resolves when the network has the message. */
    write: async (from: Phone, to: string, content: object) =>
      (await service.network.post(from.number, to, content)).id,
    /** Links a bridge to a phone by its QR code. */
    link: (ref: string, phone: Phone) => shop.linkTo(ref, phone.number),
    stop: async () => {
      await webhook.stop()
      await service.stop()
      service.remove()
    },
  }
}
/** What endpoints are asked with, wherever the service runs. */
export type AnyWhole = Awaited<ReturnType<typeof wholeOf>>

/** Makes calls by the contract's own paths. */
function wholePath({ call }: Customer): Customer["call"] {
  return (method, path, ...more) => call(method, path.replace(/^\/api/, ""), ...more)
}
