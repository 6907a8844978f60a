import { Curve } from "@whiskeysockets/baileys"
import { afterAll } from "vitest"
import "#core/platform/faster-node-crypto.ts"

/**
 * The clients in the simulator's tests are of the library as it comes, so none of these files may repair it.
 */
const { generateKeyPair } = Curve

afterAll(() => {
  if (Curve.generateKeyPair !== generateKeyPair)
    throw new Error("it repairs the library, which others here use as it comes: name it *.alone.test.ts")
})
