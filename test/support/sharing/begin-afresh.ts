import { afterAll } from "vitest"
import "#core/platform/faster-node-crypto.ts"
import { config } from "#core/platform/config.ts"
import { store } from "#core/store/store.ts"
import { installRepairs } from "#session-host/whatsapp/patches/install.ts"
import { reopen, settings } from "../store.ts"

/**
 * Each test file that shares its process begins with the same settings, an empty store and the repaired
 * library.
 */
installRepairs()
await reopen()
for (const name of Object.keys(config)) if (!(name in settings)) Reflect.deleteProperty(config, name)
Object.assign(config, settings)

const { send } = store
afterAll(() => {
  if (store.send !== send) throw new Error("it wraps the store's calls for good: name it *.alone.test.ts")
})
