/**
 * The service as `npm start` runs it, on a network, and perhaps a store, that run already. Its starter hears
 * where.
 */
import { z } from "zod"
import "#core/platform/faster-node-crypto.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { type PartsElsewhere, startService } from "#one-machine/service/service.ts"
import { Settings } from "#one-machine/service/settings.ts"

const Given = z.object({
  network: z.object({ url: z.string(), controlUrl: z.string(), rootKey: z.string(), caFile: z.string() }),
  store: z.object({ endpoint: z.string() }).optional(),
})

const elsewhere: PartsElsewhere = Given.parse(JSON.parse(process.argv[2] ?? ""))
const service = await startService(
  { environment: process.env, settings: Settings.parse(process.env) },
  elsewhere,
)

process.on("message", (bridges: number) => {
  newAccount(bridges).then(
    (apiKey) => process.send?.({ apiKey }),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
for (const signal of ["SIGTERM", "disconnect"] as const)
  process.once(signal, () => void service.stop().then(() => process.exit(0)))
process.send?.({ baseUrl: service.baseUrl })

/** @returns its API key */
async function newAccount(bridges: number): Promise<string> {
  const { id } = await Account.create({ name: "bench", subscription: "active" })
  await Account.setBridgeLimit(id, bridges)
  return await ApiKey.create(id, "bench")
}
