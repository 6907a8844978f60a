import sharp from "sharp"
import { afterAll } from "vitest"
import type { NetworkClient } from "#one-machine/network/client.ts"
import { place } from "../whole-service.ts"

/**
 * The stage of every endpoint: a bridge `shop` linked to Grace's phone; Ada, who writes with her; a business;
 * a group of all three; and Hal, who is to have a username.
 */
export const whole = await place.start()
afterAll(() => whole.stop())

export const { network } = whole
export const grace = await network.create("Grace")
export const ada = await network.create("Ada")
export const bakery = await network.create("Bakery")
export const hal = await network.create("Hal")
await whole.bridge("shop")
await whole.link("shop", grace)
await network.change(bakery.number, {
  business: { name: "Bakery", email: "bakery@example.org", address: "Mill Lane 1" },
  hides_number: true,
})
const members = [grace.number, bakery.number]
/** The group's JID. */
export const { jid: group } = await network.group({ creator: ada.number, members, subject: "Regulars" })
const changes = { description: "New in", ephemeral: 604_800 }
await network.call("PATCH", `/groups/${group}`, { by: ada.number, ...changes })
/** A community of both, with a group for its announcements. */
await network.group({ creator: ada.number, members: [grace.number], subject: "Village", community: true })

export const adaWrites = (content: object) => whole.write(ada, grace.number, content)

/** The messages that Ada's phone has read under this id, or of this kind. */
export const adaReads = (match: Parameters<NetworkClient["read"]>[1]) =>
  network.read(ada.number, { wait: 10_000, ...match })

/** The stanzas that the network has got from the bridge's device. */
export const seen = (tag: string, attrs?: Record<string, string>) =>
  network.log({ kind: "in", who: `${grace.number}:1`, tag, attrs, wait: 10_000 })

/** The event of this message. */
export const arrived = (id: string) =>
  whole.webhook.event("shop", "message", ({ message_id }) => message_id === id)

/** The smallest of pictures, and one that can be decoded. */
export const jpeg = Buffer.from("/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==", "base64")
export const face = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#cc9966" } })
  .jpeg()
  .toBuffer()
