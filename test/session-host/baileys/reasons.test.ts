import { expect, test } from "vitest"
import { endOf } from "#session-host/baileys/reasons.ts"

/** As Baileys' errors are. */
const boom = (message: string, statusCode: number, data?: object) =>
  Object.assign(new Error(message), { output: { statusCode }, data })

test.for([
  [boom("Stream Errored (conflict)", 440), "replaced"],
  [
    boom("Stream Errored (conflict)", 440, { tag: "conflict", attrs: { type: "device_removed" } }),
    "logged_out",
  ],
  [boom("Stream Errored (conflict)", 401), "logged_out"],
  [boom("Stream Errored (restart required)", 515), "restart"],
  [boom("Stream Errored (unknown)", 503), "lost"],
  [boom("Connection Failure", 401), "logged_out"],
  [boom("Connection Failure", 403), "logged_out"],
  [boom("Connection Failure", 405), "lost"],
  [boom("QR refs attempts ended", 408), "refs_ended"],
  [boom("Connection was lost", 408), "lost"],
  [boom("WebSocket Error (Unexpected server response: 401)", 401), "lost"],
  [undefined, "lost"],
] as const)("%s: %s", ([error, reason]) => {
  expect(endOf(error).reason).toBe(reason)
})
