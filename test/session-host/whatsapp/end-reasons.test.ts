import { expect, test } from "vitest"
import { endOf } from "#session-host/whatsapp/end-reasons.ts"

/** In the form of Baileys' errors. */
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

test.for([
  [401, {}, { reason: "logged_out" }],
  [403, {}, { reason: "logged_out", objection: "locked" }],
  [406, {}, { reason: "logged_out", objection: "banned" }],
  [405, {}, { reason: "lost", objection: "outdated" }],
  [402, { expire: "90" }, { reason: "lost", objection: "temporarily_banned", refusedForMs: 90_000 }],
  [402, {}, { reason: "lost", objection: "temporarily_banned" }],
  [402, { expire: "soon" }, { reason: "lost", objection: "temporarily_banned" }],
  [503, { expire: "90" }, { reason: "lost" }],
] as const)("a login refused with %i, %o: %o", ([code, attrs, end]) => {
  const failure = boom("Connection Failure", code, { reason: String(code), ...attrs })
  expect(endOf(failure)).toEqual({ ...end, detail: `Connection Failure (${code})` })
})

test.for([
  ["invalid_adv_status", "device_untrusted"],
  ["unknown_companion", "device_unknown"],
  ["lid_migration_peer_mapping_missing", "addresses_changed"],
  ["something_new", undefined],
] as const)("a device that was removed for %s is unlinked, for %s", ([reason, objection]) => {
  const conflict = { tag: "conflict", attrs: { type: "device_removed", reason } }
  expect(endOf(boom("Stream Errored (conflict)", 401, conflict))).toEqual({
    reason: "logged_out",
    detail: `Stream Errored (conflict) (401): ${reason}`,
    ...(objection && { objection }),
  })
})
