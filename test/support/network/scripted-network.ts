import { createServer } from "node:http"
import { decodeBinaryNode, encodeBinaryNode, type BinaryNode } from "@whiskeysockets/baileys"
import { WebSocketServer } from "ws"
import { listen } from "#one-machine/listen.ts"
import * as Certificates from "#simulator/wire/certificates.ts"
import { framed, newFrameSplitter } from "#simulator/wire/frames.ts"
import { handshake, type Transport } from "#simulator/wire/noise.ts"

export type ScriptedNetwork = Awaited<ReturnType<typeof aScriptedNetwork>>

function unconnected() {
  throw new Error("nobody is connected")
}

/** A network that shakes hands and then says only what the test says. */
export async function aScriptedNetwork(authority = Certificates.create()) {
  const heard: BinaryNode[] = []
  const listeners = new Set<() => void>()
  let transport: Transport | undefined
  let write: (bytes: Buffer) => void = unconnected
  let finished = false

  const http = createServer()
  const sockets = new WebSocketServer({ server: http, path: "/ws/chat" })
  sockets.on("connection", (socket) => {
    const stream = newFrameSplitter()
    let noise: ReturnType<typeof handshake> | undefined
    write = (bytes) => socket.send(framed(bytes))
    const take = async (frame: Buffer) => {
      if (!noise) {
        noise = handshake(authority, stream.prologue ?? Buffer.alloc(0))
        return write(noise.hello(frame))
      }
      if (!transport) {
        transport = noise.finish(frame).transport
        finished = true
      } else heard.push(await decodeBinaryNode(transport.decrypt(frame)))
      for (const listener of listeners) listener()
    }
    // It leaves `clients` a little later.
    socket.on("close", () => setImmediate(() => listeners.forEach((listener) => listener())))
    socket.on("message", (data) => {
      // Baileys sends binary frames, which ws gives as one buffer.
      for (const frame of stream.push(data as Buffer)) void take(frame)
    })
  })
  const port = await listen(http)

  const until = (look: () => boolean) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = () => look() && resolve()
    listeners.add(check)
    check()
    return promise.finally(() => listeners.delete(check))
  }
  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    rootKey: authority.root.public,
    heard,
    shaken: () => until(() => finished),
    isShaken: () => finished,
    hears: (tag: string, id: string) =>
      until(() => heard.some((node) => node.tag === tag && node.attrs.id === id)),
    say(node: BinaryNode) {
      if (!transport) throw new Error("no handshake yet")
      write(transport.encrypt(encodeBinaryNode(node)))
    },
    /** Resolves when the client has hung up. */
    closed: () => until(() => sockets.clients.size === 0),
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
