import "#test/support/store.ts"
import * as fc from "fast-check"
import { expect, test, vi } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { removeEmpty } from "#core/account/remove-empty.ts"
import { getRow } from "#core/store/store.ts"
import { anAccount } from "../support/service/bridge.ts"

test("a key leads to its account, and only its HMAC is stored", async () => {
  const { id: accountId } = await anAccount()
  const key = await ApiKey.create(accountId, "first")
  expect(key).toMatch(/^mbk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
  const keyId = key.slice(4, 16)
  expect(await ApiKey.verify(key)).toEqual({ accountId, keyId, scope: "all" })
  const row = await getRow("Accounts", { pk: `KEY#${keyId}`, sk: "KEY" })
  expect(JSON.stringify(row)).not.toContain(key.slice(17, 40))
})

test("a key with any one character changed leads nowhere", async () => {
  const key = await ApiKey.create((await anAccount()).id, "first")
  const changes = fc.record({
    at: fc.nat(key.length - 1),
    to: fc.constantFrom("0", "a", "Z", "_", " ", "-", "é"),
  })
  await fc.assert(
    fc.asyncProperty(changes, async ({ at, to }) => {
      fc.pre(key[at] !== to)
      expect(await ApiKey.verify(key.slice(0, at) + to + key.slice(at + 1))).toBeUndefined()
    }),
  )
})

test("an account has several keys; one revoked leads nowhere within 30 s, also where it was remembered", async () => {
  const { id: accountId } = await anAccount()
  const [kept, revoked] = [await ApiKey.create(accountId, "kept"), await ApiKey.create(accountId, "revoked")]
  expect((await ApiKey.list(accountId)).map((key) => key.name).toSorted()).toEqual(["kept", "revoked"])
  expect(await ApiKey.verify(revoked)).toBeDefined()

  // Another process revokes it, and this one is not told.
  const { ApiKey: elsewhere } = (await import(
    `${import.meta.resolve("#core/account/api-key.ts")}?elsewhere`
  )) as { ApiKey: typeof ApiKey } // another copy of it
  expect(await elsewhere.revoke(accountId, revoked.slice(4, 16))).toBe(true)
  const later = performance.now() + 31_000
  vi.spyOn(performance, "now").mockReturnValue(later)
  expect(await ApiKey.verify(revoked)).toBeUndefined()
  vi.restoreAllMocks()
  expect(await ApiKey.verify(kept)).toMatchObject({ accountId })
  expect((await ApiKey.list(accountId)).map((key) => key.name)).toEqual(["kept"])
})

test("whose a revoked key was is remembered for as long as there is the account", async () => {
  const account = await anAccount()
  const one = await ApiKey.create(account.id, "one")
  const other = await ApiKey.create(account.id, "other")
  for (const key of [one, other]) await ApiKey.revoke(account.id, ApiKey.idOf(key))
  expect(await ApiKey.formerOwner(one)).toMatchObject({ accountId: account.id })
  await removeEmpty(account.id)
  expect(await ApiKey.formerOwner(other)).toBeUndefined()
})
