import { type Context, Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { HTTPException } from "hono/http-exception"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { z } from "zod"
import { type Address, key } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { PairingError } from "../network/pairing.ts"
import type { Phone } from "../phone/phone.ts"
import * as Phones from "../phone/phones.ts"
import { readQr } from "../phone/qr-image.ts"
import * as Jid from "../wire/jid.ts"
import { el } from "../wire/node.ts"
import { End, NewFault, NewMessage, NewPhone, Read, ReadLog, Scan, Settled } from "./schemas.ts"
import { until } from "./wait.ts"

/** What went wrong, for the body's `code`; the sentence is for people. */
class ControlError extends Error {
  override name = "ControlError"
  readonly status: ContentfulStatusCode
  readonly code: string
  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** How a connection can be ended. */
const goodbyes = {
  replaced: el("stream:error", {}, [el("conflict", { type: "replaced" })]),
  device_removed: el("stream:error", { code: "401" }, [el("conflict", { type: "device_removed" })]),
  restart: el("stream:error", { code: "515" }),
  unavailable: el("stream:error", { code: "503" }),
}

/** The steering wheel of the simulated network: its phones, its log, its faults. */
export function controlApi(network: Network) {
  const app = new Hono()
  app.use(bodyLimit({ maxSize: 20 * 1024 * 1024 }))

  app.get("/healthz", (c) => c.json({ ok: true }))

  app.post("/phones", async (c) => {
    const input = NewPhone.parse(await json(c))
    return c.json(wire(network, Phones.create(network, input)), 201)
  })
  app.get("/phones", (c) => c.json([...network.phones.values()].map((phone) => wire(network, phone))))
  app.get("/phones/:number", (c) => c.json(wire(network, phoneOf(network, c))))

  app.post("/phones/:number/scan", async (c) => {
    const phone = phoneOf(network, c)
    const device = await phone.scan(await scanned(c))
    return c.json({ device: `${phone.pn}:${device}`, jid: Jid.format(phone.pn, Jid.server, device) })
  })

  app.post("/phones/:number/messages", async (c) => {
    const phone = phoneOf(network, c)
    const input = NewMessage.parse(await json(c))
    const to = network.directory.find(
      Jid.parse(input.to.includes("@") ? input.to : `${input.to}@${Jid.server}`),
    )
    if (!to) throw new ControlError(404, "unknown_recipient", "nobody has this number")
    const sent = await phone.send({
      to,
      content: { conversation: input.text },
      id: input.id,
      mode: input.addressing,
    })
    return c.json(sent, 201)
  })
  app.get("/phones/:number/messages", async (c) => {
    const phone = phoneOf(network, c)
    const input = Read.parse(c.req.query())
    const read = () =>
      phone.inbox
        .after(input.after)
        .filter(({ id }) => input.id === undefined || id === input.id)
        .filter(({ from }) => input.from === undefined || from === input.from)
        .filter(({ text }) => input.text === undefined || text === input.text)
    const { wait: waitMs, count: enough } = input
    return c.json(
      await until({
        read,
        enough,
        waitMs,
        listen: (again) => phone.inbox.listen(again),
        signal: c.req.raw.signal,
      }),
    )
  })

  app.get("/log", async (c) => {
    const input = ReadLog.parse(c.req.query())
    const read = () =>
      network.log
        .after(input.after)
        .filter(({ kind }) => input.kind === undefined || kind === input.kind)
        .filter(({ who }) => input.who === undefined || who.startsWith(input.who))
        .filter(({ stanza }) => input.tag === undefined || stanza?.tag === input.tag)
        .filter(({ event }) => input.event === undefined || event === input.event)
        .filter(({ stanza }) =>
          Object.entries(input.attrs ?? {}).every(([name, value]) => stanza?.attrs[name] === value),
        )
    return c.json(
      await until({
        read,
        enough: 1,
        waitMs: input.wait,
        listen: (again) => network.log.listen(again),
        signal: c.req.raw.signal,
      }),
    )
  })

  /** Whether the device has settled all that was queued for it. */
  app.get("/devices/:device/settled", async (c) => {
    const device = deviceOf(c.req.param("device"))
    const input = Settled.parse(c.req.query())
    const [settled] = await until({
      read: () => (network.queue.last(device) === 0 ? [true] : []),
      enough: 1,
      waitMs: input.wait,
      listen: (again) => network.log.listen(again),
      signal: c.req.raw.signal,
    })
    return c.json({ settled: settled ?? false, waiting: network.queue.counts(device) })
  })

  app.get("/faults", (c) => c.json(network.faults.list()))
  app.post("/faults", async (c) => c.json(network.faults.arm(NewFault.parse(await json(c))), 201))
  app.delete("/faults", (c) => {
    network.faults.clear()
    return c.json({})
  })
  app.delete("/faults/:id", (c) => {
    if (!network.faults.remove(Number(c.req.param("id"))))
      throw new ControlError(404, "unknown_fault", "no such fault")
    return c.json({})
  })
  app.post("/connections/:device/end", async (c) => {
    const { how } = End.parse(await json(c))
    const line = network.lines.get(c.req.param("device"))
    if (!line || line.device.id === 0)
      throw new ControlError(404, "not_connected", "this device is not connected")
    if (how === "cut") line.cut()
    else line.end(goodbyes[how])
    return c.json({})
  })

  app.notFound((c) => c.json({ error: "no such path", code: "not_found" }, 404))
  app.onError((error, c) => {
    const [status, code] = statusOf(error)
    if (status === 500) network.log.note("control", "failed", { path: c.req.path, error: String(error) })
    const message = error instanceof z.ZodError ? z.prettifyError(error) : error.message
    return c.json({ error: message, code }, status)
  })
  return app
}

const pairingStatus = {
  not_a_code: 422,
  unknown_ref: 404,
  expired_ref: 410,
  wrong_key: 409,
  busy: 409,
  refused: 409,
  no_answer: 504,
  bad_signature: 409,
} as const

function statusOf(error: Error): [ContentfulStatusCode, string] {
  if (error instanceof ControlError) return [error.status, error.code]
  if (error instanceof z.ZodError) return [400, "invalid_request"]
  if (error instanceof Phones.NumberTaken) return [409, "number_taken"]
  if (error instanceof PairingError) return [pairingStatus[error.code], error.code]
  if (error instanceof HTTPException) return [error.status, "invalid_request"]
  return [500, "internal_error"]
}

function phoneOf(network: Network, c: Context): Phone {
  const phone = network.phones.get(c.req.param("number") ?? "")
  if (!phone) throw new ControlError(404, "unknown_phone", "no such phone")
  return phone
}

function deviceOf(text: string): Address {
  const [user = "", id = "0"] = text.split(":")
  return { user, id: Number(id) }
}

async function json(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return text === "" ? {} : (JSON.parse(text) as unknown)
  } catch {
    throw new ControlError(400, "invalid_json", "the body is not JSON")
  }
}

/** What is scanned: JSON with `qr`, plain text, or the picture of the code. */
async function scanned(c: Context): Promise<string> {
  const type = c.req.header("content-type") ?? ""
  if (type.startsWith("image/png")) {
    const text = readQr(Buffer.from(await c.req.arrayBuffer()))
    if (text === undefined)
      throw new ControlError(422, "unreadable_image", "there is no QR code in this image")
    return text
  }
  return type.startsWith("text/plain") ? c.req.text() : Scan.parse(await json(c)).qr
}

function wire(network: Network, phone: Phone) {
  const { pn, lid, name } = phone.user
  return {
    number: pn,
    jid: Jid.format(pn, Jid.server),
    lid: Jid.format(lid, "lid"),
    name,
    devices: network.directory.devices(pn).map((device) => ({
      id: device.id,
      jid: Jid.format(pn, Jid.server, device.id),
      platform: device.platform,
      connected: network.lines.has(key({ user: pn, id: device.id })),
      waiting: network.queue.counts({ user: pn, id: device.id }),
      prekeys: network.prekeys.count({ user: pn, id: device.id }),
    })),
    not_decrypted: phone.errors,
  }
}
