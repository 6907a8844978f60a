import { onTestFinished, vi } from "vitest"
import { WebSocket } from "ws"
import { transmissionNow } from "#session-host/whatsapp/send/transmission.ts"
import type { Network } from "../network/network.ts"
import type { VolatileVault } from "./vault.ts"

/** What is noted of a frame when its bytes go to the socket. */
interface Leaving {
  /** How many units were durable. */
  kept: number
  /** Whether its message was built, for a frame of a message. */
  built: boolean | undefined
}

/** A client's frames of the handshake, before its stanzas. */
const handshake = 2

/**
 * Notes the frames of each connection as they leave. Call it before the connection is dialled, which keeps
 * the way out that it finds.
 */
export function framesThatLeave(network: Network, vault: VolatileVault) {
  let socket: WebSocket | undefined
  let noted: Leaving[] = []
  const plain = Reflect.get(WebSocket.prototype, "send") // of the library
  const spy = vi.spyOn(WebSocket.prototype, "send").mockImplementation(function (this: WebSocket, ...frame) {
    // The network's own sockets have no address.
    if (this.url && this !== socket) [socket, noted] = [this, []]
    if (this.url) noted.push({ kept: vault.kept(), built: transmissionNow()?.isBuilt })
    Reflect.apply(plain, this, frame)
  })
  onTestFinished(() => spy.mockRestore())
  return {
    /**
     * The stanzas that the network has heard from this device since its last login, with what was noted of
     * each.
     */
    async since(device: string) {
      const log = await network.control.log({ who: device })
      const login = log.findLastIndex(({ kind, stanza }) => kind === "out" && stanza?.tag === "success")
      const heard = log.slice(login).filter(({ kind }) => kind === "in")
      return heard.map(({ stanza }, i) => ({ stanza: stanza!, ...noted[handshake + i]! }))
    },
  }
}
