import { el, type Node } from "../wire/node.ts"
import { type Address, key } from "./directory.ts"
import type { Line } from "./line.ts"
import type { Network } from "./network.ts"

const batch = 50

/** Queues a stanza for a device, to be written now if it is connected. */
export function deliver(network: Network, to: Address, stanza: Node) {
  network.queue.add(to, stanza)
  const line = network.lines.get(key(to))
  // After the transaction that queued it: a stanza rolled back must not have been seen.
  if (line) queueMicrotask(() => pump(network, line))
}

/**
 * Writes what waits, in order, as far as the line takes it. The only place that writes queued
 * stanzas, so the backlog and what arrives meanwhile cannot overtake each other.
 */
export function pump(network: Network, line: Line) {
  while (line.active && line.writable()) {
    const waiting = network.queue.after(line.device, line.sent, batch)
    for (const { n, stanza } of waiting) {
      if (line.backlog !== undefined && n > line.backlog) endBacklog(line)
      line.sent = n
      line.send(line.backlog === undefined ? stanza : offline(stanza, line.offlineCount++))
      if (!line.writable()) return
    }
    if (waiting.length < batch) {
      if (line.backlog !== undefined) endBacklog(line)
      return
    }
  }
}

/** The device wants what waits for it: tells how much there is, then writes it. */
export function activate(network: Network, line: Line) {
  if (line.active) return
  line.active = true
  line.backlog = network.queue.last(line.device)
  const counts = network.queue.counts(line.device)
  const { message = 0, notification = 0, receipt = 0, call = 0 } = counts
  const count = message + notification + receipt + call
  if (count > 0)
    line.send(
      el("ib", { from: "s.whatsapp.net" }, [
        el("offline_preview", { count, message, notification, receipt, call, appdata: 0 }),
      ]),
    )
  pump(network, line)
}

/** A client holds back its events until it is told that the backlog is over, even an empty one. */
function endBacklog(line: Line) {
  line.backlog = undefined
  line.send(el("ib", { from: "s.whatsapp.net" }, [el("offline", { count: line.offlineCount })]))
}

const offline = (stanza: Node, n: number): Node => ({
  ...stanza,
  attrs: { ...stanza.attrs, offline: String(n) },
})
