import { z } from "zod"
import { apiClient } from "../api-client.ts"
import type { SpawnedService } from "../service/spawn-service.ts"
import type { startReceiver } from "./receiver.ts"

/** What a story is given beside the service. */
export interface Told {
  apiKey: string
  receiver: Awaited<ReturnType<typeof startReceiver>>
  step: (what: string) => void
  signal: AbortSignal
}

/** Creates the bridge `demo`, whose events go to the receiver. @returns ways to ask the API */
export async function bridgeWithWebhook(
  service: SpawnedService,
  { apiKey, receiver }: Pick<Told, "apiKey" | "receiver">,
) {
  const api = apiClient(service.baseUrl, apiKey)
  const post = async (path: string, body: object) => await (await api("POST", path, body)).json()
  const bridge = await post("/instances", { customer_ref: "demo", webhook_url: receiver.url })
  receiver.trust(z.object({ webhook_secret: z.string() }).parse(bridge).webhook_secret)
  return { api, post }
}
