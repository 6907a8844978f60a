import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import type { Service } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"
import type { Seeded, Stage } from "./goals.ts"

/** The account that `npm start` made, as its programs use it. */
export function seeded({ baseUrl, dataDir }: Service): Seeded & { apiKey: string } {
  const { apiKey } = JSON.parse(readFileSync(join(dataDir, "account.json"), "utf8")) as { apiKey: string }
  const call: Seeded["call"] = async (method, path, body, headers) =>
    await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return { call, apiKey }
}

/** Gives the account a life to look at: a number whose receiver took some events and refuses the others. */
export async function populate({ service }: Stage, { call }: Seeded): Promise<void> {
  const { network } = service
  await call("POST", "/instances", { customer_ref: "shop" })
  await call("POST", "/instances", { customer_ref: "plain" })
  const grace = await network.create("Grace Hopper")
  const ada = await network.create("Ada Lovelace")
  const qr = await until(async () => {
    const answer = await call("GET", "/instances/shop/proxy/qr")
    return answer.status === 200 && new Uint8Array(await answer.arrayBuffer())
  })
  await network.scan(grace.number, qr)
  const isConnected = async () =>
    (await (await call("GET", "/instances/shop/proxy/status")).text()).includes('"connected"')
  await until(isConnected)

  const receiver = await startReceiver()
  try {
    await call("PATCH", "/instances/shop", { webhook_url: receiver.urlOf("shop") })
    await until(isConnected)
    for (const text of ["Good morning", "Is the shop open today?", "I would like two of the blue ones"])
      await network.send(ada.number, grace.number, text)
    await until(() => receiver.arrivals.filter(({ type }) => type === "message").length >= 3)
    receiver.say(410, 404)
    await network.send(ada.number, grace.number, "And a red one")
    await network.send(ada.number, grace.number, "Are you there?")
    await until(() => receiver.arrivals.filter(({ type }) => type === "message").length >= 5)
  } finally {
    await receiver.stop()
  }
  await network.send(ada.number, grace.number, "Hello?")
  await until(async () =>
    (await (await call("GET", "/instances/shop/deliveries")).text()).includes("failing_since"),
  )
}
