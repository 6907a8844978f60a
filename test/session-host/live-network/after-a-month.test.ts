import { expect, onTestFinished, test, vi } from "vitest"
import "#test/support/store.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, eventsOfType, held, sendText, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

// The first messages after a month of silence (WAHA 2148: lost, cause unknown), in fast time.

/** These tests are not about leases. */
const calm = { timing: { beatMs: 1000 } }

type Chat = Awaited<ReturnType<typeof aChat>>

/** What was there before the month, and what happens in it. */
interface Month {
  isAnswered?: boolean
  before?: (chat: Chat) => Promise<void>
  within?: (chat: Chat) => Promise<void>
}

const linkAnother = async ({ network, bob }: Chat) => void (await network.paired(bob))
const forgetSessions = async ({ network, bob }: Chat) =>
  void (await network.call("DELETE", `/phones/${bob.number}/sessions`))

const months: [string, Month][] = [
  ["nothing happens", {}],
  ["he links another device", { within: linkAnother }],
  [
    "he removes a device, and links another",
    {
      before: linkAnother,
      async within(chat) {
        await chat.network.call("DELETE", `/phones/${chat.bob.number}/devices/1`)
        await linkAnother(chat)
      },
    },
  ],
  ["his phone loses its sessions", { within: forgetSessions }],
  [
    "his phone loses its sessions, and links another device",
    {
      async within(chat) {
        await forgetSessions(chat)
        await linkAnother(chat)
      },
    },
  ],
  [
    "his private id changes",
    {
      within: async ({ network, bob }) => void (await network.control.change(bob.number, { new_lid: true })),
    },
  ],
  // His phone goes on with the prekey of its first message, which is used up here.
  ["nothing happens, after a message that was never answered", { isAnswered: false }],
]

test.for([true, false].flatMap((isAway) => months.map(([what, month]) => [what, isAway, month] as const)))(
  "after a month in which %s both hear each other's first message once (while the session is away: %s)",
  async ([, isAway, { isAnswered, before, within }]) => {
    const chat = await aChat(calm)
    const { bob, phone, bridge, network, message, host } = chat
    onTestFinished(() => void vi.useRealTimers())
    await message((await bob.send(phone.number, "a month ago")).id)
    if (isAnswered !== false) await sendText(bridge.id, bob.number, "also a month ago")
    await before?.(chat)
    await network.control.settled(`${phone.number}:1`, 10_000)

    if (isAway) await host.stop()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31 * 86_400_000 })
    await within?.(chat)
    if (isAway) await held(bridge.id, await aHost(network, calm))
    await until(async () => (await statusOf(bridge.id)) === "connected")

    const { id } = await bob.send(phone.number, "the first after a month")
    await message(id)
    expect(await sendText(bridge.id, bob.number, "ours")).toMatchObject({ status: 200 })
    expect(await bob.read({ text: "ours" })).toMatchObject([{ times: 1 }])
    await message((await bob.send(phone.number, "the second")).id)
    expect(await network.control.settled(`${phone.number}:1`, 10_000)).toBe(true)
    const bodies = (await eventsOfType(bridge.id, "message")).map(({ body }) => body)
    expect(bodies.filter((body) => body.startsWith("the "))).toEqual([
      "the first after a month",
      "the second",
    ])
  },
)
