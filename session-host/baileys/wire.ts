import type { WebSocket } from "ws"
import { transmission } from "./transmission.ts"

/** The frames of one connection on their way out. */
export interface Wire {
  /** Holds all further frames, in order, until `commit` has been kept. If it never is, they never leave. */
  hold(commit: Promise<unknown>): void
  /** Whether frames leave. */
  readonly isOpen: boolean
  /** Closes at once: no frame leaves any more, held or new. */
  cut(): void
}

type Done = (error?: Error) => void
interface Frame {
  data: Buffer
  done: Done
}

/** Takes over how frames leave: Baileys does not wait for its credentials to be kept, and closes politely. */
export function takeWire(socket: WebSocket): Wire {
  const sendNow = socket.send.bind(socket) as (data: Buffer, done: Done) => void
  const waiting: Frame[] = []
  let holds = 0
  let open = true
  let broken = false

  /** A write that failed says so before the socket does. */
  const send = ({ data, done }: Frame) =>
    sendNow(data, (error) => {
      if (error) broken = true
      done(error)
    })

  const release = () => {
    holds--
    if (holds > 0 || !open) return
    for (const frame of waiting.splice(0)) send(frame)
  }

  socket.send = (data: unknown, done: unknown) => {
    // Baileys sends buffers, and always with a callback.
    const frame: Frame = { data: data as Buffer, done: done as Done }
    const message = transmission.getStore()
    if (!open || message?.abandoned) return frame.done(new Error("the connection sends no more"))
    if (message?.encrypted) message.handed = true
    if (holds > 0) waiting.push(frame)
    if (holds === 0) send(frame)
  }

  return {
    hold(commit) {
      holds++
      // A commit that fails ends the session: what waits for it stays here.
      commit.then(release, () => {})
    },
    get isOpen() {
      return open && !broken && socket.readyState === socket.OPEN
    },
    cut() {
      open = false
      waiting.length = 0
      socket.terminate()
    },
  }
}
