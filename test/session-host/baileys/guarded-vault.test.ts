import { expect, test } from "vitest"
import { guard } from "#session-host/baileys/guarded-vault.ts"
import { aVault } from "#test/support/session/vault.ts"

test("when the store fails, the connection is closed before anyone hears of it", async () => {
  const vault = aVault()
  const order: string[] = []
  const guarded = guard(
    vault,
    () => false,
    (detail) => order.push(detail),
  )
  vault.fail(() => {})
  await guarded.keep({ creds: "c" }).catch(() => order.push("heard"))
  expect(order).toEqual(["the store failed", "heard"])
})

test("reads and writes of an ended connection do not reach the store", async () => {
  const vault = aVault()
  const guarded = guard(
    vault,
    () => true,
    () => {},
  )
  await expect(guarded.keep({ creds: "late" })).rejects.toThrow("ended")
  await expect(guarded.keys("session", ["1"])).rejects.toThrow("ended")
  await expect(guarded.isSeen({ hash: "hash", attrs: {} })).rejects.toThrow("ended")
  expect(vault.changes).toEqual([])
})
