import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { getRequestListener, type HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import { agents } from "./agents.ts"
import { api } from "./api.ts"
import { World } from "./book.ts"
import { Troubles, Webhooks } from "./webhooks.ts"

/**
 * Chatwoot, as far as a program needs it that serves inboxes of the kind API: contacts, conversations and
 * messages of one account, and agents who write. Made after its public documentation and its sources; no real
 * one was asked.
 */
export async function startPretendChatwoot({ port = 0 } = {}) {
  const token = randomBytes(12).toString("hex")
  const world = new World()
  const troubles = new Troubles()
  const webhooks = new Webhooks(world, troubles)
  const urlOf = (id: string) => `${url}/files/${id}`

  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (c, next) => {
    const trouble = troubles.request(c.req.method, c.req.path)
    if (trouble === "away") {
      c.env.incoming.destroy()
      return new Response()
    }
    if (trouble === "broken") return c.json({ error: "broken" }, 502)
    await c.req.raw.clone().arrayBuffer()
    // The caller hears that the connection is gone, and the work is done after that.
    if (trouble === "slow") c.env.outgoing.destroy()
    if (trouble === "slow") await sleep(troubles.slowMs)
    await next()
    if (trouble === "lost") c.env.outgoing.destroy()
    return undefined
  })
  app.get("/files/:id", (c) => {
    const file = world.files.get(c.req.param("id"))
    return file ? c.body(file.bytes, 200, { "content-type": file.type }) : c.notFound()
  })
  app.route("/", api({ token, world, tell: (...told) => webhooks.tell(...told), urlOf }))

  const answer = getRequestListener(app.fetch)
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    token,
    account: 1,
    world,
    troubles,
    ...agents(world, webhooks, urlOf),
    async close() {
      await webhooks.idle()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type PretendChatwoot = Awaited<ReturnType<typeof startPretendChatwoot>>
