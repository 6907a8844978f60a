import { afterAll } from "vitest"
import { startService } from "../../support/service/service.ts"

// A service with a customer whose bridge `shop` is linked to the owner's phone, and a friend's phone.

export const service = await startService()
afterAll(async () => {
  await service.stop()
  service.remove()
})

export const shop = await service.customer("shop")
export const owner = (await service.network.create("Owner")).number
export const friend = (await service.network.create("Friend")).number
await shop.linked("shop", owner)
