import { inflateSync } from "node:zlib"
import { decodeBinaryNode, encodeBinaryNode, proto } from "@whiskeysockets/baileys"
import type { WebSocket } from "ws"
import { pump } from "./network/delivery.ts"
import { key } from "./network/directory.ts"
import type { Line } from "./network/line.ts"
import type { Network } from "./network/network.ts"
import * as Pairing from "./network/pairing.ts"
import { look } from "./stanzas/presence.ts"
import { login, welcome } from "./stanzas/login.ts"
import { receive, receiveUnpaired } from "./stanzas/receive.ts"
import { framed, frames } from "./wire/frames.ts"
import { latency } from "./wire/latency.ts"
import { el, type Node } from "./wire/node.ts"
import { type Handshake, handshake, type Transport } from "./wire/noise.ts"

/** More than this many bytes waiting in a socket: queued stanzas wait in the queue instead. */
const enough = 1 << 20

/** A compressed frame holds at most as much as one that is not. */
const largest = 1 << 24

/** How long a client may take until it has logged in, in milliseconds. */
const handshakeTime = 20_000

/**
 * One client's socket: Noise handshake, then stanzas, one after the other. Whatever a client sends
 * that cannot be read ends its connection and nothing else.
 */
export function accept(network: Network, socket: WebSocket, name: string) {
  const stream = frames()
  let noise: Handshake | undefined
  let transport: Transport | undefined
  let line: Line | undefined
  let pairing: Pairing.Pairing | undefined
  let turn = Promise.resolve()
  let ended = false
  /** Whether a queued stanza was held back because too much waits in the socket. */
  let full = false

  const who = () => (line ? key(line.device) : name)
  const patience = setTimeout(() => fail(new Error("no handshake in time")), handshakeTime)

  const writable = () => {
    const can = !ended && socket.bufferedAmount < enough
    full ||= !can
    return can
  }
  const written = () => {
    if (!full || !line || socket.bufferedAmount > enough / 2) return
    full = false
    pump(network, line)
  }
  const write = (stanza: Node) => {
    if (!transport || ended) return
    network.log.stanza("out", who(), stanza)
    try {
      socket.send(framed(transport.encrypt(encodeBinaryNode(stanza))), written)
    } catch (error) {
      // What one client made up cannot be written to another: that ends this line, not the network.
      fail(error)
    }
  }
  const sendAfter = latency(write)
  const send = (stanza: Node) => sendAfter(stanza, network.faults.strike("delay", who())?.ms ?? 0)
  const end = (goodbye?: Node) => {
    if (ended) return
    if (goodbye) write(goodbye)
    ended = true
    socket.close()
  }
  const cut = (half?: Node) => {
    if (ended) return
    ended = true
    if (!half || !transport) return socket.terminate()
    const frame = framed(transport.encrypt(encodeBinaryNode(half)))
    socket.send(frame.subarray(0, frame.length / 2), () => socket.terminate())
  }
  const fail = (error: unknown) => {
    network.log.note(who(), "connection failed", {
      reason: error instanceof Error ? error.message : String(error),
    })
    cut()
  }

  const finish = async (frame: Buffer, shaking: Handshake) => {
    const finished = shaking.finish(frame)
    clearTimeout(patience)
    transport = finished.transport
    const payload = proto.ClientPayload.decode(finished.payload)
    const { noiseKey } = finished
    const old = network.faults.strike("outdated", "*")
    if (old) return end(el("failure", { reason: "405", location: "sim" }))
    if (payload.username) {
      const device = login(network, { payload, noiseKey, end })
      if (!device) return
      line = {
        device,
        send,
        end,
        cut,
        writable,
        sent: 0,
        queued: 0,
        active: false,
        backlog: undefined,
        offlineCount: 0,
      }
      replace(network, line)
      welcome(network, line, { passive: payload.passive ?? false })
      return
    }
    pairing = Pairing.begin(network, { payload, noiseKey, send, end })
    if (!pairing) end(el("failure", { reason: "400", location: "sim" }))
  }

  const take = async (frame: Buffer) => {
    if (ended) return
    if (!noise) {
      noise = handshake(network.authority, stream.prologue ?? Buffer.alloc(0))
      socket.send(framed(noise.hello(frame)))
      return
    }
    if (!transport) return finish(frame, noise)
    const stanza = await decodeBinaryNode(unpacked(transport.decrypt(frame)))
    network.log.stanza("in", who(), stanza)
    if (line) return receive(network, line, stanza)
    if (pairing) return receiveUnpaired(network, pairing, stanza)
  }

  socket.on("message", (data) => {
    try {
      for (const frame of stream.push(toBuffer(data))) turn = turn.then(() => take(frame)).catch(fail)
    } catch (error) {
      fail(error)
    }
  })
  socket.on("error", fail)
  socket.on("close", () => {
    ended = true
    clearTimeout(patience)
    if (pairing) Pairing.forget(network, pairing)
    if (line && network.lines.get(key(line.device)) === line) {
      network.lines.delete(key(line.device))
      look(network, line.device, false)
      network.presence.leave(line.device)
    }
    network.log.note(who(), "disconnected")
  })
  network.log.note(name, "connected")
}

/** A frame without compression. What is compressed says so in its first byte, and may not be a bomb. */
function unpacked(frame: Buffer): Buffer {
  if (!((frame[0] ?? 0) & 2)) return frame
  const content = inflateSync(frame.subarray(1), { maxOutputLength: largest })
  return Buffer.concat([Buffer.from([0]), content])
}

/** A second login of one device takes the place of the first. */
function replace(network: Network, line: Line) {
  const name = key(line.device)
  const first = network.lines.get(name)
  network.lines.set(name, line)
  first?.end(el("stream:error", {}, [el("conflict", { type: "replaced" })]))
}

function toBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
