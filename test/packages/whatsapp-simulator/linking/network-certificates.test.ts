import { Curve, WA_CERT_DETAILS } from "@whiskeysockets/baileys"
import * as signal from "libsignal"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newDevice } from "../../../support/network/baileys-client.ts"
import { aNetwork } from "../../../support/network/network.ts"

const network = await aNetwork()
const before = { verify: Curve.verify, root: WA_CERT_DETAILS.PUBLIC_KEY }

// Baileys 7.0.0-rc14 looks at no signature; here it does, as a client should.
beforeAll(() => {
  const { curve } = signal as unknown as {
    curve: { verifySignature(key: Buffer, message: Uint8Array, signature: Uint8Array): boolean }
  }
  Curve.verify = (key, message, signature) =>
    curve.verifySignature(Buffer.concat([Buffer.from([5]), key.subarray(-32)]), message, signature)
})
afterAll(async () => {
  Curve.verify = before.verify
  WA_CERT_DETAILS.PUBLIC_KEY = before.root
  await network.close()
})

test("a client that checks every signature accepts the network whose root it trusts, and pairs", async () => {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(network.rootKey)
  const ada = await network.phone()
  const bob = await network.phone()
  const client = await network.paired(ada)
  await client.sock.sendMessage(bob.jid, { text: "trusted" })
  expect(await bob.read({ text: "trusted" })).toHaveLength(1)
})

test("a client that checks refuses a network with another root", async () => {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(newDevice().creds.noiseKey.public)
  expect(await network.client().closed()).toBe(400)
})
