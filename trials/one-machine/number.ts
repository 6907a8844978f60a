import type { fetch } from "undici"
import { z } from "zod"
import { Unexpected } from "#one-machine/api-client.ts"
import type { NetworkClient } from "#one-machine/network/client.ts"
import { until } from "#test/support/until.ts"

const reference = "shop"
const Status = z.object({ status: z.string() })

/** Where a service runs, and how it is reached. */
export interface Place {
  /** A request as people's browsers and programs make it: over https, through Caddy. */
  ask: (path: string, init?: Parameters<typeof fetch>[1]) => ReturnType<typeof fetch>
  /** Runs a verb of the operator's. @returns what it printed @throws Unexpected when it fails */
  admin: (words: string) => Promise<string>
  /** The simulated phones. Their port may be another one after each start. */
  network: () => Promise<NetworkClient>
}

/** A customer's number. Its events go to its inbox. */
export class LinkedNumber {
  readonly #place: Place
  readonly #key: string
  #phones: { owner: string; friend: string } | undefined

  private constructor(place: Place, key: string) {
    this.#place = place
    this.#key = key
  }

  /** Makes an account and a bridge, and links a simulated phone to it over https. */
  static async link(place: Place): Promise<LinkedNumber> {
    const said = await place.admin("account create Customer active --key")
    const number = new LinkedNumber(place, /key=(\S+)/.exec(said)![1]!)
    await number.#call("POST", "", { customer_ref: reference })
    const network = await place.network()
    const [owner, friend] = [await network.create("Grace"), await network.create("Ada")]
    number.#phones = { owner: owner.number, friend: friend.number }
    await until(async () => {
      const code = await number.#ask("GET", `/${reference}/proxy/qr`)
      if (code.ok) await network.scan(owner.number, new Uint8Array(await code.arrayBuffer()))
      return (await number.status()) === "connected"
    })
    return number
  }

  async status(): Promise<string> {
    return Status.parse(await (await this.#call("GET", `/${reference}/proxy/status`)).json()).status
  }

  /** Has a friend write to the number now, and resolves when the number has the event. */
  async receives(text: string): Promise<void> {
    const { owner, friend } = this.#phones!
    await (await this.#place.network()).send(friend, owner, text)
    await until(async () =>
      (await (await this.#call("GET", `/${reference}/events?state=inbox`)).text()).includes(text),
    )
  }

  /** Writes to a friend, and resolves when the friend's phone has read it. */
  async sends(text: string): Promise<void> {
    const { owner, friend } = this.#phones!
    await this.#call("POST", `/${reference}/proxy/send/text`, { chat: friend, body: text })
    const network = await this.#place.network()
    const read = async () => await network.read(friend, { from: owner, wait: 5000 })
    await until(async () => JSON.stringify(await read()).includes(text))
  }

  /** A call to its session is refused with this code. */
  async isRefused(code: string): Promise<void> {
    const answer = await this.#ask("GET", `/${reference}/proxy/status`)
    const said = await answer.text()
    if (!said.includes(`"${code}"`)) throw new Unexpected(`it is answered ${answer.status}: ${said}`)
  }

  async #ask(method: string, path: string, body?: unknown) {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" }
    const said = body === undefined ? {} : { body: JSON.stringify(body) }
    return await this.#place.ask(`/api/instances${path}`, { method, headers, ...said })
  }

  async #call(method: string, path: string, body?: unknown) {
    const answer = await this.#ask(method, path, body)
    if (!answer.ok) throw new Unexpected(`${method} ${path} is answered ${answer.status}`)
    return answer
  }
}
