import { randomBytes } from "node:crypto"
import { Curve, proto } from "@whiskeysockets/baileys"
import { afterEach, expect, test } from "vitest"
import { installRepairs } from "#session-host/whatsapp/patches/install.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import * as Certificates from "#simulator/wire/certificates.ts"
import { aScriptedNetwork, type ScriptedNetwork } from "#test/support/network/scripted-network.ts"
import { aConnection } from "#test/support/session/recorded-connection.ts"
import { aVault } from "#test/support/session/vault.ts"

interface Chain {
  leaf: { details: Uint8Array; signature: Uint8Array }
  intermediate: Chain["leaf"]
}

let network: ScriptedNetwork
afterEach(() => network.close())

/** An authority with a tampered chain. */
function tampered(change: (chain: Chain) => void) {
  const authority = Certificates.create()
  // It was created with all its fields.
  const chain = proto.CertChain.decode(authority.chain) as unknown as Chain
  change(chain)
  return { ...authority, chain: Buffer.from(proto.CertChain.encode(chain).finish()) }
}

/** How a connection to that network goes on: it shakes hands, or ends. */
async function dialled(authority: Certificates.Authority) {
  network = await aScriptedNetwork(authority)
  const connection = aConnection({ url: network.url, vault: aVault() })
  const end = await Promise.race([connection.happens("closed"), network.shaken()])
  connection.close()
  return end?.detail ?? "shaken hands"
}

test("a network with a chain from the trusted root is talked to", async () => {
  const authority = Certificates.create()
  trustRoot(authority.root.public)
  expect(await dialled(authority)).toBe("shaken hands")
})

test.for([
  ["another root", () => Certificates.create(), "intermediate certificate signature invalid"],
  [
    "a leaf that nobody signed",
    () => tampered(({ leaf }) => (leaf.signature = randomBytes(64))),
    "noise certificate signature invalid",
  ],
  [
    "an intermediate that nobody signed",
    () => tampered(({ intermediate }) => (intermediate.signature = randomBytes(64))),
    "intermediate certificate signature invalid",
  ],
] as const)("%s is refused", async ([what, authority, detail]) => {
  const made = authority()
  trustRoot(what === "another root" ? Certificates.create().root.public : made.root.public)
  expect(await dialled(made)).toContain(detail)
  expect(network.isShaken()).toBe(false)
})

test("a true chain for another key than the one in the handshake is refused", async () => {
  const authority = Certificates.create()
  trustRoot(authority.root.public)
  const { noise } = Certificates.create()
  expect(await dialled({ ...authority, noise })).toContain("certificate signature invalid")
  expect(network.isShaken()).toBe(false)
})

test("a leaf that names another issuer than the intermediate shown is refused", async () => {
  const { Details } = proto.CertChain.NoiseCertificate
  const [root, middle, noise] = [Curve.generateKeyPair(), Curve.generateKeyPair(), Curve.generateKeyPair()]
  const issue = (by: typeof root, about: proto.CertChain.NoiseCertificate.IDetails) => {
    const details = Details.encode(about).finish()
    return { details, signature: Curve.sign(by.private, details) }
  }
  const chain = proto.CertChain.encode({
    intermediate: issue(root, { serial: 1, issuerSerial: 0, key: middle.public }),
    leaf: issue(middle, { serial: 2, issuerSerial: 77, key: noise.public }),
  }).finish()
  trustRoot(root.public)
  const pair = (keys: typeof root) => ({
    public: Buffer.from(keys.public),
    private: Buffer.from(keys.private),
  })
  const authority = { root: pair(root), noise: pair(noise), chain: Buffer.from(chain) }
  expect(await dialled(authority)).toContain("certificate signature invalid")
})

test("a signature is only true for its key and its text", () => {
  installRepairs()
  const pair = Curve.generateKeyPair()
  const text = Buffer.from("text")
  const signature = Curve.sign(pair.private, text)
  expect(Curve.verify(pair.public, text, signature)).toBe(true)
  expect(Curve.verify(pair.public, Buffer.from("other"), signature)).toBe(false)
  expect(Curve.verify(Curve.generateKeyPair().public, text, signature)).toBe(false)
  expect(Curve.verify(pair.public, text, randomBytes(64))).toBe(false)
  expect(Curve.verify(pair.public, text, randomBytes(3))).toBe(false)
})
