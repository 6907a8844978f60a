import { createHash, createPrivateKey, randomBytes, sign as signedWith } from "node:crypto"
import {
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  getBinaryNodeChildBuffer,
  hkdf,
  hmacSign,
  proto,
} from "@whiskeysockets/baileys"
import { afterAll, expect, test } from "vitest"
import type { Client } from "#test/support/network/baileys-client.ts"
import { aNetwork } from "#test/support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const platform = proto.DeviceProps.PlatformType.CHROME
const sha256 = (...parts: Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest()
const node = (tag: string, content?: BinaryNode["content"]): BinaryNode =>
  content === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content }

interface Assertion {
  rawId: string
  response: { clientDataJSON: string; authenticatorData: string }
}

interface Options {
  challenge: string
  rpId: string
}

const optionsIn = (of: BinaryNode) =>
  JSON.parse(getBinaryNodeChildBuffer(of, "passkey_request_options")!.toString()) as Options

/** A companion that an account's phone has scanned, and that knows the ceremony, as whatsmeow's `pair-passkey.go` does. */
function ceremonyOf(client: Client) {
  const { creds } = client.device
  const handoff = Buffer.from(
    hkdf(Buffer.from(creds.advSecretKey, "base64"), 32, { info: "shortcake-passkey-handoff-v1" }),
  )
  const [ephemeral, nonce, advSecret] = [Curve.generateKeyPair(), randomBytes(32), randomBytes(32)]
  const notices: Record<string, BinaryNode> = {}
  for (const type of ["passkey_prologue_request", "crsc_continuation"])
    client.sock.ws.on(`CB:notification,type:${type}`, (notice: BinaryNode) => {
      notices[type] = notice
      client.changed()
    })
  const ask = (type: "get" | "set", content: BinaryNode): Promise<BinaryNode> =>
    client.sock.query({ tag: "iq", attrs: { to: "@s.whatsapp.net", xmlns: "md", type }, content: [content] })
  let ref = ""
  let primary: proto.PrimaryEphemeralIdentity | undefined

  return {
    ask,
    options: async () => optionsIn(await client.until("a request", () => notices.passkey_prologue_request)),
    again: async () => optionsIn(await ask("get", node("passkey_request_options"))),
    /** Brings an assertion, of the credential that it names unless another is given. */
    async prologue(
      assertion: { rawId: string },
      { credential = assertion.rawId, isProven = true, key = handoff, named = "", bytes = 32 } = {},
    ) {
      const given = getBinaryNodeChildBuffer(await ask("get", node("ref")), "ref")!.toString()
      const identity = proto.CompanionEphemeralIdentity.encode({
        publicKey: ephemeral.public.subarray(0, bytes),
        deviceType: platform,
        ref: named || given,
      }).finish()
      const prologue = proto.ProloguePayload.encode({
        companionEphemeralIdentity: identity,
        commitment: { hash: sha256(identity, nonce) },
      }).finish()
      await ask(
        "set",
        node("passkey_prologue", [
          node("credential_id", Buffer.from(credential, "base64url")),
          node("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
          node("prologue_payload", prologue),
          ...(isProven ? [node("pairing_handoff_proof", hmacSign(prologue, key))] : []),
        ]),
      )
      ref = given
      const notice = await client.until("the phone's half", () => notices.crsc_continuation)
      primary = proto.PrimaryEphemeralIdentity.decode(
        getBinaryNodeChildBuffer(notice, "primary_ephemeral_identity") as Uint8Array,
      )
    },
    reveal: (shown = nonce) => ask("set", node("companion_nonce", shown)),
    confirm({
      noise = creds.noiseKey.public,
      identity = creds.signedIdentityKey.public,
      secret = advSecret,
    } = {}) {
      const shared = Curve.sharedKey(ephemeral.private, primary!.publicKey!)
      const key = hkdf(shared, 32, {
        salt: Buffer.from(`Companion Pairing ${platform} with ref ${ref}`),
        info: "Pairing Information Encryption Key",
      })
      creds.advSecretKey = advSecret.toString("base64")
      const request = proto.PairingRequest.encode({
        companionPublicKey: noise,
        companionIdentityKey: identity,
        advSecret: secret,
      }).finish()
      const iv = randomBytes(12)
      const encryptedPayload = aesEncryptGCM(request, key, iv, Buffer.alloc(0))
      const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish()
      return ask("set", node("encrypted_pairing_request", sealed))
    },
  }
}

/** An account that is linked with a passkey only, and a companion whose code its phone has scanned. */
async function anAccount() {
  const ada = await network.phone("Ada")
  const passkey = `/phones/${ada.number}/passkey`
  const { private_key } = (await network.call("POST", passkey)) as { private_key: string }
  const client = network.client()
  const ceremony = ceremonyOf(client)
  const scan = async () => ada.scan(await client.qr())
  await expect(scan()).rejects.toThrow("passkey_required")
  const sign = (challenge: string, origin?: string) =>
    network.call("POST", `${passkey}/assertions`, { challenge, origin }) as Promise<Assertion>
  /** An assertion of a device that has recognised nobody. */
  const signUnseen = async (challenge: string) => {
    const { response, ...of } = await sign(challenge)
    const [clientData, data] = [response.clientDataJSON, response.authenticatorData].map((part) =>
      Buffer.from(part, "base64url"),
    ) as [Buffer, Buffer]
    data[32] = 0x01
    const key = createPrivateKey({ key: Buffer.from(private_key, "base64"), format: "der", type: "pkcs8" })
    const signature = signedWith("sha256", Buffer.concat([data, sha256(clientData)]), key).toString(
      "base64url",
    )
    return { ...of, response: { ...response, authenticatorData: data.toString("base64url"), signature } }
  }
  const shown = (stage: string) => network.call("GET", `${passkey}?stage=${stage}&wait=10000`)
  return { ada, client, ceremony, scan, sign, signUnseen, shown }
}

test("a companion is linked with the account's passkey, and logs in", async () => {
  const { ada, client, ceremony, sign, shown } = await anAccount()
  const options = await ceremony.options()
  expect(options.rpId).toBe("whatsapp.com")
  await ceremony.prologue(await sign(options.challenge))
  await ceremony.reveal()
  expect(await shown("code")).toMatchObject({ stage: "code", isKnown: true })
  await ceremony.confirm()
  expect(await shown("linked")).toMatchObject({ stage: "linked", device: 1 })
  expect(await client.closed()).toBe(515)
  await network.client(client.device).online()
  expect(await network.control.phone(ada.number)).toMatchObject({ devices: [{ id: 0 }, { id: 1 }] })
})

test("so is one that shows a link code, whose phone wants the passkey when it has the answer", async () => {
  const ada = await network.phone("Ada")
  await network.call("POST", `/phones/${ada.number}/passkey`)
  const client = network.client()
  await client.qr()
  const code = await client.sock.requestPairingCode(ada.number)
  const unknown = ceremonyOf(client)
  await expect(ada.typeCode(code)).rejects.toThrow("passkey_required")
  const { challenge } = await unknown.options()
  const assertion = await network.call("POST", `/phones/${ada.number}/passkey/assertions`, { challenge })
  await unknown.prologue(assertion as { rawId: string }, { isProven: false })
  await unknown.reveal()
  const shown = await network.call("GET", `/phones/${ada.number}/passkey?stage=code&wait=10000`)
  expect(shown).toMatchObject({
    code: expect.stringMatching(/^[1-9A-HJ-NP-TV-Z]{4}-[1-9A-HJ-NP-TV-Z]{4}$/),
    isKnown: false,
  })
  await unknown.confirm()
  expect(await client.closed()).toBe(515)
})

test("a wrong, foreign or misplaced assertion is refused in its own words, and the right one is taken afterwards", async () => {
  const { client, ceremony, sign } = await anAccount()
  const other = await anAccount()
  const { challenge } = await ceremony.options()
  const prologue = (...brought: Parameters<typeof ceremony.prologue>) => ceremony.prologue(...brought)
  await expect(prologue(await sign("b3RoZXI"))).rejects.toThrow("not-authorized")
  await expect(prologue(await sign(challenge, "https://web.whatsapp.com.example"))).rejects.toThrow(
    "not-authorized",
  )
  await expect(prologue(await other.sign(challenge))).rejects.toThrow("forbidden")
  const own = await sign(challenge)
  await expect(prologue(await other.sign(challenge), { credential: own.rawId })).rejects.toThrow(
    "not-authorized",
  )
  await expect(prologue({ rawId: own.rawId })).rejects.toThrow("bad-request")
  await prologue(own)
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})

test("an assertion that comes too late is refused, and new options begin the ceremony again", async () => {
  await network.call("PATCH", "/manners", { passkey_ms: 1 })
  const { client, ceremony, sign } = await anAccount()
  await network.call("PATCH", "/manners", { passkey_ms: 60_000 })
  const first = await ceremony.options()
  const late = await sign(first.challenge)
  await expect(ceremony.prologue(late)).rejects.toThrow("request-timeout")
  const second = await ceremony.again()
  expect(second.challenge).not.toBe(first.challenge)
  await ceremony.prologue(await sign(second.challenge))
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})

test("steps out of order, repeated or of another companion are refused", async () => {
  const { client, ceremony, sign } = await anAccount()
  const { challenge } = await ceremony.options()
  const stranger = network.client()
  await stranger.qr()
  await expect(ceremonyOf(stranger).again()).rejects.toThrow("item-not-found")
  await expect(ceremony.reveal()).rejects.toThrow("bad-request")
  const assertion = await sign(challenge)
  await ceremony.prologue(assertion)
  await expect(ceremony.prologue(assertion)).rejects.toThrow("not-authorized")
  await expect(ceremony.confirm()).rejects.toThrow("bad-request")
  await expect(ceremony.reveal(randomBytes(31))).rejects.toThrow("bad-request")
  await expect(ceremony.reveal(randomBytes(32))).rejects.toThrow("not-authorized")
  await ceremony.reveal()
  await expect(ceremony.confirm({ noise: randomBytes(32) })).rejects.toThrow("forbidden")
  await expect(ceremony.confirm({ identity: randomBytes(32) })).rejects.toThrow("forbidden")
  await expect(ceremony.confirm({ secret: randomBytes(31) })).rejects.toThrow("bad-request")
  const confirmed = ceremony.confirm()
  await expect(ceremony.again()).rejects.toThrow("conflict")
  await confirmed
  expect(await client.closed()).toBe(515)
})

test("a prologue with a wrong proof, ref or key, or of somebody who was not recognised, is refused, and the right one is taken", async () => {
  const { client, ceremony, sign, signUnseen } = await anAccount()
  const { challenge } = await ceremony.options()
  const assertion = await sign(challenge)
  await expect(ceremony.prologue(assertion, { key: randomBytes(32) })).rejects.toThrow("not-authorized")
  await expect(ceremony.prologue(assertion, { named: "2@other" })).rejects.toThrow("item-not-found")
  await expect(ceremony.prologue(assertion, { bytes: 31 })).rejects.toThrow("bad-request")
  await expect(ceremony.prologue(await signUnseen(challenge))).rejects.toThrow("not-authorized")
  await ceremony.prologue(assertion)
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})

test("a companion that is scanned once more begins anew", async () => {
  const { client, ceremony, scan, sign } = await anAccount()
  const { challenge } = await ceremony.options()
  const old = await sign(challenge)
  await expect(scan()).rejects.toThrow("passkey_required")
  await expect(ceremony.prologue(old)).rejects.toThrow("not-authorized")
  const { challenge: fresh } = await ceremony.again()
  await ceremony.prologue(await sign(fresh))
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})
