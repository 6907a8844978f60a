import "#test/support/store.ts"
import { expect, test } from "vitest"
import { pauseOrResumeBridges } from "#billing/unpaid-bridges.ts"
import { callHolder } from "#core/lease/call-holder.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aPairedSession } from "#test/support/session/paired.ts"

test("a call right after a bill has stopped its bridge is 409, though the API knew the holder", async () => {
  const network = await aNetwork()
  const { bridge } = await aPairedSession(network, { timing: { beatMs: 5000 } })
  const bob = await network.phone("Bob")
  const send = async () => {
    const body = JSON.stringify({ chat: bob.number, body: "hello" })
    const about = { bridgeId: bridge.id, requestId: "1", messageId: newMessageId(), isNew: true }
    return await callHolder({ method: "POST", path: "/send/text", body, ...about })
  }
  expect((await send()).status).toBe(200)
  await pauseOrResumeBridges({ accountId: bridge.accountId, stoppedAt: undefined, version: 1 }, false)
  await expect(send()).rejects.toMatchObject({ code: "bridge_paused" })
})
