import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { deliver } from "../network/delivery.ts"
import type { Address } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { newId } from "../phone/outgoing.ts"
import { el, type Node } from "../wire/node.ts"
import { ControlError } from "./errors.ts"
import { route } from "./route.ts"
import * as Schema from "./schemas.ts"
import { until } from "./wait.ts"

/** How a connection can be ended. */
const goodbyes = {
  replaced: el("stream:error", {}, [el("conflict", { type: "replaced" })]),
  device_removed: el("stream:error", { code: "401" }, [el("conflict", { type: "device_removed" })]),
  restart: el("stream:error", { code: "515" }),
  unavailable: el("stream:error", { code: "503" }),
}

/** What tests of clients look at and do to them: the log, settled queues, faults, ends. */
export function oracles(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "get",
      path: "/log",
      summary: "What the network saw and sent; waits until something matches",
      query: Schema.ReadLog,
      answer: z.array(Schema.Entry),
    },
    ({ query, signal }) =>
      until({
        read: () => matching(network, query),
        enough: 1,
        waitMs: query.wait,
        listen: (again) => network.log.listen(again),
        signal,
      }),
  )
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
      const device = deviceOf(params.device)
      const [settled] = await until({
        read: () => (network.queue.last(device) === 0 ? [true] : []),
        enough: 1,
        waitMs: query.wait,
        listen: (again) => network.log.listen(again),
        signal,
      })
      return { settled: settled ?? false, waiting: network.queue.counts(device) }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/devices/{device}/stanzas",
      summary: "Queue any stanza for a device: it comes again with each connection until it is settled",
      body: Schema.NewStanza,
      answer: z.object({ id: z.string() }),
      status: 201,
    },
    ({ params, body }) => {
      const device = deviceOf(params.device)
      if (!network.directory.device(device))
        throw new ControlError(404, "unknown_device", "nobody has this device")
      const { tag, attrs, content } = nodeOf(Schema.Stanza.parse(body))
      const { id = newId() } = attrs
      deliver(network, device, el(tag, { ...attrs, id }, content))
      return { id }
    },
  )
  route(
    app,
    { method: "get", path: "/faults", summary: "The faults that are armed", answer: z.array(Schema.Fault) },
    () => network.faults.list(),
  )
  route(
    app,
    {
      method: "post",
      path: "/faults",
      summary: "Arm a fault",
      body: Schema.NewFault,
      answer: Schema.Fault,
      status: 201,
    },
    ({ body }) => network.faults.arm(body),
  )
  route(
    app,
    { method: "delete", path: "/faults", summary: "Remove all faults", answer: z.object({}) },
    () => {
      network.faults.clear()
      return {}
    },
  )
  route(
    app,
    { method: "delete", path: "/faults/{id}", summary: "Remove a fault", answer: z.object({}) },
    ({ params }) => {
      if (!network.faults.remove(Number(params.id)))
        throw new ControlError(404, "unknown_fault", "no such fault")
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/connections/{device}/end",
      summary: "End a device's connection",
      body: Schema.End,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const line = network.lines.get(params.device ?? "")
      if (!line || line.device.id === 0)
        throw new ControlError(404, "not_connected", "this device is not connected")
      if (body.how === "cut") line.cut()
      else line.end(goodbyes[body.how])
      return {}
    },
  )
  route(
    app,
    {
      method: "delete",
      path: "/media/{kind}/{name}",
      summary: "Make the network forget a file, as after a month",
      answer: z.object({}),
    },
    ({ params }) => {
      if (!network.media.forget(`/v/${params.kind}/${params.name}`))
        throw new ControlError(404, "unknown_media", "no such file")
      return {}
    },
  )
}

function matching(network: Network, query: z.output<typeof Schema.ReadLog>) {
  const { kind, who, tag, event } = query
  const attrs = Object.entries(attributesOf(query.attrs))
  return network.log
    .after(query.after)
    .filter((entry) => kind === undefined || entry.kind === kind)
    .filter((entry) => who === undefined || entry.who.startsWith(who))
    .filter((entry) => tag === undefined || entry.stanza?.tag === tag)
    .filter((entry) => event === undefined || entry.event === event)
    .filter(({ stanza }) => attrs.every(([name, value]) => stanza?.attrs[name] === value))
}

function attributesOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  try {
    return Schema.Attributes.parse(JSON.parse(text))
  } catch {
    throw new ControlError(400, "invalid_request", "`attrs` is a JSON object of strings")
  }
}

function nodeOf({ tag, attrs, content }: Schema.Stanza): Node {
  if (Array.isArray(content)) return el(tag, attrs, content.map(nodeOf))
  return el(tag, attrs, typeof content === "object" ? Buffer.from(content.base64, "base64") : content)
}

function deviceOf(text: string | undefined): Address {
  const [user = "", id = "0"] = Schema.DeviceName.parse(text).split(":")
  return { user, id: Number(id) }
}
