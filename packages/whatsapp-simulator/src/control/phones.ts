import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { now } from "../clock.ts"
import { deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import * as Phones from "../phone/create-phone.ts"
import type { Addressee, Handset } from "../phone/handset.ts"
import type { Phone } from "../phone/phone.ts"
import { readQr } from "../phone/qr-image.ts"
import * as Jid from "../wire/jid.ts"
import { child, type Node } from "../wire/node.ts"
import { ControlError } from "./http/errors.ts"
import { jsonBody, route } from "./http/route.ts"
import * as Schema from "./schemas.ts"

/**
 * A phone warns of a companion that was not available for this long, in seconds (GOWA 644: some fifteen
 * days).
 */
const inactiveAfter = 15 * 86_400

/** Phones: made, listed, linked with companions. */
export function routePhones(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones",
      summary: "Make a phone; number and name are chosen when not given",
      body: Schema.NewPhone,
      answer: Schema.Phone,
      status: 201,
    },
    ({ body }) => wire(network, Phones.createPhone(network, body)),
  )
  route(app, { method: "get", path: "/phones", summary: "All phones", answer: z.array(Schema.Phone) }, () =>
    [...network.phones.values()].map((phone) => wire(network, phone)),
  )
  route(
    app,
    { method: "get", path: "/phones/{number}", summary: "A phone", answer: Schema.Phone },
    ({ params }) => wire(network, phoneOf(network, params.number)),
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/link-code",
      summary: "Type the eight-letter code a companion shows",
      body: Schema.TypedCode,
      answer: Schema.Linked,
    },
    async ({ params, body }) => {
      const phone = phoneOf(network, params.number)
      return linkedAnswer(phone, await phone.typeCode(body))
    },
  )
  route(
    app,
    {
      method: "delete",
      path: "/phones/{number}/devices/{id}",
      summary: "Log a companion out from its phone",
      answer: z.object({}),
    },
    ({ params }) => {
      if (!phoneOf(network, params.number).remove(Number(params.id)))
        throw new ControlError(404, "unknown_device", "this phone has no such companion")
      return {}
    },
  )
  route(
    app,
    {
      method: "delete",
      path: "/phones/{number}/sessions",
      summary: "The phone loses its sessions and sender keys: it asks for what it cannot read",
      answer: z.object({}),
    },
    ({ params }) =>
      phoneOf(network, params.number).use(async ({ keys }) => {
        keys.loseSessions()
        return {}
      }),
  )
  scan(app, network)
}

/** Takes a picture or plain text as well, which `route` does not. */
function scan(app: OpenAPIHono, network: Network) {
  app.openAPIRegistry.registerPath({
    method: "post",
    path: "/phones/{number}/scan",
    summary: "Scan the QR code a companion shows: as text, as JSON, or as a PNG",
    request: {
      params: z.object({ number: z.string() }),
      query: Schema.ScanQuery,
      body: {
        content: {
          "application/json": { schema: Schema.Scan },
          "text/plain": { schema: z.string() },
          "image/png": { schema: z.string().openapi({ format: "binary" }) },
        },
      },
    },
    responses: {
      200: { description: "Linked.", content: { "application/json": { schema: Schema.Linked } } },
      default: { description: "Refused.", content: { "application/json": { schema: Schema.Refused } } },
    },
  })
  app.post("/phones/:number/scan", async (c) => {
    const phone = phoneOf(network, c.req.param("number"))
    const { qr, obstacle } = await scanned(c)
    return c.json(linkedAnswer(phone, await phone.scan(qr, obstacle)))
  })
}

async function scanned(c: Context): Promise<z.infer<typeof Schema.Scan>> {
  const type = c.req.header("content-type") ?? ""
  if (type.startsWith("image/png")) {
    const { obstacle } = Schema.ScanQuery.parse(c.req.query())
    const qr = readQr(Buffer.from(await c.req.arrayBuffer()))
    if (qr === undefined) throw new ControlError(422, "unreadable_image", "there is no QR code in this image")
    return { qr, obstacle }
  }
  return type.startsWith("text/plain") ? { qr: await c.req.text() } : Schema.Scan.parse(await jsonBody(c))
}

/** @throws ControlError if no phone has this number */
export function phoneOf(network: Network, number: string | undefined): Phone {
  const phone = network.phones.get(number ?? "")
  if (!phone) throw new ControlError(404, "unknown_phone", "no such phone")
  return phone
}

/** Asks the network as this phone; its refusal is the caller's. @throws ControlError */
export function askAs(
  handset: Handset,
  { xmlns, content, ...about }: { xmlns: string; content: Node[] } & Addressee,
): Node | undefined {
  const reply = handset.ask(xmlns, "set", content, about)
  const error = child(reply, "error")
  if (error) throw new ControlError(403, "refused", `the network refused: ${error.attrs.text ?? ""}`)
  return reply
}

/** The answer when a phone has linked a device. */
export function linkedAnswer({ pn }: Phone, device: number) {
  return { device: deviceName({ user: pn, id: device }), jid: Jid.format(pn, Jid.server, device) }
}

function wire(network: Network, phone: Phone) {
  const { pn, lid, name } = phone.user
  return {
    number: pn,
    jid: Jid.format(pn, Jid.server),
    lid: Jid.format(lid, "lid"),
    name,
    devices: network.directory.devices(pn).map(({ id, platform, addedAt, lastAvailable = addedAt }) => ({
      id,
      jid: Jid.format(pn, Jid.server, id),
      platform,
      connected: network.lines.has(deviceName({ user: pn, id })),
      waiting: network.queue.counts({ user: pn, id }),
      prekeys: network.prekeys.count({ user: pn, id }),
      ...(id !== 0 && { last_available: lastAvailable }),
      inactive: id !== 0 && now() - lastAvailable >= inactiveAfter,
    })),
    not_decrypted: phone.handset.notDecrypted,
    privacy: network.profiles.get(pn).privacy,
    disappearing: network.profiles.get(pn).disappearing?.duration ?? 0,
  }
}
