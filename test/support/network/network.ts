import type { AuthenticationState, UserFacingSocketConfig } from "@whiskeysockets/baileys"
import { type NetworkClient, networkClient } from "#one-machine/network/client.ts"
import { startSimulator } from "#simulator/simulator.ts"
import { closeAtEnd } from "../sharing/close-leftovers.ts"
import { type Client, connect, newDevice } from "./baileys-client.ts"
import { aPhone } from "./phone.ts"

export type Network = Awaited<ReturnType<typeof aNetwork>>

/** A simulated network for this test file alone, controlled over its control API as by any other client. */
export async function aNetwork(input: { dataDir?: string } = {}) {
  let simulator = await startSimulator(input)
  const clients = new Set<Client>()
  let isClosed = false
  closeAtEnd(close)
  async function close() {
    for (const one of clients) one.close()
    if (!isClosed) await simulator.close()
    isClosed = true
  }
  const client = (device?: AuthenticationState, config?: Partial<UserFacingSocketConfig>) => {
    const made = connect(simulator, device, config)
    clients.add(made)
    return made
  }
  const control = networkClient({
    get controlUrl() {
      return simulator.controlUrl
    },
  })
  return {
    get url() {
      return simulator.url
    },
    get controlUrl() {
      return simulator.controlUrl
    },
    get rootKey() {
      return simulator.rootKey
    },
    get tlsUrl() {
      return simulator.tlsUrl
    },
    get ca() {
      return simulator.ca
    },
    ...controlsOf(control),
    /** A Baileys socket on this network, closed with it. */
    client,
    /** A Baileys client linked to this phone, logged in and open. */
    async paired(
      phone: { scan(qr: string): Promise<unknown> },
      config?: Partial<UserFacingSocketConfig>,
    ): Promise<Client> {
      const device = newDevice()
      const unlinked = client(device)
      await phone.scan(await unlinked.qr())
      await unlinked.closed()
      const linked = client(device, config)
      await linked.online()
      await control.settled(deviceOf(linked), 10_000)
      return linked
    },
    /** A client of Ada's, and Bob, with whom she may write. */
    async chat() {
      const [ada, bob] = [await this.phone("Ada"), await this.phone("Bob")]
      const linked = await this.paired(ada)
      return { ada, bob, client: linked, device: deviceOf(linked) }
    },
    close,
    /** Stops the network and starts it again on the same folder, at new ports. */
    async restart() {
      await simulator.close()
      simulator = await startSimulator(input)
    },
  }
}

/** What tests ask of a network over its control API. */
function controlsOf(control: NetworkClient) {
  return {
    /** The whole control API. */
    control,
    /**
     * How often this device has asked for others' keys. It tells the network of its own prekeys whenever it
     * likes.
     */
    async keyQuestions(device: string): Promise<number> {
      const log = await control.log({ who: device, kind: "in", attrs: { xmlns: "encrypt", type: "get" } })
      return log.filter(({ stanza }) => JSON.stringify(stanza?.content).includes('"user"')).length
    },
    call: control.call,
    fault: control.fault,
    phone: (name?: string, number?: string) => aPhone(control, name, number),
    /** A group of phones, created by the first of them. */
    group: async (members: { number: string }[], addressing?: "lid" | "pn", subject = "A group") => {
      const [creator = "", ...rest] = members.map(({ number }) => number)
      return await control.group({ creator, members: rest, addressing, subject })
    },
    /** The matching entries that the network's log has, or gets within 10 s. */
    log: (match: Parameters<typeof control.log>[0]) => control.log({ wait: 10_000, ...match }),
  }
}

/** A client's device as the control API names it: `number:device`. */
export const deviceOf = (client: Client) => client.device.creds.me?.id.split("@")[0] ?? ""
