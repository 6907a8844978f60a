import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { now } from "../clock.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { sendToDevice } from "../network/send-to-device.ts"
import { newId } from "../phone/outgoing-messages.ts"
import { noticeOf } from "../stanzas/unsolicited-notices.ts"
import { el, type Node } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { until } from "./http/wait.ts"
import * as Schema from "./schemas.ts"

/** How a connection can be ended. */
const goodbyes = {
  replaced: () => el("stream:error", {}, [el("conflict", { type: "replaced" })]),
  device_removed: (reason?: string) =>
    el("stream:error", { code: "401" }, [el("conflict", { type: "device_removed", reason })]),
  restart: () => el("stream:error", { code: "515" }),
  unavailable: () => el("stream:error", { code: "503" }),
  rate_limited: () => el("stream:error", { code: "429" }),
}

/** Companions as the network sees them: what waits for them, and their connections. */
export function routeStanzasAndConnections(app: OpenAPIHono, network: Network) {
  routeStanzas(app, network)
  routeConnections(app, network)
}

function routeStanzas(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "get",
      path: "/devices/{device}/settled",
      summary: "Whether a device has settled all that was queued for it; waits until it has",
      query: Schema.Wait,
      answer: Schema.Settled,
    },
    async ({ params, query, signal }) => {
      const device = deviceOf(network, params.device)
      const [isSettled] = await until({
        read: () => (network.queue.last(device) === 0 ? [true] : []),
        enough: 1,
        waitMs: query.wait,
        listen: (again) => network.log.listen(again),
        signal,
      })
      return { settled: isSettled ?? false, waiting: network.queue.counts(device) }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/devices/{device}/stanzas",
      summary:
        "Queue any stanza for a device: it comes again with each connection until it is settled. Stanzas that no client settles are sent once",
      body: Schema.NewStanza,
      answer: z.object({ id: z.string() }),
      status: 201,
    },
    ({ params, body }) => {
      const device = deviceOf(network, params.device)
      const { tag, attrs, content } = nodeOf(Schema.Stanza.parse(body))
      const { id = newId() } = attrs
      send(network, device, el(tag, named.has(tag) ? { ...attrs, id } : attrs, content))
      return { id }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/devices/{device}/notices",
      summary: "Tell a device what the live network tells unasked, or that built wrongly",
      body: Schema.NewNotice,
      answer: z.object({ id: z.string() }),
      status: 201,
    },
    ({ params, body }) => {
      const device = deviceOf(network, params.device)
      const own = network.directory.user(device.user)
      const contact = network.directory.user(body.about)
      if (!own || !contact) throw new ControlError(404, "unknown_phone", "nobody has this number")
      const about = { network, own, contact, group: body.group }
      const { tag, attrs, content } = noticeOf(body.kind, about, body.wrong)
      const id = newId()
      send(network, device, el(tag, named.has(tag) ? { id, ...attrs } : attrs, content))
      return { id }
    },
  )
}

function routeConnections(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/devices/{device}/absence",
      summary:
        "A companion was last available so many days ago; after fifteen its phone warns that it is inactive",
      body: Schema.Absence,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const found = network.directory.device(deviceOf(network, params.device))
      if (found) network.directory.saveDevice({ ...found, lastAvailable: now() - body.days * 86_400 })
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/connections/{device}/end",
      summary: "End a device's connection",
      body: Schema.EndConnection,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const line = network.lines.get(params.device ?? "")
      if (!line || line.device.id === 0)
        throw new ControlError(404, "not_connected", "this device is not connected")
      if (body.how === "cut") line.cut()
      else line.end(goodbyes[body.how](body.reason))
      return {}
    },
  )
}

/** The stanzas that wait for a device until it has settled them; others are for a connection. */
const settled = new Set(["message", "status", "appdata", "receipt", "notification", "call"])

/** Stanzas that need an id, since an answer names it. */
const named = new Set([...settled, "iq"])

function send(network: Network, device: DeviceAddress, stanza: Node) {
  if (settled.has(stanza.tag)) sendToDevice(network, device, stanza)
  else network.lines.get(deviceName(device))?.send(stanza)
}

function nodeOf({ tag, attrs, content }: Schema.Stanza): Node {
  if (Array.isArray(content)) return el(tag, attrs, content.map(nodeOf))
  return el(tag, attrs, typeof content === "object" ? Buffer.from(content.base64, "base64") : content)
}

/** @throws ControlError if there is no such device */
function deviceOf(network: Network, text: string | undefined): DeviceAddress {
  const [user = "", id = "0"] = Schema.DeviceName.parse(text).split(":")
  const device = { user, id: Number(id) }
  if (!network.directory.device(device))
    throw new ControlError(404, "unknown_device", "nobody has this device")
  return device
}
