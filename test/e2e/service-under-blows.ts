import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Sent } from "#test/chaos/evidence.ts"
import { optionsFrom } from "#test/chaos/options.ts"
import type { Phase } from "#test/chaos/phases.ts"
import { phonesAt } from "#test/chaos/phones.ts"
import { seeded } from "#test/chaos/random.ts"
import { startReceiver } from "#test/chaos/receiver.ts"
import { sendOnce } from "#test/chaos/send-once.ts"
import { newAccount, newLine } from "#test/chaos/setup.ts"
import { cut } from "#test/chaos/weather.ts"
import { startWorld } from "#test/chaos/world.ts"
import { until } from "#test/support/until.ts"

/** Somebody dies on the way to what is waited for; the tests give up after a minute. */
const withinMs = 50_000

/** The whole service as processes, with one bridge that is linked, and a way to strike it at a named step. */
export async function startService() {
  const options = optionsFrom(["--bridges", "1"])
  const dir = mkdtempSync(join(tmpdir(), "messaging-bridge-e2e-"))
  const world = await startWorld(options, dir)
  const receiver = await startReceiver(seeded(1))
  const phones = phonesAt(world.simulator.controlUrl)
  const api = () => world.api.living()[0]?.ready.url
  const apiKey = await newAccount(options.bridges)
  const line = await newLine("b1", { phones, receiver, apiKey, api: api()! })
  const { bridge, contact, owner, device } = line
  let messages = 0

  /** Lets somebody take the blow of a phase, and waits until it has fallen. */
  async function strike({ step, blow, needs }: Phase): Promise<void> {
    // While a delivery still looks, nobody promises a doorbell or rings: those steps would never be met.
    await until(async () => ((await deliveryOf(apiKey, bridge))?.due ?? 0) === 0, { withinMs })
    await bringAbout(needs)
    world.steps.arm(step, blow)
  }

  async function fallen({ blow, step }: Phase): Promise<void> {
    const { pid } = await until(() => world.steps.met()[0], { what: `somebody at "${step}"`, withinMs })
    // Longer than its lease lives.
    if (blow === "SIGSTOP") setTimeout(() => process.kill(pid, "SIGCONT"), 6 * options.beat)
  }

  async function bringAbout(needs: Phase["needs"]): Promise<void> {
    switch (needs) {
      case undefined:
      case "failure":
        return
      case "lost answer":
        return world.room.add({ fault: "lost-answer", containing: '"acked"', ms: 50, times: 1 })
      case "throttling":
        return world.room.add({ fault: "throughput-exceeded", containing: "JOURNAL#", times: 3 })
      case "refusal":
        return await phones.fault({ kind: "nack", code: 463, device, times: 1 })
      case "redelivery":
        return await phones.fault({ kind: "cut_before_receipt", device, times: 1 })
      case "no end of backlog":
        await phones.fault({ kind: "no_offline", device, times: 1 })
        return await goAway()
      case "backlog":
        return await goAway()
    }
  }

  /** The bridge is not on the network for a moment. */
  async function goAway(): Promise<void> {
    await phones.fault({ kind: "refuse_upgrade", code: 503, times: 1 })
    await cut(phones, device)
  }

  return {
    strike,
    fallen,
    /** A customer's keyed send, asked again until it succeeds. */
    async send(): Promise<Sent> {
      const one = { bridge, text: `out ${++messages}`, status: 0, messageId: undefined, tries: 0 }
      await sendOnce({ api, apiKey }, one, { contact, giveUp: () => false, waitMs: () => 200 })
      return one
    },
    /** The ids under which the contact is shown a text. */
    async shown(text: string): Promise<string[]> {
      await until(async () => (await phones.read(contact)).some((read) => read.text === text), { withinMs })
      return (await phones.read(contact)).filter((read) => read.text === text).map(({ id }) => id)
    },
    /** Three messages of the contact, one after the other. */
    async write(): Promise<string[]> {
      const texts = [1, 2, 3].map(() => `in ${++messages}`)
      for (const text of texts) await phones.send(contact, owner, text)
      return texts
    },
    /** The messages that the customer's receiver has got, once these are among them: first deliveries, in order. */
    async received(texts: string[]): Promise<{ text: string | undefined; eventIds: number }[]> {
      const arrived = (text: string) => receiver.arrivals.some((arrival) => arrival.text === text)
      await until(() => texts.every(arrived), { what: texts.join(), withinMs })
      const found = receiver.arrivals.filter(({ text }) => text !== undefined && texts.includes(text))
      const byText = Map.groupBy(found, ({ text }) => text)
      return [...byText].map(([text, all]) => ({
        text,
        eventIds: new Set(all.map(({ eventId }) => eventId)).size,
      }))
    },
    /** The contact calls. */
    call: () => phones.call(contact, owner),
    /** How many events of this type the receiver was given. */
    events: (type: string) =>
      new Set(receiver.arrivals.filter((one) => one.type === type).map(({ eventId }) => eventId)).size,
    /** What the network saw that somebody could not read. */
    async unreadable() {
      const { not_decrypted: failures } = await phones.get(contact)
      return Object.values(failures).reduce((sum, count) => sum + count, 0)
    },
    stop: async () => {
      receiver.stop()
      await world.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Loaded late: what is imported reads the environment of the world. */
async function deliveryOf(apiKey: string, customerRef: string) {
  const { ApiKey } = await import("#core/api-key.ts")
  const { Bridge } = await import("#core/bridge.ts")
  const { Delivery } = await import("#core/delivery.ts")
  const owner = await ApiKey.verify(apiKey)
  const { id } = await Bridge.get(owner!.accountId, customerRef)
  return await Delivery.get(id)
}
