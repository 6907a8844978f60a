import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { rewrapKeys, rewrapKeysOfAccount } from "#core/keys/rewrap.ts"
import { rotate } from "#core/keys/wrapping.ts"
import type { Verb } from "./verb.ts"

export const wrapping: Record<string, Verb> = {
  rotate: {
    takes: "",
    says: "give both wrapping keys new key material; keys that the old material wrapped can still be opened",
    run: async () => {
      for (const purpose of ["session", "delivery"] as const) await rotate(purpose)
      return [{ rotated: 2 }]
    },
  },
  rewrap: {
    takes: "",
    says: "wrap the data keys of all bridges and accounts again; if interrupted, run it again",
    run: async () => {
      let [bridges, keys] = [0, 0]
      for (const account of await Account.list()) {
        keys += await rewrapKeysOfAccount(account)
        for (const bridge of await Bridge.list(account.id)) {
          bridges++
          keys += await rewrapKeys(bridge)
        }
      }
      return [{ bridges, keys }]
    },
  },
}
