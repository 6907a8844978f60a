import { z } from "zod"
import { Unexpected } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { until } from "#test/support/until.ts"
import type { Machine } from "./machine.ts"

const reference = "shop"
const Status = z.object({ status: z.string() })

/** A customer's number on this machine. Its events go to its inbox. */
export class LinkedNumber {
  readonly #machine: Machine
  readonly #key: string
  #phones: { owner: string; friend: string } | undefined

  private constructor(machine: Machine, key: string) {
    this.#machine = machine
    this.#key = key
  }

  /** Makes an account and a bridge, and links a simulated phone to it over https. */
  static async link(machine: Machine): Promise<LinkedNumber> {
    const number = new LinkedNumber(
      machine,
      await made(machine, "account create Customer active --key", "key"),
    )
    await number.#call("POST", "", { customer_ref: reference })
    const network = await networkOf(machine)
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
    await (await networkOf(this.#machine)).send(friend, owner, text)
    await until(async () =>
      (await (await this.#call("GET", `/${reference}/events?state=inbox`)).text()).includes(text),
    )
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
    return await this.#machine.ask(`/api/instances${path}`, { method, headers, ...said })
  }

  async #call(method: string, path: string, body?: unknown) {
    const answer = await this.#ask(method, path, body)
    if (!answer.ok) throw new Unexpected(`${method} ${path} is answered ${answer.status}`)
    return answer
  }
}

/** What a verb of the operator's has made, by the name that it is printed under. */
async function made(machine: Machine, verb: string, name: string): Promise<string> {
  const said = await machine.run(`sudo /opt/messaging-bridge/one-machine/admin ${verb}`)
  return new RegExp(`${name}=(\\S+)`).exec(said)![1]!
}

/** The simulated phones. Their port is another one after each start. */
async function networkOf(machine: Machine) {
  return networkClient({ controlUrl: (await findRunning(machine.dataDir))!.phonesUrl })
}
