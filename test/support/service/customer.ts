import { randomInt } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { config } from "#core/platform/config.ts"
import { noRateLimits } from "#one-machine/service/spawn-service.ts"
import { app } from "#test/support/service/app.ts"

interface Fields {
  subscription?: Account.Subscription
  bridgeLimit?: number
}

/** A new account as its owner sees it: its calls go through the real app, with its own key. */
export async function aCustomer(fields: Fields = {}) {
  const account = await Account.create({ name: "Test", subscription: fields.subscription ?? "active" })
  if (fields.bridgeLimit) await Account.setBridgeLimit(account.id, fields.bridgeLimit)
  const key = await ApiKey.create(account.id, "test")
  const from = at(anAddress())

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: typeof body === "string" || body === undefined ? body : JSON.stringify(body),
    }
    return await app.request(path, init, from)
  }

  return {
    account,
    key,
    call,
    get: (path: string) => call("GET", path),
    post: (path: string, body?: unknown) => call("POST", path, body),
    patch: (path: string, body?: unknown) => call("PATCH", path, body),
  }
}

/** The environment that Node's server passes to the app for a caller at this address. */
export function at(remoteAddress: string) {
  return { incoming: { socket: { remoteAddress } } }
}

/** An address that no other caller in this test file has. */
export function anAddress(): string {
  return `10.${[randomInt(256), randomInt(256), randomInt(256)].join(".")}`
}

/** The JSON of an answer, for assertions. */
export async function json(answer: Response | Promise<Response>) {
  return (await (await answer).json()) as Record<string, unknown> // assertions check the details
}

/** Customers of this test file may ask as often as they like. */
export function liftLimits(): void {
  for (const [name, limit] of Object.entries(noRateLimits)) Object.assign(config, { [name]: Number(limit) })
}
