import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import type { DeviceAddress } from "./directory.ts"
import type { Network } from "./network.ts"
import { notify } from "./notify.ts"

/**
 * Scheduled messages are delivered at once. Their key comes with them to the sender's own devices, and to all
 * others at the time for which they are scheduled (WhatsApp Web, `WAWebConditionalRevealPreProcessor`,
 * `WAWebScheduledMsgRevealNotificationHandler`).
 */
const isAboutSchedule = ({ tag, attrs }: Node) => tag === "meta" && attrs.type === "scheduled_message"

/** The parts of a stanza as others get them, without the key. */
export function withoutKey(content: Node[]): Node[] {
  return content.map((part) => (isAboutSchedule(part) ? { ...part, content: [] } : part))
}

const longestTimer = 2 ** 31 - 1

/** Gives these devices the key of a stanza, if it is a scheduled one, when its time has come. */
export function revealInTime(network: Network, stanza: Node, devices: DeviceAddress[]): void {
  const meta = children(stanza).find(isAboutSchedule)
  const key = child(meta, "key")
  const rk = bytes(key)?.toString("base64url")
  if (!meta || !key || !rk) return
  const update = { data: { xwa2_notify_scheduled_message_reveal: { rkid: key.attrs.rkid, rk } } }
  const op_name = "NotificationScheduledMessageReveal"
  const reveal = () => {
    if (!network.store.db.isOpen) return
    for (const device of devices)
      notify(network, device, {
        from: Jid.network,
        type: "mex",
        content: [el("update", { op_name }, Buffer.from(JSON.stringify(update)))],
      })
  }
  const waitMs = Number(meta.attrs.st) * 1000 - Date.now()
  setTimeout(reveal, Math.min(Math.max(0, waitMs), longestTimer)).unref()
}
