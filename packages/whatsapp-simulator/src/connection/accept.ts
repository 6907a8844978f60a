import { inflateSync } from "node:zlib"
import { decodeBinaryNode } from "@whiskeysockets/baileys"
import type { WebSocket } from "ws"
import type { Network } from "../network/network.ts"
import { framed, newFrameSplitter } from "../wire/frames.ts"
import type { Node } from "../wire/node.ts"
import { type Handshake, handshake, type Transport } from "../wire/noise.ts"
import { admit } from "./admit.ts"
import { newOutlet } from "./outlet.ts"

/** A compressed frame holds at most as much as one that is not. */
const largest = 1 << 24

/** How long a client may take until it has logged in, in milliseconds. */
const handshakeTime = 20_000

/**
 * One client's socket: Noise handshake, then stanzas, one after the other. A frame that cannot be read ends
 * its connection and nothing else.
 */
export function accept(network: Network, socket: WebSocket, name: string) {
  const outlet = newOutlet(network, socket, name)
  const patience = setTimeout(() => outlet.fail(new Error("no handshake in time")), handshakeTime)
  outlet.atEnd(() => clearTimeout(patience))
  const stream = newFrameSplitter()
  let noise: Handshake | undefined
  let transport: Transport | undefined
  let taker: ((stanza: Node) => void) | undefined
  let turn = Promise.resolve()

  function finish(frame: Buffer, begun: Handshake) {
    const finished = begun.finish(frame)
    clearTimeout(patience)
    transport = finished.transport
    outlet.secure(transport)
    taker = admit(network, outlet, finished)
  }

  async function take(frame: Buffer) {
    if (outlet.isOver) return
    if (!noise) {
      noise = handshake(network.authority, stream.prologue ?? Buffer.alloc(0))
      socket.send(framed(noise.hello(frame)))
      return
    }
    if (!transport) return finish(frame, noise)
    const stanza = await decodeBinaryNode(unpacked(transport.decrypt(frame)))
    network.log.stanza("in", outlet.name, stanza)
    taker?.(stanza)
  }

  socket.on("message", (data) => {
    try {
      for (const frame of stream.push(toBuffer(data))) turn = turn.then(() => take(frame)).catch(outlet.fail)
    } catch (error) {
      outlet.fail(error)
    }
  })
  network.log.note(name, "connected")
}

/**
 * Undoes a frame's compression, if its first byte says that it has one. A small frame that would unpack to a
 * huge one is refused.
 */
function unpacked(frame: Buffer): Buffer {
  if (!((frame[0] ?? 0) & 2)) return frame
  const content = inflateSync(frame.subarray(1), { maxOutputLength: largest })
  return Buffer.concat([Buffer.from([0]), content])
}

function toBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
