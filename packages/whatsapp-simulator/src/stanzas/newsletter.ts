import { now } from "../clock.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import type { Network } from "../network/network.ts"
import { jidOf, type Newsletter, roleIn } from "../network/newsletters.ts"
import { devicesOf } from "../network/notify.ts"
import { sendToDevice } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { notFound } from "./refusal.ts"

/** How many messages are answered at once. */
const page = 100

/** For how long a client hears of views and reactions after it has asked, in seconds. */
const liveSeconds = 300

/**
 * The last messages, or the last before a given one. Some clients name the newsletter in the question, others
 * address the question to it.
 */
export function messages(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const { jid, type, key, count, before } = child(iq, "messages")?.attrs ?? {}
  const { newsletters } = network
  const found =
    type === "invite" ? newsletters.byInvite(key ?? "") : newsletters.find(Jid.parse(jid ?? iq.attrs.to))
  if (!found) throw notFound()
  const all = found.posts.filter(({ serverId }) => before === undefined || serverId < Number(before))
  return [listed("messages", found, all.slice(-(Number(count) || page)))]
}

/** Messages since a time, or after one. */
export function updates(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const found = network.newsletters.find(Jid.parse(iq.attrs.to))
  const { count, since, after } = child(iq, "message_updates")?.attrs ?? {}
  if (!found) throw notFound()
  const all = found.posts.filter(
    ({ at, serverId }) => at >= Number(since ?? 0) && serverId > Number(after ?? 0),
  )
  return [
    el("message_updates", { jid: jidOf(found) }, [
      listed("messages", found, all.slice(0, Number(count) || page)),
    ]),
  ]
}

export function liveUpdates(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  if (!network.newsletters.find(Jid.parse(iq.attrs.to))) throw notFound()
  return [el("live_updates", { duration: liveSeconds })]
}

/**
 * A message to a newsletter: its followers get it as it is.
 * @returns the number that the network gives it; undefined if the sender may not write there
 */
export function publish(
  network: Network,
  line: ConnectedDevice,
  stanza: Node,
  plaintext: Buffer,
): number | undefined {
  const newsletter = network.newsletters.find(Jid.parse(stanza.attrs.to))
  const { id = "", type } = stanza.attrs
  if (newsletter?.owner !== line.device.user || !type) return undefined
  const serverId = 100 + newsletter.posts.length
  const post = { serverId, id, type, at: now(), plaintext }
  newsletter.posts.push(post)
  network.newsletters.save(newsletter)
  const attrs = { from: jidOf(newsletter), id, type, server_id: serverId, t: post.at }
  for (const pn of newsletter.followers)
    for (const device of devicesOf(network, pn))
      sendToDevice(network, device, el("message", attrs, [el("plaintext", {}, plaintext)]))
  return serverId
}

/**
 * A reaction to a message, which its number names; without a code it takes one back, and says so (`edit`).
 * @returns the number; undefined for a stranger's, or one that is not as clients send it
 */
export function react(
  network: Network,
  line: ConnectedDevice,
  { attrs }: Node,
  code: string | undefined,
): number | undefined {
  const newsletter = network.newsletters.find(Jid.parse(attrs.to))
  const post = newsletter?.posts.find(({ serverId }) => String(serverId) === attrs.server_id)
  if (!newsletter || !post || roleIn(newsletter, line.device.user) === "GUEST") return undefined
  if (attrs.type !== "reaction" || (code === undefined) !== (attrs.edit === "7")) return undefined
  const { [line.device.user]: _, ...others } = post.reactions ?? {}
  post.reactions = code === undefined ? others : { ...others, [line.device.user]: code }
  network.newsletters.save(newsletter)
  return post.serverId
}

function reactionsOf({ reactions = {} }: Newsletter["posts"][number]): Node[] {
  const codes = [...new Set(Object.values(reactions))]
  const counted = codes.map((code) =>
    el("reaction", { code, count: Object.values(reactions).filter((each) => each === code).length }),
  )
  return counted.length === 0 ? [] : [el("reactions", {}, counted)]
}

function listed(tag: string, newsletter: Newsletter, posts: Newsletter["posts"]): Node {
  const content = posts.map((post) => {
    const { serverId, id, type, at, plaintext } = post
    const shown = [el("plaintext", {}, Buffer.from(plaintext)), el("views_count", { count: 0 })]
    return el("message", { server_id: serverId, id, type, t: at }, [...shown, ...reactionsOf(post)])
  })
  return el(tag, { jid: jidOf(newsletter), t: now() }, content)
}
