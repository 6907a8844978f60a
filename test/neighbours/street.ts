import { startService } from "#test/support/service.ts"
import { silence, startReceiver } from "#test/support/start-receiver.ts"

/**
 * Two accounts of a whole running service, each with a linked bridge, under the usual limits of an API key
 * (Contract, "Rate limits"). The limit of an address is out of the way, since all requests come from this machine.
 */
export async function startStreet() {
  const service = await startService({ RATE_LIMIT_PROXY: "120", RATE_LIMIT_OTHER: "120" })
  // It takes connections and never answers.
  const dead = await startReceiver(() => silence)
  const stop = async () => {
    await dead.stop()
    await service.stop()
    service.remove()
  }
  try {
    const [neighbour, bully] = [await service.customer("neighbour"), await service.customer("bully")]
    const [ada, bob, eve] = await Promise.all(
      ["Ada", "Bob", "Eve"].map((name) => service.network.create(name)),
    )
    await neighbour.linked("shop", ada!.number)
    await bully.linked("bully", eve!.number, { webhook_url: dead.url })
    await service.network.send(bob!.number, eve!.number, "for nobody")
    return { service, neighbour, bully, chat: bob!.number, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
