import { randomUUID } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"

/** A new account that may have bridges. */
export async function anAccount() {
  return await Account.create({ name: "Test", subscription: "active" })
}

/** A bridge of a new account. Its events go to `webhookUrl`, or to the hosted inbox. */
export async function aBridge(webhookUrl?: string) {
  const account = await anAccount()
  const { bridge } = await Bridge.create({ accountId: account.id, customerRef: randomUUID(), webhookUrl })
  return bridge
}

/** A bridge whose webhook does not send again by itself what was given up. */
export async function aBridgeWithoutHealing(webhookUrl: string) {
  const bridge = await aBridge(webhookUrl)
  await Webhook.update(bridge, await Webhook.get(bridge, "first"), { heals: false })
  return bridge
}
