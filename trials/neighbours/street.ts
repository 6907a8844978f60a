import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { startService } from "#test/support/service/service.ts"
import { silence, startReceiver } from "#test/support/service/start-receiver.ts"
import { limitCpuShare } from "../quota.ts"

export type Street = Awaited<ReturnType<typeof startStreet>>

/** The usual limits of an API key (Contract, "Rate limits"). */
export const oneKey = { RATE_LIMIT_PROXY: "120", RATE_LIMIT_OTHER: "120" }

/**
 * Accounts of a whole running service, each with a linked bridge, all at one session host; under the limits
 * that `environment` sets. The limit of an address is out of the way, since all requests come from this
 * machine.
 */
export async function startStreet(environment: Record<string, string>) {
  const service = await startService(environment)
  // It takes connections and never answers.
  const dead = await startReceiver(() => silence)
  const stop = async () => {
    await dead.stop()
    await service.stop()
    service.remove()
  }
  const { network } = service
  try {
    const [neighbour, bully] = [await service.customer("neighbour"), await service.customer("bully")]
    const [ada, bob, eve] = await Promise.all(["Ada", "Bob", "Eve"].map((name) => network.create(name)))
    await neighbour.linked("shop", ada!.number)
    await bully.linked("bully", eve!.number, { webhook_url: dead.url })
    await network.send(bob!.number, eve!.number, "for nobody")
    return {
      service,
      neighbour,
      bully,
      /** With whom the neighbour writes, and its own number. */
      chat: bob!.number,
      ada: ada!.number,
      /** The bully's webhook. */
      dead: dead.url,
      /** The bully's own number. */
      eve: eve!.number,
      /** Puts so many people into a phone's address book. @returns their numbers */
      async addressBook(number: string, count: number): Promise<string[]> {
        const { numbers } = await network.crowd({ count })
        const people = numbers.map((one, n) => ({
          number: one,
          full_name: `Contact ${n}`,
          first_name: `${n}`,
        }))
        await network.addressBook(number, people)
        return numbers
      },
      /** A group of so many. @returns its JID */
      async group(creator: string, count: number): Promise<string> {
        const { numbers } = await network.crowd({ count, devices: 1.5 })
        const { jid } = await network.group({ creator, subject: "Everybody", members: numbers })
        return jid
      },
      /** From now on session hosts run for this share of the time. @returns what ends that */
      async slowDown(share: number): Promise<() => Promise<void>> {
        const ends = (await sessionHostPids(service)).map((pid) => limitCpuShare(pid, share))
        return async () => {
          await Promise.all(ends.map((end) => end()))
        }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
