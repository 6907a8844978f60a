import {
  type BinaryNode,
  makeWASocket,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { WebSocket } from "ws"
import type { Gate } from "../network/connection.ts"
import { holdOutgoingFrames } from "../send/hold-frames.ts"
import { sendingNow } from "./context.ts"

/** Baileys' socket, and its frames on their way out, which wait for the gate. */
export function dial(config: UserFacingSocketConfig, gate: Gate) {
  const sock = makeWASocket(config)
  // Baileys hides the socket. It can neither hold frames nor close at once, so we reach for it.
  const { socket } = sock.ws as unknown as { socket: WebSocket }
  const outgoing = holdOutgoingFrames(socket, gate)
  // Baileys would wait half a minute for a dead server to agree.
  sock.ws.close = async () => outgoing.cut()
  makeChangesAtOnce(sock, config.auth.keys)
  return { sock, outgoing }
}

/**
 * Baileys' own transactions keep what they change to themselves until they end, and frames leave meanwhile: a retry receipt
 * would name a prekey that nobody has kept. So each change is made at once, before the next frame is stamped. A transaction
 * only keeps others out. `rotateSignedPreKey`, which nobody calls, would still tell the network before it keeps anything.
 *
 * Messages need none. Baileys has one at a time for all that it does under our own id, so each message would wait for one that
 * the network leaves without an answer, for as long as a minute. They have an order already, and the state that they share
 * with others is locked where it changes.
 */
function makeChangesAtOnce({ authState: { keys } }: Pick<WASocket, "authState">, own: SignalKeyStore): void {
  const run = keys.transaction.bind(keys)
  keys.get = async (type, ids) => {
    // Baileys reads and writes right before a stanza. If a stanza were encoded and then held back, the connection would be lost.
    sendingNow()?.mustGoOn()
    return await own.get(type, ids)
  }
  keys.set = async (data) => await own.set(data)
  keys.transaction = (work, lock) => (sendingNow() ? work() : run(work, lock))
}

/** Asks the sender of a message for it once more. */
export async function requestAgain(sock: WASocket, stanza: BinaryNode): Promise<void> {
  await sock.sendRetryRequest(stanza)
  // Baileys would then ask the phone for what the phone has sent, and for each answer that cannot be read in its turn.
  if (stanza.attrs.category === "peer") sock.messageRetryManager?.cancelPendingPhoneRequest(stanza.attrs.id!)
}
