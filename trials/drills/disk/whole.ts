import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { StoredEvent } from "#contract/stored-event.ts"
import { apiClient, Unexpected } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { link } from "#one-machine/network/link.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { noRateLimits, type SpawnedService, spawnService } from "#one-machine/service/spawn-service.ts"
import { type Random, seeded } from "#test/support/random.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { mountSmallDisk, type SmallDisk } from "#test/support/small-disk.ts"
import { until } from "#test/support/until.ts"

/**
 * What the whole service must never do: lose a message, send one twice, end, go on refusing, or use up its
 * reserve.
 */
export type WholeFault = "lost" | "twice" | "crashed" | "stuck" | "unguarded"

export interface WholeOutcome {
  faults: WholeFault[]
  /** Messages that the network took, and that the API accepted; refusals of either. */
  in: number
  out: number
  refused: number
}

/** The service with its compiled code needs a third of it. */
const megabytes = 80
/** The service's reserve, where it has one. */
const reserveMb = 25
const ref = "shop"
/**
 * Longer than a claim on a delivery lasts: one whose outcome the full disk did not take is given up only
 * then.
 */
const patienceMs = 180_000
/** Messages each way in each part of a trial, at most. */
const most = 30

/**
 * The whole service with its data on a small disk: messages in and out while it is filled and freed, then it
 * is killed or stopped and started again. All that was accepted is there, once.
 */
export async function trialOfWhole(seed: number): Promise<WholeOutcome> {
  const disk = mountSmallDisk(megabytes)
  const receiver = await startReceiver()
  let trial: WholeTrial | undefined
  try {
    trial = await WholeTrial.begin(seeded(seed), disk, receiver)
    return await trial.run()
  } finally {
    await trial?.stop()
    await receiver.stop()
    disk.remove()
  }
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

async function startOn(disk: SmallDisk, reserve: number): Promise<SpawnedService> {
  const environment = {
    ...noRateLimits,
    NODE_COMPILE_CACHE: `${disk.folder}/compiled`,
    // As in production: a host that could not beat while the disk was full is rightly declared dead after
    // three beats.
    LEASE_BEAT_MS: "5000",
    STORAGE_RESERVE_MB: String(reserve),
  }
  return await spawnService({ dataDir: disk.folder, environment })
}

class WholeTrial {
  readonly #random: Random
  readonly #disk: SmallDisk
  readonly #receiver: Receiver
  readonly #key: string
  readonly #owner: string
  readonly #contact: string
  readonly #faults: WholeFault[] = []
  /** Texts that the network has taken, and texts that the API has. */
  readonly #in: string[] = []
  readonly #out: string[] = []
  #refused = 0
  /** In MB. Without one the store itself meets the full disk. */
  readonly #reserve: number
  #service: SpawnedService

  static async begin(random: Random, disk: SmallDisk, receiver: Receiver): Promise<WholeTrial> {
    const reserve = random.next() < 0.5 ? 0 : reserveMb
    const service = await startOn(disk, reserve)
    const network = networkClient({ controlUrl: service.phonesUrl })
    const Made = z.object({ key: z.string() })
    const { key } = await service.admin(Made, "account", "create", "shop", "active", "--key")
    const api = apiClient(service.baseUrl, key)
    await api("POST", "/instances", { customer_ref: ref, webhook_url: receiver.url })
    const [owner, contact] = [await network.create("Olga"), await network.create("Carl")]
    const signal = AbortSignal.timeout(60_000)
    await link(ref, { api, scan: (png) => network.scan(owner.number, png), signal })
    const people = { owner: owner.number, contact: contact.number }
    return new WholeTrial({ random, disk, receiver, reserve, service, key, ...people })
  }

  private constructor(of: {
    random: Random
    disk: SmallDisk
    receiver: Receiver
    reserve: number
    service: SpawnedService
    key: string
    owner: string
    contact: string
  }) {
    this.#random = of.random
    this.#reserve = of.reserve
    this.#disk = of.disk
    this.#receiver = of.receiver
    this.#service = of.service
    this.#key = of.key
    this.#owner = of.owner
    this.#contact = of.contact
  }

  async run(): Promise<WholeOutcome> {
    await this.#write(this.#random.between(1, most))
    const hosts = await sessionHostPids(this.#service)
    if (this.#reserve > 0) await this.#useReserve()
    this.#disk.fill(this.#random.next() < 0.5 ? 0 : this.#random.below(300_000))
    const waiting = await this.#write(this.#random.between(5, most))
    this.#disk.free()
    await this.#arrived()
    // Those whose outcome was left open, under their keys.
    for (const text of waiting) await this.#sendAtLast(text)
    if ((await this.#write(this.#random.between(1, most))).length > 0) this.#faults.push("stuck")
    await this.#arrived()
    if (hosts.some((pid) => !isAlive(pid)) || !isAlive(this.#service.pid)) this.#faults.push("crashed")

    const listed = await this.#listed()
    await this.#endService()
    this.#service = await startOn(this.#disk, this.#reserve)
    const still = new Set(await this.#listed())
    for (const one of [...listed, ...this.#in]) if (!still.has(one)) this.#faults.push("lost")
    await this.#write(5)
    await this.#arrived()
    await this.#shown()
    return { faults: this.#faults, in: this.#in.length, out: this.#out.length, refused: this.#refused }
  }

  /** Below the reserve nothing is sent, and all that comes in is delivered. */
  async #useReserve(): Promise<void> {
    this.#disk.fill((this.#reserve - 5) * 1e6)
    await this.#orStuck(
      async () => !(await this.#send(`at the limit ${this.#random.next()}`)),
      "sends are refused",
    )
    const taken = this.#in.length
    const refused = await this.#write(10)
    if (refused.length < 10 || this.#in.length < taken + 10) this.#faults.push("unguarded")
    await this.#arrived()
  }

  async stop(): Promise<void> {
    await this.#service.stop()
  }

  get #network() {
    return networkClient({ controlUrl: this.#service.phonesUrl })
  }

  /** Writes in both directions. @returns the texts that the API refused */
  async #write(count: number): Promise<string[]> {
    const refused: string[] = []
    for (let at = 0; at < count; at++) {
      await this.#writeIn()
      const text = `out ${this.#out.length + refused.length} ${this.#random.next()}`
      if (!(await this.#send(text))) refused.push(text)
    }
    this.#refused += refused.length
    return refused
  }

  /** The simulated network has its data on the same disk, and may refuse as well. */
  async #writeIn(): Promise<void> {
    const text = `in ${this.#in.length} ${this.#random.next()}`
    try {
      await this.#network.send(this.#contact, this.#owner, text)
      this.#in.push(text)
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error
      this.#refused += 1
    }
  }

  async #send(text: string): Promise<boolean> {
    const answer = await fetch(`${this.#service.baseUrl}/api/instances/${ref}/proxy/send/text`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#key}`,
        "content-type": "application/json",
        "idempotency-key": text,
      },
      body: JSON.stringify({ chat: this.#contact, body: text }),
    })
    await answer.text()
    if (answer.ok) this.#out.push(text)
    return answer.ok
  }

  async #sendAtLast(text: string): Promise<void> {
    const sent = async () => {
      if (await this.#send(text)) return true
      await sleep(500)
      return false
    }
    await this.#orStuck(sent, `${text} is sent`)
  }

  async #arrived(): Promise<void> {
    const isHere = (text: string) => this.#receiver.arrivals.some((one) => one.text === text)
    await this.#orStuck(() => this.#in.every(isHere), "all arrives")
  }

  /** What the contact reads: each message once. */
  async #shown(): Promise<void> {
    const texts = async () =>
      (await this.#network.readAll(this.#contact)).flatMap(
        ({ from, text }) => (from === this.#owner && text) || [],
      )
    await this.#orStuck(async () => {
      const shown = new Set(await texts())
      return this.#out.every((text) => shown.has(text))
    }, "all is shown")
    const shown = await texts()
    if (new Set(shown).size < shown.length) this.#faults.push("twice")
  }

  async #orStuck(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
    try {
      await until(look, { what, withinMs: patienceMs })
    } catch (error) {
      console.error(String(error))
      this.#faults.push("stuck")
    }
  }

  /** The texts that the API lists. */
  async #listed(): Promise<string[]> {
    const api = apiClient(this.#service.baseUrl, this.#key)
    const found: string[] = []
    let after = ""
    do {
      const page = await api("GET", `/instances/${ref}/events?type=message${after && `&after=${after}`}`)
      const events = z.array(StoredEvent).parse(await page.json())
      for (const { event } of events) if (event.event === "message") found.push(event.body)
      after = page.headers.get("x-next-after") ?? ""
    } while (after)
    return found
  }

  async #endService(): Promise<void> {
    if (this.#random.next() < 0.5) return await this.#service.stop()
    process.kill(this.#service.pid, "SIGKILL")
    await this.#service.ended
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
