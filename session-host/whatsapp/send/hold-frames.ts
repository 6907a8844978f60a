import type { WebSocket } from "ws"
import type { Gate } from "../../network/connection.ts"
import { transmissionNow } from "./transmission.ts"

/** The frames of one connection on their way out. */
export interface OutgoingFrames {
  /** Whether frames leave. */
  readonly isOpen: boolean
  /** Reads nothing more from the socket until this resolves. A rejection says that the session has ended. */
  stopReading(until: Promise<void>): void
  /**
   * Reads nothing more from the socket while too much waits to become durable. Also looked at whenever a
   * frame leaves.
   */
  stopReadingWhileFull(): void
  /** When reading was held up last, in ms of `performance.now()`: now, if it is. */
  stoppedReadingAtMs(): number
  /** Closes at once: no frame leaves any more, held or new. */
  cut(): void
}

type Done = (error?: Error) => void

/**
 * Takes over how frames leave: no frame leaves before everything that was changed before it is durable.
 * Frames keep their order. While too much waits to become durable, nothing more is read. Closing is
 * immediate, where Baileys would close politely.
 */
export function holdOutgoingFrames(socket: WebSocket, gate: Gate): OutgoingFrames {
  const sendNow = socket.send.bind(socket) as (data: Buffer, done: Done) => void
  /** Frames, each with the last unit that was made before it. */
  const held: { data: Buffer; unit: number }[] = []
  let isWaiting = false
  let isFull = false
  let open = true
  let broken = false
  const { stopReading, stoppedReadingAtMs } = newReading(socket, () => open)

  /** Notes a failed write, which is known before the socket says so. */
  const send = (data: Buffer, done: Done) =>
    sendNow(data, (error) => {
      if (error) broken = true
      done(error)
    })

  const release = () => {
    isWaiting = false
    while (open && held[0] && held[0].unit <= gate.kept) send(held.shift()!.data, ignored)
    if (open && held[0]) wait(held[0].unit)
  }
  const wait = (unit: number) => {
    if (isWaiting) return
    isWaiting = true
    // A commit that fails ends the session, and the frames that wait for it stay here.
    gate.whenKept(unit).then(release, ignored)
  }
  const stopReadingWhileFull = () => {
    if (isFull || !gate.isFull) return
    isFull = true
    stopReading(gate.whenKept(gate.made).then(() => void (isFull = false)))
  }

  socket.send = (data: unknown, done: unknown) => {
    // Baileys sends buffers, and always with a callback.
    const [frame, written] = [data as Buffer, done as Done]
    if (!open || transmissionNow()?.handOver() === false)
      return written(new Error("the connection sends no more"))
    stopReadingWhileFull()
    if (held.length === 0 && gate.made <= gate.kept) return send(frame, written)
    held.push({ data: frame, unit: gate.made })
    wait(held[0]!.unit)
    // A held frame counts as written, so that the sender goes on at the speed of memory.
    written()
  }

  return {
    get isOpen() {
      return open && !broken && socket.readyState === socket.OPEN
    },
    stopReading,
    stopReadingWhileFull,
    stoppedReadingAtMs,
    cut() {
      open = false
      held.length = 0
      socket.terminate()
    },
  }
}

/** Reads nothing more from a socket while there is a reason. */
function newReading(socket: WebSocket, isOpen: () => boolean) {
  /** How many reasons there are. */
  let holds = 0
  let readOnAtMs = -Infinity

  const readOn = () => {
    holds--
    readOnAtMs = performance.now()
    if (holds === 0 && isOpen()) socket.resume()
  }
  return {
    stopReading: (until: Promise<void>): void => {
      if (holds === 0) socket.pause()
      holds++
      until.then(readOn, ignored)
    },
    stoppedReadingAtMs: () => (holds > 0 ? performance.now() : readOnAtMs),
  }
}

/** Does nothing: the socket reports the error itself, or the session has ended. */
function ignored(): void {}
