import { expect, test } from "vitest"
import "#test/support/store.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { aChat } from "#test/support/session/chat.ts"
import { sendText } from "#test/support/session/host.ts"

test("a number that the network will not look up now is not unknown: the same call may be made again", async () => {
  const { network, bridge, bob, phone } = await aChat({ timing: { beatMs: 1000 } })
  const group = await network.group([phone, bob])
  const calls = [bob.jid, bob.lid, group.jid].map((chat) => ({ chat, id: newMessageId() }))
  const send = async () =>
    await Promise.all(calls.map(({ chat, id }) => sendText(bridge.id, chat, "hello", id)))

  const answers = await network.fault({ kind: "refuse_iq", device: `${phone.number}:1`, code: 429 })
  for (const refused of await send())
    expect(refused).toMatchObject({ status: 502, code: "network_rejected", network_code: 429 })
  await answers()
  for (const [at, sent] of (await send()).entries())
    expect(sent).toMatchObject({ status: 200, message_id: calls[at]!.id })
  expect(await bob.read({ text: "hello", count: 3 })).toHaveLength(3)
})
