import { expect, onTestFinished, test, vi } from "vitest"
import type { WebSocket } from "ws"
import { endIfSilent } from "#session-host/whatsapp/end-if-silent.ts"
import { newLifetime } from "#session-host/whatsapp/lifetime.ts"
import { holdOutgoingFrames } from "#session-host/whatsapp/send/hold-frames.ts"
import { inTransmission } from "#session-host/whatsapp/send/transmission.ts"
import { aTransmission } from "#test/support/session/transmission.ts"

/** A socket that only notes what leaves, and a gate that a test opens unit by unit. */
function aSocket() {
  const left: string[] = []
  const failed: string[] = []
  const asked: number[] = []
  const units = [Promise.withResolvers<void>()]
  const gate = {
    made: 0,
    kept: 0,
    isFull: false,
    whenKept: async (unit: number) => {
      asked.push(unit)
      await units[unit]!.promise
    },
  }
  const socket = {
    send(data: Buffer, done: () => void) {
      left.push(data.toString())
      done()
    },
    terminate: () => left.push("terminated"),
    pause: () => left.push("paused"),
    resume: () => left.push("resumed"),
  }
  // Everything that a wire uses of it.
  const wire = holdOutgoingFrames(socket as unknown as WebSocket, gate)
  return {
    wire,
    left,
    failed,
    asked,
    gate,
    send: (text: string) =>
      socket.send(Buffer.from(text), (error?: Error) => void (error && failed.push(text))),
    make: () => {
      gate.made++
      units.push(Promise.withResolvers())
    },
    keep: async () => {
      gate.kept++
      units[gate.kept]!.resolve()
      await new Promise(setImmediate)
    },
    refuse: async () => {
      units[gate.kept + 1]!.reject(new Error("fenced"))
      await new Promise(setImmediate)
    },
  }
}

test("a frame waits for the last unit made before it, and frames leave in order", async () => {
  const { make, keep, send, left } = aSocket()
  send("a")
  make()
  send("b")
  make()
  send("c")
  make()
  send("d")
  expect(left).toEqual(["a"])
  await keep()
  expect(left).toEqual(["a", "b"])
  await keep()
  expect(left).toEqual(["a", "b", "c"])
  await keep()
  send("e")
  expect(left).toEqual(["a", "b", "c", "d", "e"])
})

test("a frame that waits has its unit made durable, and its sender goes on", () => {
  const { make, send, asked, left } = aSocket()
  const sent: string[] = []
  make()
  send("a")
  sent.push("a")
  expect(left).toEqual([])
  expect(asked).toEqual([1])
})

test("frames behind a unit that is refused never leave", async () => {
  const { make, refuse, send, left } = aSocket()
  make()
  send("a")
  await refuse()
  send("b")
  expect(left).toEqual([])
})

test("once cut, neither held nor new frames leave", async () => {
  const { wire, make, keep, send, left, failed } = aSocket()
  make()
  send("a")
  wire.cut()
  await keep()
  send("b")
  expect(left).toEqual(["terminated"])
  expect(failed).toEqual(["b"])
})

test("while too much waits to become durable nothing more is read, until that is durable", async () => {
  const { gate, make, keep, send, left } = aSocket()
  make()
  make()
  gate.isFull = true
  send("a")
  send("b")
  expect(left).toEqual(["paused"])
  await keep()
  expect(left).toEqual(["paused"])
  await keep()
  expect(left).toEqual(["paused", "a", "b", "resumed"])
})

test("the socket is not read while anything holds it up, nor after a cut", async () => {
  const { wire, left } = aSocket()
  const [first, second, last] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  wire.stopReading(first!.promise)
  wire.stopReading(second!.promise)
  first!.resolve()
  await first!.promise
  expect(left).toEqual(["paused"])
  second!.resolve()
  await second!.promise
  expect(left).toEqual(["paused", "resumed"])
  wire.stopReading(last!.promise)
  wire.cut()
  last!.resolve()
  await last!.promise
  expect(left).toEqual(["paused", "resumed", "paused", "terminated"])
})

test("a connection is not dead for want of an answer that may be behind what was not read", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  onTestFinished(() => void vi.useRealTimers())
  const { wire } = aSocket()
  const lifetime = newLifetime(() => {})
  const reading = Promise.withResolvers<void>()
  endIfSilent(lifetime, wire, 100).asked()
  wire.stopReading(reading.promise)
  vi.advanceTimersByTime(250)
  reading.resolve()
  await reading.promise
  vi.advanceTimersByTime(149)
  expect(lifetime.isOver).toBe(false)
  vi.advanceTimersByTime(1)
  expect(lifetime.isOver).toBe(true)
})

test("once a message is given up, none of its frames leaves", () => {
  const { send, left, failed } = aSocket()
  const sending = aTransmission()
  inTransmission(sending, () => send("a question"))
  sending.giveUp(new Error("it took too long"), false)
  inTransmission(sending, () => send("the stanza"))
  send("of another message")
  expect(left).toEqual(["a question", "of another message"])
  expect(failed).toEqual(["the stanza"])
})
