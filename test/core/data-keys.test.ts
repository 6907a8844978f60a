import "#test/support/store.ts"
import { expect, test } from "vitest"
import { DataKeys } from "#core/keys/data-keys.ts"
import { newDataKey } from "#core/keys/wrapping.ts"

test("a bridge that comes again under its id is not taken to have the keys of before", async () => {
  const owner = { accountId: "account", bridgeId: "bridge" }
  for (let n = 0; n < 2; n++) {
    const { key, wrapped } = await newDataKey("delivery", owner)
    expect(await DataKeys.unwrapped("delivery", owner, wrapped)).toEqual(key)
  }
})
