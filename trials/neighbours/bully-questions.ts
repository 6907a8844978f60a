import { Agent, request } from "undici"
import type { Customer, Service } from "#test/support/service/service.ts"

/**
 * The answers to the bully: how often each status came, the bytes of the longest one, and the time of the
 * slowest.
 */
export interface Answers {
  statuses: Record<string, number>
  longest: number
  slowestMs: number
}

/** The bully's questions to its bridge, side by side, and the answers. */
export class BullyQuestions {
  readonly #service: Pick<Service, "baseUrl">
  readonly #bully: Customer
  readonly #answers: Answers = { statuses: {}, longest: 0, slowestMs: 0 }
  readonly #running = new Set<Promise<boolean>>()
  // Connections of its own: that a refused body ends one is no neighbour's affair. Fewer than the 511 that
  // may wait to be accepted: more would keep neighbours out before our code hears of them.
  readonly #dispatcher = new Agent({ connections: 256 })

  constructor(service: Pick<Service, "baseUrl">, bully: Customer) {
    this.#service = service
    this.#bully = bully
  }

  /** A path of the bridge's proxy. The bully does not wait for the answer. */
  ask(method: "GET" | "POST", suffix: string, body?: object | string): void {
    const asked: Promise<boolean> = this.#ask(method, suffix, body).then((status) => {
      const { statuses } = this.#answers
      statuses[status] = (statuses[status] ?? 0) + 1
      return this.#running.delete(asked)
    })
    this.#running.add(asked)
  }

  /** Resolves when all was answered. */
  async end(): Promise<Answers> {
    await Promise.all(this.#running)
    await this.#dispatcher.close()
    return this.#answers
  }

  async #ask(method: "GET" | "POST", suffix: string, body?: object | string): Promise<number | "none"> {
    const headers = { authorization: `Bearer ${this.#bully.key}`, "content-type": "application/json" }
    const sentMs = performance.now()
    const said = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    try {
      const answer = await request(`${this.#service.baseUrl}/api/instances/bully/proxy/${suffix}`, {
        method,
        dispatcher: this.#dispatcher,
        headers,
        body: said,
      })
      let length = 0
      // As undici gives them.
      for await (const chunk of answer.body) length += Buffer.byteLength(chunk as Uint8Array)
      this.#answers.longest = Math.max(this.#answers.longest, length)
      const ms = Math.round(performance.now() - sentMs)
      this.#answers.slowestMs = Math.max(this.#answers.slowestMs, ms)
      return answer.statusCode
    } catch {
      // Hung up on in the middle of its body.
      return "none"
    }
  }
}
