import * as LinkCode from "../devices/link-code.ts"
import type { Pairing } from "../devices/pairing.ts"
import * as Passkey from "../devices/passkey.ts"
import * as Devices from "../devices/remove.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { deviceName } from "../network/directory.ts"
import { namesStranger } from "../network/household-isolation.ts"
import type { Network } from "../network/network.ts"
import { allowMore } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import * as AppState from "./app-state.ts"
import { businessProfile, verifiedName } from "./business.ts"
import { acceptInvitation } from "./group/admin-changes-members.ts"
import { change } from "./group/change.ts"
import * as Communities from "./group/communities.ts"
import * as Groups from "./group/create-join-leave.ts"
import * as JoinRequests from "./group/join-requests.ts"
import { message } from "./message.ts"
import { mex } from "./mex.ts"
import * as Newsletter from "./newsletter.ts"
import { phoneCall } from "./phone-call.ts"
import * as PreKeys from "./prekeys.ts"
import { chatState, presence } from "./presence.ts"
import * as Profile from "./profile-and-privacy.ts"
import { ack, receipt } from "./receipt.ts"
import { badRequest, notFound, Refusal } from "./refusal.ts"
import * as AfterLogin from "./startup-questions.ts"
import { usync } from "./usync.ts"

/** Answers an iq with the content of its result; throws `Refusal` for an error instead. */
type Answer = (network: Network, line: ConnectedDevice, iq: Node) => Node[]

type Taker = (network: Network, line: ConnectedDevice, stanza: Node) => void

/** By namespace, type and the child that names the question; the keys come from strangers, hence maps. */
const answers = new Map<string, Answer>([
  ["w:p get ping", () => []],
  ["w:p get", () => []],
  ["encrypt get count", PreKeys.count],
  ["encrypt set registration", PreKeys.upload],
  ["encrypt get key", PreKeys.bundles],
  ["encrypt get key_fetch", PreKeys.deviceBundles],
  ["encrypt get digest", PreKeys.digest],
  ["encrypt set rotate", PreKeys.rotate],
  ["passive set active", AfterLogin.active],
  ["passive set passive", () => []],
  ["abt get props", AfterLogin.props],
  ["privacy get privacy", Profile.privacy],
  ["privacy set privacy", Profile.setPrivacy],
  ["privacy set tokens", Profile.giveTokens],
  ["blocklist get", Profile.blocklist],
  ["blocklist set item", Profile.setBlocklist],
  ["w:profile:picture get picture", Profile.picture],
  ["w:profile:picture set picture", Profile.setPicture],
  ["w:profile:picture set", Profile.setPicture],
  ["status set status", Profile.formerSetAbout],
  ["status get privacy", Profile.statusPrivacy],
  ["w:qr set qr", Profile.qr],
  ["w:qr get qr", Profile.ownerOfQr],
  ["w:biz get business_profile", businessProfile],
  ["w:biz get verified_name", verifiedName],
  ["disappearing_mode set disappearing_mode", Profile.setDisappearing],
  ["urn:xmpp:whatsapp:dirty set clean", () => []],
  ["usync get usync", usync],
  ["w:m set media_conn", AfterLogin.mediaConnection],
  ["w:g2 set create", Groups.create],
  ["w:g2 get query", Groups.query],
  ["w:g2 get participating", Groups.participating],
  ["w:g2 set leave", Groups.leave],
  ["w:g2 get invite", Groups.invite],
  ["w:g2 set invite", Groups.setInvite],
  ["w:g2 set accept", acceptInvitation],
  ["w:g2 get membership_approval_requests", JoinRequests.list],
  ["w:g2 set membership_requests_action", JoinRequests.decide],
  ["w:g2 get sub_groups", Communities.list],
  ["w:g2 get query_linked", Communities.queryLinked],
  ["w:g2 get linked_groups_participants", Communities.participants],
  ["w:g2 set join_linked_group", Communities.join],
  ["w:g2 set links", Communities.link],
  ["w:g2 set unlink", Communities.unlink],
  ["w:g2 set delete_parent", Communities.end],
  ["w:sync:app:state set sync", AppState.sync],
  ["w:mex get query", mex],
  ["newsletter get messages", Newsletter.messages],
  ["newsletter get message_updates", Newsletter.updates],
  ["newsletter set live_updates", Newsletter.liveUpdates],
  ["md set remove-companion-device", Devices.removeCompanion],
  ["bot get bot", () => [el("bot", { v: "2" })]],
  ["tos get request", AfterLogin.terms],
  ["tos set notice", () => []],
  ["urn:xmpp:whatsapp:push set config", () => []],
  ["urn:xmpp:whatsapp:push get settings", () => [el("settings")]],
])

/** All questions that are answered, each as namespace, type and child. */
export const questions = [...answers.keys()]

/** Namespaces and types that are nothing without a child. */
const withChild = new Set(questions.map((name) => name.split(" ").slice(0, 2).join(" ")))

const takers = new Map<string, Taker>([
  ["message", message],
  ["receipt", receipt],
  ["ack", ack],
  ["presence", presence],
  ["chatstate", chatState],
  ["call", phoneCall],
  ["ib", wish],
])

const answered = new Set(["message", "call"])

/**
 * Takes a stanza of a logged-in device. An unknown one is noted; an unknown iq gets an error, as clients
 * wait.
 */
export function receive(network: Network, line: ConnectedDevice, stanza: Node) {
  if (network.faults.strike("dead", deviceName(line.device))) return
  if (stanza.tag === "iq") return answer(network, line, stanza)
  const taker = takers.get(stanza.tag)
  // Messages and calls that are not taken are answered all the same.
  if (!answered.has(stanza.tag) && namesStranger(network, line, stanza)) return
  if (taker) return taker(network, line, stanza)
  network.log.note(deviceName(line.device), "unknown stanza", { tag: stanza.tag })
}

/** A client's `ib`. Only a request for more of the backlog has an effect. */
function wish(network: Network, line: ConnectedDevice, stanza: Node) {
  const count = Number(child(stanza, "offline_batch")?.attrs.count)
  if (count > 0) allowMore(network, line, count)
}

/**
 * Takes a stanza of a companion that is not linked yet: answers to our iqs, wishes for a code, a sandbox's
 * code.
 */
export function receiveUnpaired(network: Network, pairing: Pairing, stanza: Node) {
  if (stanza.tag !== "iq") return
  if (stanza.attrs.type === "result" || stanza.attrs.type === "error") return pairing.answered?.(stanza)
  const shown = stanza.attrs.xmlns === "sandbox" ? child(stanza, "code") : undefined
  if (shown) {
    network.showCode(shown.attrs.household ?? "", bytes(shown)?.toString() ?? "")
    return pairing.send(iqResult(stanza, []))
  }
  const fault = network.faults.strike("refuse_iq", "*", stanza.attrs.xmlns)
  if (fault) return pairing.send(iqError(stanza, new Refusal(fault.code, "refused")))
  if (Passkey.isStep(stanza)) {
    void inCeremony(network, pairing, stanza)
    return
  }
  const content = LinkCode.receive(network, pairing, stanza)
  if (!content) return pairing.send(iqError(stanza, new Refusal(403, "forbidden")))
  pairing.send(iqResult(stanza, content))
}

/** Answers a step of linking with a passkey, once. */
async function inCeremony(network: Network, pairing: Pairing, iq: Node) {
  let isAnswered = false
  const reply = (content: Node) => {
    if (!isAnswered) pairing.send(content)
    isAnswered = true
  }
  try {
    const content = await Passkey.receive(network, pairing, { iq, answer: () => reply(iqResult(iq, [])) })
    reply(iqResult(iq, content))
  } catch (error) {
    if (!(error instanceof Refusal)) return pairing.end()
    network.log.note(pairing.ceremony?.pn ?? "unlinked", "passkey refused", { code: error.code })
    reply(iqError(iq, error))
  }
}

function answer(network: Network, line: ConnectedDevice, iq: Node) {
  const { type, xmlns } = iq.attrs
  if (type === "result" || type === "error") return
  const name = nameOf(iq)
  // There is nothing to name in an answer.
  if (!iq.attrs.id) return network.log.note(deviceName(line.device), "iq without id", { iq: name })
  if (network.faults.strike("ignore_iq", deviceName(line.device), xmlns)) return
  try {
    const fault = network.faults.strike("refuse_iq", deviceName(line.device), xmlns)
    if (fault) throw new Refusal(fault.code, "refused")
    const found = answers.get(name) ?? (name.startsWith("w:g2 set ") ? change : undefined)
    if (!found && !child(iq) && withChild.has(name)) throw badRequest()
    if (!found) throw new Refusal(501, "feature-not-implemented")
    if (found !== usync && namesStranger(network, line, iq)) throw notFound()
    const content = found(network, line, iq)
    line.send(iqResult(iq, content))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    network.log.note(deviceName(line.device), "iq refused", { iq: name, code: error.code })
    line.send(iqError(iq, error))
  }
}

/**
 * What is asked: the namespace, the type, and the child that names the question, wherever it stands among the
 * others.
 */
function nameOf(iq: Node): string {
  const asked = `${iq.attrs.xmlns} ${iq.attrs.type}`
  const named = children(iq).find(({ tag }) => answers.has(`${asked} ${tag}`)) ?? child(iq)
  return named ? `${asked} ${named.tag}` : asked
}

function iqResult(iq: Node, content: Node[]): Node {
  const attrs = { from: Jid.network, type: "result", id: iq.attrs.id }
  return el("iq", attrs, content.length > 0 ? content : undefined)
}

function iqError(iq: Node, refusal: Refusal): Node {
  return el("iq", { from: Jid.network, type: "error", id: iq.attrs.id }, [
    el("error", { code: refusal.code, text: refusal.message }),
  ])
}
