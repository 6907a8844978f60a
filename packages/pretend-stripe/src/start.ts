import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { api } from "./api.ts"
import { openBook, price } from "./book.ts"
import { pages } from "./pages.ts"
import { advance, catchUp } from "./pass-time.ts"
import { webhooks as startWebhooks } from "./webhooks.ts"
import { now, type World } from "./world.ts"

interface Input {
  /** Where its webhooks go. */
  webhookUrl: string
  /** Signs them. */
  webhookSecret: string
  /**
   * The key of its API, `sk_test_…`, a new one if absent. Its pages are under a path that follows from the
   * key.
   */
  key?: string
  /** Any free one, if absent. */
  port?: number
  /** Keeps everything across restarts. */
  file?: string
}

/**
 * Stripe, as far as a subscription needs it: its API for the official SDK, its hosted pages, its webhooks,
 * and a clock that can be advanced. Amounts are a price times a quantity, prorated for numbers that come or
 * go during a period. There are no taxes.
 */
export async function startPretendStripe(input: Input) {
  const { key = newKey() } = input
  const door = createHash("sha256").update(key).digest("hex").slice(0, 32)
  let url = ""
  const faults: Faults = { broken: 0, failing: 0, isAway: false }
  const { book, keep } = openBook(input.file)
  let keys = [key]
  let secrets = [input.webhookSecret]
  const webhooks = startWebhooks({
    url: input.webhookUrl,
    secrets: () => secrets,
    now: () => now({ book }),
  })
  const world: World = { book, url: () => url, emit: webhooks.emit }

  const app = appOf(world, { keep, door, keys: () => keys, faults })
  const answer = getRequestListener(app.fetch)
  const server = createServer((request, response) => {
    const isCall = request.url?.startsWith("/v1/") ?? false
    if (faults.isAway && isCall) return void request.socket.destroy()
    void answer(request, response)
  })
  server.listen(input.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${door}`

  return {
    /** Where its pages are. Its API is at the same port, under `/v1`, as Stripe's is. */
    url,
    /** The settings of a service that uses it. */
    environment: {
      BILLING: "pretend",
      STRIPE_API_BASE: url,
      STRIPE_SECRET_KEY: key,
      STRIPE_WEBHOOK_SECRET: input.webhookSecret,
      STRIPE_PRICE: price.id,
    },
    book,
    webhooks,
    /** Days pass. */
    advance: (days: number) => {
      advance(world, days * 86_400)
      keep()
    },
    /** Makes its API unreachable, or reachable again. */
    away: (is: boolean) => void (faults.isAway = is),
    /** Makes the next changes through its API, but loses their answers. */
    loseAnswers: (count: number) => void (faults.broken = count),
    /** Fails the next changes through its API. */
    fail: (count: number) => void (faults.failing = count),
    /** Adds a key, and a secret of the webhooks. */
    roll: (next: { key: string; webhookSecret: string }) => {
      keys = [...keys, next.key]
      secrets = [...secrets, next.webhookSecret]
    },
    /** Leaves only the latest key and the latest secret. */
    revoke: () => {
      keys = keys.slice(-1)
      secrets = secrets.slice(-1)
    },
    close: async () => {
      await webhooks.close()
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Faults {
  /** How many answers will still break off after the work is done. */
  broken: number
  /** How many changes will still fail, with a 500. */
  failing: number
  isAway: boolean
}

function appOf(
  world: World,
  { keep, door, keys, faults }: { keep: () => void; door: string; keys: () => string[]; faults: Faults },
) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (c, next) => {
    catchUp(world)
    await next()
    keep()
    if (faults.broken === 0 || c.req.method !== "POST" || !c.req.path.startsWith("/v1/")) return
    faults.broken -= 1
    c.env.outgoing.destroy()
  })
  app.route("/", api({ world, keys, isBroken: () => faults.failing-- > 0 }))
  app.route(`/${door}`, pages(world))
  return app
}

/** A key for the API of a pretend Stripe. */
export function newKey(): string {
  return `sk_test_${randomBytes(24).toString("hex")}`
}
