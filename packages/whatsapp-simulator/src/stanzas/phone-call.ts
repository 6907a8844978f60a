import { randomBytes } from "node:crypto"
import { now } from "../clock.ts"
import { alsoKnownAs, inMode, modeOf, shownMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import type { User } from "../network/directory.ts"
import { namesStranger } from "../network/household-isolation.ts"
import type { Network } from "../network/network.ts"
import { devicesOf } from "../network/notify.ts"
import { sendToDevice } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"

/**
 * A step of a phone call: passed on to every device of the other person, and acknowledged. The network says
 * in it who calls (WhatsApp Web, `WAWebHandleVoipCall`).
 */
export function phoneCall(network: Network, line: ConnectedDevice, stanza: Node) {
  const { id, to } = stanza.attrs
  const step = child(stanza)
  if (!id || !step) return
  const jid = Jid.parse(to)
  const peer = namesStranger(network, line, stanza) ? undefined : network.directory.find(jid)
  const caller = network.directory.user(line.device.user)
  const answer = { class: "call", id, from: to, type: step.tag }
  if (step.tag === "link_create") {
    line.send(el("ack", answer, [el("link_create", { token: randomBytes(8).toString("hex").toUpperCase() })]))
    return
  }
  line.send(el("ack", peer ? answer : { ...answer, error: 404 }))
  if (!jid || !peer || !caller) return
  // The live network lets a call ring on that is declined with a token (whatsmeow 1182).
  if (step.tag === "reject" && child(step, "tctoken")) return
  const mode = shownMode(network, peer.pn, modeOf(jid))
  const { platform, version } = stanza.attrs
  const attrs = {
    from: inMode(mode, caller),
    ...alsoKnownAs(network, caller, { mode, prefix: "sender" }),
    id,
    t: now(),
    platform,
    version,
  }
  const passed = { ...step, attrs: { ...step.attrs, ...callerIn(network, step, caller) } }
  for (const device of devicesOf(network, peer.pn)) sendToDevice(network, device, el("call", attrs, [passed]))
}

/**
 * What a step says of its caller beside `call-creator`: their name, and their number or, if that is hidden,
 * their username.
 */
function callerIn(network: Network, { attrs }: Node, sender: User): Record<string, string> {
  const creator = Jid.parse(attrs["call-creator"])
  if (network.directory.find(creator)?.pn !== sender.pn) return {}
  const username = network.profiles.usernameOf(sender.pn)
  const isByLid = creator && modeOf(creator) === "lid"
  return {
    notify: sender.name,
    ...(username ? { username } : isByLid && { caller_pn: inMode("pn", sender) }),
  }
}
