import type { WebSocket } from "ws"
import { expect, test } from "vitest"
import { transmission } from "#session-host/baileys/transmission.ts"
import { takeWire } from "#session-host/baileys/wire.ts"

/** A socket that only notes what leaves. */
function aSocket() {
  const left: string[] = []
  const failed: string[] = []
  const socket = {
    send(data: Buffer, done: () => void) {
      left.push(data.toString())
      done()
    },
    terminate: () => left.push("terminated"),
  }
  // All of it that a wire uses.
  const wire = takeWire(socket as unknown as WebSocket)
  const send = (text: string) =>
    socket.send(Buffer.from(text), (error?: Error) => void (error && failed.push(text)))
  return { wire, send, left, failed }
}

test("frames wait for the commits they come after, and leave in order", async () => {
  const { wire, send, left } = aSocket()
  const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  send("a")
  wire.hold(one.promise)
  send("b")
  wire.hold(two.promise)
  send("c")
  one.resolve()
  await one.promise
  expect(left).toEqual(["a"])
  two.resolve()
  await two.promise
  send("d")
  expect(left).toEqual(["a", "b", "c", "d"])
})

test("frames behind a commit that fails never leave", async () => {
  const { wire, send, left } = aSocket()
  const commit = Promise.reject(new Error("fenced"))
  wire.hold(commit)
  send("a")
  await expect(commit).rejects.toThrow("fenced")
  send("b")
  expect(left).toEqual([])
})

test("once cut, neither held nor new frames leave", async () => {
  const { wire, send, left, failed } = aSocket()
  const commit = Promise.withResolvers<void>()
  wire.hold(commit.promise)
  send("a")
  wire.cut()
  commit.resolve()
  await commit.promise
  send("b")
  expect(left).toEqual(["terminated"])
  expect(failed).toEqual(["b"])
})

test("of a message that was given up no frame leaves; of another, that its stanza may have left is noted", () => {
  const { send, left } = aSocket()
  const state = { unkept: undefined, maybeKept: true, encrypted: false, handed: false, abandoned: false }
  transmission.run(state, () => send("a question"))
  expect(state.handed).toBe(false)
  state.encrypted = true
  transmission.run(state, () => send("the stanza"))
  expect(state.handed).toBe(true)
  transmission.run({ ...state, abandoned: true }, () => send("given up"))
  expect(left).toEqual(["a question", "the stanza"])
})
