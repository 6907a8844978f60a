import * as Jid from "../wire/jid.ts"
import { el, type Node } from "../wire/node.ts"
import type { ConnectedDevice } from "./connected-device.ts"
import { type DeviceAddress, deviceName } from "./directory.ts"
import type { Network } from "./network.ts"
import type { WaitingStanza } from "./queue.ts"

const batch = 50

/** With the fault `batches`: how many stanzas come before the device has asked for any. */
const unasked = 5

/** Queues a stanza for a device, to be written now if it is connected. A crowd's devices never connect. */
export function sendToDevice(network: Network, to: DeviceAddress, stanza: Node) {
  if (network.directory.user(to.user)?.crowd) return
  const n = network.queue.add(to, stanza)
  const line = network.lines.get(deviceName(to))
  if (!line) return
  const before = line.queued
  line.queued = n
  // The stanza is written after its transaction, and not at all if that was rolled back.
  queueMicrotask(() => {
    const next = line.active && line.backlog === undefined && line.sent === before && line.writable()
    if (!next) return writeWaiting(network, line)
    if (!network.queue.has(n)) return
    line.sent = n
    write(network, line, { n, stanza })
  })
}

/**
 * Writes waiting stanzas, in order, as far as the line takes them. No other place writes queued stanzas, so
 * the backlog and new stanzas cannot overtake each other.
 */
export function writeWaiting(network: Network, line: ConnectedDevice) {
  while (line.active && line.writable()) {
    const waiting = network.queue.after(line.device, line.sent, batch)
    for (const { n, stanza } of waiting) {
      if (line.backlog !== undefined && n > line.backlog) endBacklog(network, line)
      if (isStuck(network, line) || line.offlineLeft === 0) return
      line.sent = n
      if (line.offlineLeft !== undefined) line.offlineLeft--
      if (isStubborn(network, line, stanza)) line.stuckAt = n
      write(network, line, {
        n,
        stanza: line.backlog === undefined ? stanza : offline(network, line, stanza),
      })
      if (!line.writable()) return
    }
    if (waiting.length < batch) {
      if (line.backlog !== undefined && !isStuck(network, line)) endBacklog(network, line)
      return
    }
  }
}

/** The device asks for more of its backlog. */
export function allowMore(network: Network, line: ConnectedDevice, count: number) {
  if (line.offlineLeft === undefined) return
  line.offlineLeft += count
  writeWaiting(network, line)
}

/** The device has taken or refused a stanza, so those behind it may come now. */
export function unstick(network: Network, line: ConnectedDevice) {
  if (line.stuckAt !== undefined) writeWaiting(network, line)
}

/** Whether a stanza that the device has not taken withholds those behind it. */
function isStuck(network: Network, line: ConnectedDevice): boolean {
  return line.stuckAt !== undefined && network.queue.has(line.stuckAt)
}

function isStubborn(network: Network, line: ConnectedDevice, { tag, attrs }: Node): boolean {
  const isStatus = (tag === "message" || tag === "status") && attrs.from === "status@broadcast"
  return isStatus && network.faults.strike("stubborn_status", deviceName(line.device)) !== undefined
}

/** The device is ready for its backlog: tells it how much there is, then writes it. */
export function activate(network: Network, line: ConnectedDevice) {
  if (line.active) return
  line.active = true
  line.backlog = network.queue.last(line.device)
  if (network.faults.strike("batches", deviceName(line.device))) line.offlineLeft = unasked
  line.queued = Math.max(line.queued, line.backlog)
  const counts = network.queue.counts(line.device)
  const { message = 0, receipt = 0, call = 0, status } = counts
  const count = Object.values(counts).reduce((sum, of) => sum + of, 0)
  const appdata = network.queue.settingChanges(line.device)
  const notification = (counts.notification ?? 0) - appdata
  if (count > 0)
    line.send(
      el("ib", { from: Jid.network }, [
        el("offline_preview", { count, message, notification, receipt, call, appdata, status }),
      ]),
    )
  writeWaiting(network, line)
}

function write(network: Network, line: ConnectedDevice, { n, stanza }: WaitingStanza) {
  const device = deviceName(line.device)
  if (network.faults.strike("dead", device)) return
  if (!line.owed || !network.queue.has(line.owed.n)) expectAnswer(network, line, n)
  if (network.faults.strike("cut_mid_frame", device)) return line.cut(stanza)
  line.send(stanza)
  if (network.faults.strike("twice", device)) line.send(stanza)
}

/**
 * Ends the stream of a device that does not answer a stanza in time. It gets the stanza again with its next
 * connection. One clock runs for a connection: for the oldest stanza, and then for the oldest that is left.
 */
function expectAnswer(network: Network, line: ConnectedDevice, n: number) {
  if (line.device.id === 0) return
  clearTimeout(line.owed?.clock)
  const clock = setTimeout(() => {
    line.owed = undefined
    if (network.lines.get(deviceName(line.device)) !== line) return
    const [oldest] = network.queue.after(line.device, 0, 1)
    if (!oldest || oldest.n > line.sent) return
    if (oldest.n > n) return expectAnswer(network, line, oldest.n)
    const { id } = oldest.stanza.attrs
    network.log.note(deviceName(line.device), "stanza left unanswered", { tag: oldest.stanza.tag, id })
    line.end(el("stream:error", {}, [el("ack", { id })]))
  }, network.patience.answerMs)
  clock.unref()
  line.owed = { n, clock }
}

/** A client holds back its events until it is told that the backlog is over, even an empty one. */
function endBacklog(network: Network, line: ConnectedDevice) {
  line.backlog = undefined
  line.offlineLeft = undefined
  if (network.faults.strike("no_offline", deviceName(line.device))) return
  line.send(el("ib", { from: Jid.network }, [el("offline", { count: line.offlineCount })]))
}

function offline(network: Network, line: ConnectedDevice, stanza: Node): Node {
  const n = line.offlineCount++
  if (network.faults.strike("unmarked", deviceName(line.device))) return stanza
  return { ...stanza, attrs: { ...stanza.attrs, offline: String(n) } }
}
