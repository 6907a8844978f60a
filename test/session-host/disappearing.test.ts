import "#test/support/store.ts"
import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { aNetwork } from "../support/network/network.ts"
import { sendText } from "../support/session/host.ts"
import { aPairedSession } from "../support/session/paired.ts"

const week = 604_800

async function aChat() {
  const network = await aNetwork()
  const session = await aPairedSession(network, { timing: { beatMs: 4000 } })
  const bob = await network.phone("Bob")
  const device = `${session.phone.number}:1`
  /** The timer that Bob's phone sees on a message of the session. */
  const context = async (chat: string, text: string) => {
    expect(await sendText(session.bridge.id, chat, text)).toMatchObject({ status: 200 })
    const [message] = await bob.read({ text })
    return proto.Message.fromObject(message!.content).extendedTextMessage?.contextInfo
  }
  const timer = async (chat: string, text: string) => (await context(chat, text))?.expiration ?? 0
  const setTimer = (from: { post: typeof bob.post }, to: string, ephemeralExpiration: number) =>
    from.post(to, { raw: { protocolMessage: { type: "EPHEMERAL_SETTING", ephemeralExpiration } } })
  return {
    network,
    bob,
    device,
    context,
    timer,
    setTimer,
    settled: () => network.control.settled(device, 10_000),
    ...session,
  }
}

test("a message disappears when its chat's messages do, whoever has set that, however it is addressed", async () => {
  const { bob, phone, timer, setTimer, settled } = await aChat()
  expect(await timer(bob.number, "stays")).toBe(0)
  await setTimer(bob, phone.number, week)
  await settled()
  expect(await timer(bob.number, "by number")).toBe(week)
  expect(await timer(bob.lid, "by private id")).toBe(week)

  await setTimer(phone, bob.number, 86_400)
  await settled()
  expect(await timer(bob.number, "as our own phone has set it")).toBe(86_400)
  await setTimer(bob, phone.number, 0)
  await settled()
  expect(await timer(bob.number, "stays again")).toBe(0)
})

test("a message to a group disappears when the group's messages do", async () => {
  const { network, bob, phone, timer, settled } = await aChat()
  const { jid } = await network.group([bob, phone])
  expect(await timer(jid, "stays")).toBe(0)
  await network.call("PATCH", `/groups/${jid}`, { by: bob.number, ephemeral: week })
  await settled()
  expect(await timer(jid, "goes")).toBe(week)
  await network.call("PATCH", `/groups/${jid}`, { by: bob.number, ephemeral: 0 })
  await settled()
  expect(await timer(jid, "stays again")).toBe(0)
})

test("a chat's messages say when and by whom its timer was set, and a group's do not", async () => {
  const { network, bob, phone, context, setTimer, settled } = await aChat()
  const { CHANGED_IN_CHAT } = proto.DisappearingMode.Initiator
  await setTimer(bob, phone.number, week)
  await settled()
  const before = Math.floor(Date.now() / 1000)
  const said = (await context(bob.number, "set by Bob"))!
  expect(Number(said.ephemeralSettingTimestamp)).toBeGreaterThan(before - 60)
  expect(said.disappearingMode).toMatchObject({ initiator: CHANGED_IN_CHAT, initiatedByMe: false })
  await setTimer(phone, bob.number, week)
  await settled()
  expect((await context(bob.number, "set by us"))!.disappearingMode).toMatchObject({ initiatedByMe: true })

  const { jid } = await network.group([bob, phone])
  await network.call("PATCH", `/groups/${jid}`, { by: bob.number, ephemeral: week })
  await settled()
  const inGroup = await context(jid, "in a group")
  expect(inGroup).toMatchObject({ expiration: week, disappearingMode: null })
  expect(Number(inGroup!.ephemeralSettingTimestamp ?? 0)).toBe(0)
})
