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
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
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
  type: string
  response: { clientDataJSON: string; authenticatorData: string }
}

/** An assertion that may lack parts, and how a prologue differs from one that is right. */
type Shown = Pick<Assertion, "rawId"> & Partial<Assertion>
type Changes = Parameters<typeof prologueOf>[2]

interface Options {
  challenge: string
  rpId: string
}

const optionsIn = (of: BinaryNode) =>
  JSON.parse(getBinaryNodeChildBuffer(of, "passkey_request_options")!.toString()) as Options

/** What a companion keeps to itself: what its phone has scanned gives it the handoff's key. */
function secretsOf({ creds }: Client["device"]) {
  return {
    handoff: Buffer.from(
      hkdf(Buffer.from(creds.advSecretKey, "base64"), 32, { info: "shortcake-passkey-handoff-v1" }),
    ),
    ephemeral: Curve.generateKeyPair(),
    nonce: randomBytes(32),
    advSecret: randomBytes(32),
  }
}

/** What brings an assertion, of the credential that it names unless another is given. */
function prologueOf(
  { ref, handoff, ephemeral, nonce }: ReturnType<typeof secretsOf> & { ref: string },
  assertion: Shown,
  {
    credential = assertion.rawId,
    isProven = true,
    key = handoff,
    named = "",
    point = ephemeral.public,
    hash = 32,
    left = "",
  } = {},
): BinaryNode {
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: point,
    deviceType: platform,
    ref: named || ref,
  }).finish()
  const prologue = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash: sha256(identity, nonce).subarray(0, hash) },
  }).finish()
  const content = [
    node("credential_id", Buffer.from(credential, "base64url")),
    node("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
    node("prologue_payload", prologue),
    ...(isProven ? [node("pairing_handoff_proof", hmacSign(prologue, key))] : []),
  ]
  return node(
    "passkey_prologue",
    content.filter(({ tag }) => tag !== left),
  )
}

/**
 * A companion that an account's phone has scanned, and that knows the ceremony, as whatsmeow's
 * `pair-passkey.go` does.
 */
function ceremonyOf(client: Client) {
  const { creds } = client.device
  const secrets = secretsOf(client.device)
  const notices: Record<string, BinaryNode> = {}
  for (const type of ["passkey_prologue_request", "crsc_continuation"])
    client.sock.ws.on(`CB:notification,type:${type}`, (notice: BinaryNode) => {
      notices[type] = notice
      client.changed()
    })
  const ask = (type: "get" | "set", content: BinaryNode): Promise<BinaryNode> =>
    client.sock.query({ tag: "iq", attrs: { to: "@s.whatsapp.net", xmlns: "md", type }, content: [content] })
  /** The last one that was given, and that of the assertion that was taken. */
  let [given, ref] = ["", ""]
  let primary: proto.PrimaryEphemeralIdentity | undefined

  async function prepared(assertion: Shown, changes: Changes = {}): Promise<BinaryNode> {
    if (changes.left !== "ref")
      given = getBinaryNodeChildBuffer(await ask("get", node("ref")), "ref")!.toString()
    return prologueOf({ ...secrets, ref: given }, assertion, changes)
  }

  async function greeted() {
    const notice = await client.until("the phone's half", () => notices.crsc_continuation)
    delete notices.crsc_continuation
    ref = given
    primary = proto.PrimaryEphemeralIdentity.decode(
      getBinaryNodeChildBuffer(notice, "primary_ephemeral_identity") as Uint8Array,
    )
  }

  return {
    ask,
    prepared,
    options: async () => optionsIn(await client.until("a request", () => notices.passkey_prologue_request)),
    again: async () => optionsIn(await ask("get", node("passkey_request_options"))),
    async prologue(...brought: Parameters<typeof prepared>) {
      await ask("set", await prepared(...brought))
      await greeted()
    },
    greeted,
    reveal: (shown = secrets.nonce) => ask("set", node("companion_nonce", shown)),
    confirm({
      noise = creds.noiseKey.public,
      identity = creds.signedIdentityKey.public,
      secret = secrets.advSecret,
      seal = {},
    }: Partial<Record<"noise" | "identity" | "secret", Uint8Array>> & {
      seal?: { key?: Buffer; iv?: Buffer; encryptedPayload?: undefined }
    } = {}) {
      const shared = Curve.sharedKey(secrets.ephemeral.private, primary!.publicKey!)
      const agreed = hkdf(shared, 32, {
        salt: Buffer.from(`Companion Pairing ${platform} with ref ${ref}`),
        info: "Pairing Information Encryption Key",
      })
      creds.advSecretKey = secrets.advSecret.toString("base64")
      const request = proto.PairingRequest.encode({
        companionPublicKey: noise,
        companionIdentityKey: identity,
        advSecret: secret,
      }).finish()
      const { key = agreed, iv = randomBytes(12) } = seal
      const encryptedPayload = aesEncryptGCM(request, key, iv, Buffer.alloc(0))
      const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv, ...seal }).finish()
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
  /**
   * An assertion whose device says something else of itself: where it belongs, whom it has recognised, how
   * often it signed.
   */
  const signOther = async (challenge: string, at: number, bytes: Uint8Array) => {
    const { response, ...of } = await sign(challenge)
    const [clientData, data] = [response.clientDataJSON, response.authenticatorData].map((part) =>
      Buffer.from(part, "base64url"),
    ) as [Buffer, Buffer]
    data.set(bytes, at)
    const key = createPrivateKey({ key: Buffer.from(private_key, "base64"), format: "der", type: "pkcs8" })
    const signature = signedWith("sha256", Buffer.concat([data, sha256(clientData)]), key).toString(
      "base64url",
    )
    return { ...of, response: { ...response, authenticatorData: data.toString("base64url"), signature } }
  }
  const signCounted = (challenge: string, count: number) =>
    signOther(challenge, 33, Buffer.of(0, 0, 0, count))
  const shown = (stage: string) => network.call("GET", `${passkey}?stage=${stage}&wait=10000`)
  return { ada, passkey, client, ceremony, scan, sign, signOther, signCounted, shown }
}

test("a companion is linked with the account's passkey, and logs in", async () => {
  const { ada, client, ceremony, sign, shown } = await anAccount()
  const options = await ceremony.options()
  expect(options.rpId).toBe("whatsapp.com")
  await ceremony.prologue(await sign(options.challenge))
  await ceremony.reveal()
  expect(await shown("code")).toMatchObject({ stage: "code", isKnown: true })
  const { attrs } = await ceremony.confirm()
  expect(await shown("linked")).toMatchObject({ stage: "linked", device: 1 })
  expect(await client.closed()).toBe(515)
  expect(await network.log({ kind: "out", tag: "iq", attrs: { id: attrs.id! } })).toHaveLength(1)
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

test("a wrong, foreign or misplaced assertion is refused in its own words, and the right one then taken", async () => {
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
  await expect(prologue({ ...own, type: "other" })).rejects.toThrow("bad-request")
  await network.call("DELETE", other.passkey)
  await expect(other.ceremony.prologue(await other.sign(challenge))).rejects.toThrow("item-not-found")
  await prologue(own)
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})

test("a step that is too late is refused, new options begin the ceremony again, and a failed link is shown", async () => {
  await network.call("PATCH", "/patience", { passkey_ms: 1 })
  const { ceremony, sign, shown } = await anAccount()
  await network.call("PATCH", "/patience", { passkey_ms: 60_000 })
  const first = await ceremony.options()
  const late = await sign(first.challenge)
  await expect(ceremony.prologue(late)).rejects.toThrow("request-timeout")
  const second = await ceremony.again()
  expect(second.challenge).not.toBe(first.challenge)
  await ceremony.prologue(await sign(second.challenge))
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
  await expect(ceremony.reveal()).rejects.toThrow("request-timeout")
  const third = await ceremony.again()
  await expect(ceremony.reveal()).rejects.toThrow("bad-request")
  await ceremony.prologue(await sign(third.challenge))
  await ceremony.reveal()
  // It hangs up, since it knows another secret than it has given.
  await ceremony.confirm({ secret: randomBytes(32) })
  expect(await shown("failed")).toMatchObject({ stage: "failed", error: "refused" })
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
  await expect(ceremony.confirm({ seal: { key: randomBytes(32) } })).rejects.toThrow("not-authorized")
  await expect(ceremony.confirm({ seal: { iv: randomBytes(11) } })).rejects.toThrow("bad-request")
  await expect(ceremony.confirm({ seal: { encryptedPayload: undefined } })).rejects.toThrow("bad-request")
  for (const sealed of [undefined, Buffer.of(0xff)])
    await expect(ceremony.ask("set", node("encrypted_pairing_request", sealed))).rejects.toThrow(
      "bad-request",
    )
  const confirmed = ceremony.confirm()
  await expect(ceremony.again()).rejects.toThrow("item-not-found")
  await confirmed
  expect(await client.closed()).toBe(515)
})

test("a prologue with a missing or wrong part, or of another site, is refused; of two at once one is taken", async () => {
  const { client, ceremony, sign, signOther } = await anAccount()
  const { challenge } = await ceremony.options()
  const assertion = await sign(challenge)
  await expect(ceremony.prologue(assertion, { left: "ref" })).rejects.toThrow("bad-request")
  for (const left of ["credential_id", "webauthn_assertion", "prologue_payload"])
    await expect(ceremony.prologue(await sign("b3RoZXI"), { left })).rejects.toThrow("bad-request")
  await expect(ceremony.prologue(assertion, { key: randomBytes(32) })).rejects.toThrow("not-authorized")
  await expect(ceremony.prologue(assertion, { named: "2@other" })).rejects.toThrow("item-not-found")
  await expect(ceremony.prologue(assertion, { point: randomBytes(31) })).rejects.toThrow("bad-request")
  await expect(ceremony.prologue(assertion, { hash: 31 })).rejects.toThrow("bad-request")
  const [elsewhere, unseen] = [
    await signOther(challenge, 0, sha256(Buffer.from("example.com"))),
    await signOther(challenge, 32, Buffer.of(1)),
  ]
  for (const wrong of [elsewhere, unseen])
    await expect(ceremony.prologue(wrong)).rejects.toThrow("not-authorized")
  const content = await ceremony.prepared(assertion)
  const both = await Promise.allSettled([ceremony.ask("set", content), ceremony.ask("set", content)])
  expect(both).toMatchObject([{ status: "fulfilled" }, { reason: { message: "conflict" } }])
  await ceremony.greeted()
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})

test("a companion whose key allows no agreement is hung up on", async () => {
  const { client, ceremony, sign } = await anAccount()
  const { challenge } = await ceremony.options()
  await ceremony.prologue(await sign(challenge), { point: Buffer.alloc(32) })
  await ceremony.reveal()
  ceremony.confirm().catch(() => {})
  expect(await client.closed()).toBe(428)
})

test("a companion that is scanned again begins anew; a passkey that counts its signatures goes on counting", async () => {
  const { client, ceremony, scan, sign, signCounted } = await anAccount()
  const { challenge } = await ceremony.options()
  const old = await sign(challenge)
  await ceremony.prologue(await signCounted(challenge, 7))
  await expect(scan()).rejects.toThrow("passkey_required")
  await expect(ceremony.prologue(old)).rejects.toThrow("not-authorized")
  const { challenge: fresh } = await ceremony.again()
  await expect(ceremony.prologue(await signCounted(fresh, 7))).rejects.toThrow("not-authorized")
  await ceremony.prologue(await signCounted(fresh, 8))
  await ceremony.reveal()
  await ceremony.confirm()
  expect(await client.closed()).toBe(515)
})
