import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Account } from "#core/account.ts"
import { ApiKey } from "#core/api-key.ts"
import { Lease } from "#core/lease.ts"
import { account } from "#local/admin/account.ts"
import { bridge } from "#local/admin/bridge.ts"
import { key } from "#local/admin/key.ts"
import { Refused } from "#local/admin/verb.ts"
import { aBridge } from "#test/support/bridge.ts"

test("an account is made without a subscription, and gets one when told so", async () => {
  const [made] = await account.create!.run(["Ada's shop"])
  expect(made).toMatchObject({ name: "Ada's shop", subscription: "none", bridges: 0, limit: 10 })
  const id = String(made!.id)
  await account.subscription!.run([id, "active"])
  await account.limit!.run([id, "25"])
  expect(await Account.get(id)).toMatchObject({ subscription: "active", bridgeLimit: 25 })
  expect(await account.list!.run([])).toContainEqual(expect.objectContaining({ id, limit: 25 }))
})

test.for([
  ["an account without a name", account.create!, []],
  ["a subscription of no known state", account.create!, ["x", "free"]],
  ["a limit of an unknown account", account.limit!, ["nobody", "3"]],
  ["a limit that is no number", account.limit!, ["nobody", "many"]],
  ["a key of an unknown account", key.create!, ["nobody"]],
  ["the end of an unknown key", key.revoke!, ["nobody", "nothing"]],
  ["a pause of an unknown bridge", bridge.pause!, ["nothing"]],
] as const)("%s is refused with a sentence", async ([, verb, args]) => {
  await expect(verb.run([...args])).rejects.toThrow(Refused)
})

test("a key opens its account until it is revoked, and is never listed whole", async () => {
  const { id } = await Account.create({ name: "keys" })
  const [made] = await key.create!.run([id, "laptop"])
  const secret = String(made!.key)
  expect(await ApiKey.verify(secret)).toMatchObject({ accountId: id })
  const [listed] = await key.list!.run([id])
  expect(listed).toMatchObject({ name: "laptop" })
  expect(JSON.stringify(listed)).not.toContain(secret.slice(-38))
  await key.revoke!.run([id, String(listed!.id)])
  expect(await ApiKey.verify(secret)).toBeUndefined()
  expect(await key.list!.run([id])).toEqual([])
})

test("a bridge is paused and woken, suspended and resumed; a pause does not end a suspension", async () => {
  const { id } = await aBridge()
  await bridge.pause!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.NONE, reason: "manual" })
  await bridge.suspend!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.NONE, reason: "suspended" })
  await expect(bridge.pause!.run([id])).rejects.toThrow(Refused)
  await expect(bridge.wake!.run([id])).rejects.toThrow(Refused)
  await bridge.resume!.run([id])
  expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE })
  await bridge.pause!.run([id])
  await bridge.wake!.run([id])
  const lease = await Lease.get(id)
  expect(lease).toMatchObject({ host: Lease.FREE })
  expect(lease?.reason).toBeUndefined()
})
