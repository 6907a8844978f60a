import { createHmac, randomBytes } from "node:crypto"
import type { Conversation, Message, World } from "./book.ts"

/**
 * What may happen to a request: nobody is there; its answer is lost; it is done only some time after its
 * caller has heard that the connection is gone; a proxy answers that Chatwoot does not.
 */
export type Trouble = "away" | "lost" | "slow" | "broken" | undefined

/** What goes wrong, as a test decides it. */
export class Troubles {
  request = (_method: string, _path: string): Trouble => undefined
  /** How often a webhook is called: once, unless Chatwoot's queue runs a job twice, or not at all. */
  calls = (_event: string): number => 1
  slowMs = 200
  /** How long a webhook may take (Chatwoot's own default). */
  timeoutMs = 5000
}

/** Chatwoot's calls of the webhooks of its inboxes: signed, once, and without a second try. */
export class Webhooks {
  readonly #world: World
  readonly #troubles: Troubles
  readonly #calls = new Set<Promise<void>>()

  constructor(world: World, troubles: Troubles) {
    this.#world = world
    this.#troubles = troubles
  }

  /** Calls the webhook of a conversation's inbox. A message whose call fails is called failed. */
  tell(conversation: Conversation, payload: { event: string; id: number }, message?: Message): void {
    const inbox = this.#world.inboxes.get(conversation.inbox_id)
    if (!inbox?.webhook_url) return
    for (let n = this.#troubles.calls(payload.event); n > 0; n--) {
      const call = this.#call(inbox.webhook_url, inbox.secret, payload).catch(() => {
        if (message?.message_type === 1 && message.status === "sent") message.status = "failed"
      })
      this.#calls.add(call)
      void call.finally(() => this.#calls.delete(call))
    }
  }

  async idle(): Promise<void> {
    await Promise.all(this.#calls)
  }

  async #call(hook: string, secret: string, payload: object): Promise<void> {
    const body = JSON.stringify(payload)
    const time = `${Math.floor(Date.now() / 1000)}`
    const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")
    const answer = await fetch(hook, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-chatwoot-delivery": randomBytes(8).toString("hex"),
        "x-chatwoot-timestamp": time,
        "x-chatwoot-signature": `sha256=${mac}`,
      },
      body,
      signal: AbortSignal.timeout(this.#troubles.timeoutMs),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`${answer.status}`)
  }
}
