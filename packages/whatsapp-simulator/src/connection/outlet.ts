import { encodeBinaryNode } from "@whiskeysockets/baileys"
import type { WebSocket } from "ws"
import type { Network } from "../network/network.ts"
import { framed } from "../wire/frames.ts"
import type { Node } from "../wire/node.ts"
import type { Transport } from "../wire/noise.ts"

/** More than this many bytes waiting in a socket: queued stanzas wait in the queue instead. */
const enough = 1 << 20

/**
 * How long a client has to read a goodbye, ms. Some, such as whatsmeow, drop what they have not read when the
 * network hangs up.
 */
const readingMs = 1000

/** One client's socket as the network writes to it, until either side hangs up. */
export interface Outlet {
  /** In the log, and for faults: the connection's own name until the client has logged in. */
  name: string
  /** Whether it has ended: it writes and takes no more. */
  readonly isOver: boolean
  /** The handshake is done: stanzas are written from now on, encrypted by this. */
  secure: (transport: Transport) => void
  /** Writes a stanza: late by as much as a fault says, or once the fault that holds it is removed. */
  send: (stanza: Node) => void
  /** Says goodbye with this stanza, if one is given, and hangs up. */
  end: (goodbye?: Node) => void
  /** Cuts without a word; after half of this stanza, if one is given. */
  cut: (half?: Node) => void
  /** Cuts for an error, which the log is told. */
  fail: (error: unknown) => void
  /** False while the write buffer is full; `onDrained` is called when it has room again. */
  writable: () => boolean
  onDrained: (again: () => void) => void
  /** Calls back when the socket is closed. */
  atEnd: (release: () => void) => void
}

export function newOutlet(network: Network, socket: WebSocket, name: string): Outlet {
  const releases: (() => void)[] = []
  let transport: Transport | undefined
  let isOver = false
  const room = newRoom(socket)

  function write(stanza: Node) {
    if (!transport || isOver) return
    network.log.stanza("out", outlet.name, stanza)
    try {
      socket.send(framed(transport.encrypt(encodeBinaryNode(stanza))), room.written)
    } catch (error) {
      // A client may send something that cannot be written to another. That ends this line, not the network.
      outlet.fail(error)
    }
  }
  const writeAfter = latency(write)

  const outlet: Outlet = {
    name,
    get isOver() {
      return isOver
    },
    secure(by) {
      transport = by
    },
    send(stanza) {
      const hold = network.faults.strike("hold", outlet.name)
      if (hold) return network.faults.hold(hold, outlet, stanza)
      writeAfter(stanza, network.faults.strike("delay", outlet.name)?.ms ?? 0)
    },
    end(goodbye) {
      if (isOver) return
      if (goodbye) write(goodbye)
      isOver = true
      if (goodbye) setTimeout(() => socket.close(), readingMs).unref()
      else socket.close()
    },
    cut(half) {
      if (isOver) return
      isOver = true
      if (!half || !transport) return socket.terminate()
      const frame = framed(transport.encrypt(encodeBinaryNode(half)))
      socket.send(frame.subarray(0, frame.length / 2), () => socket.terminate())
    },
    fail(error) {
      const reason = error instanceof Error ? error.message : String(error)
      network.log.note(outlet.name, "connection failed", { reason })
      outlet.cut()
    },
    writable: () => !isOver && room.isFree(),
    onDrained: room.onFree,
    atEnd(release) {
      releases.push(release)
    },
  }
  socket.on("error", outlet.fail)
  socket.on("close", () => {
    isOver = true
    for (const release of releases) release()
    network.log.note(outlet.name, "disconnected")
  })
  return outlet
}

/** Whether a socket's write buffer has room, and who is told when it has room again. */
function newRoom(socket: WebSocket) {
  /** Whether something was held back because too much waits in the socket. */
  let isFull = false
  let again: (() => void) | undefined

  return {
    isFree: () => {
      const isFree = socket.bufferedAmount < enough
      isFull ||= !isFree
      return isFree
    },
    onFree: (callback: () => void) => void (again = callback),
    written: () => {
      if (!isFull || socket.bufferedAmount > enough / 2) return
      isFull = false
      again?.()
    },
  }
}

/** Hands things on after a delay, in the order they came, whatever the delay of each. */
function latency<T>(handOn: (thing: T) => void) {
  const waiting: { thing: T; due: number }[] = []

  const release = () => {
    while (waiting[0] && waiting[0].due <= performance.now()) handOn(waiting.shift()!.thing)
    // A timer may fire a little early.
    if (waiting[0]) setTimeout(release, Math.max(1, waiting[0].due - performance.now())).unref()
  }
  return (thing: T, ms: number) => {
    if (ms === 0 && waiting.length === 0) return handOn(thing)
    const due = Math.max(performance.now() + ms, waiting.at(-1)?.due ?? 0)
    waiting.push({ thing, due })
    if (waiting.length === 1) release()
  }
}
