import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { type BinaryNode, Curve, proto } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { listen } from "#one-machine/listen.ts"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { credsFromText } from "#session-host/whatsapp/signal/keys-as-text.ts"
import { aScriptedNetwork, type ScriptedNetwork } from "#test/support/network/scripted-network.ts"
import { aConnection, type TestConnection } from "#test/support/session/recorded-connection.ts"
import { aVault, type VolatileVault } from "#test/support/session/vault.ts"
import { until } from "#test/support/until.ts"

let network: ScriptedNetwork
let vault: VolatileVault
let connection: TestConnection

beforeEach(async () => {
  network = await aScriptedNetwork()
  trustRoot(network.rootKey)
  vault = aVault()
  connection = aConnection({ url: network.url, vault })
  await network.shaken()
  const refs = ["ref,1", "ref,2"].map((ref) => ({ tag: "ref", attrs: {}, content: Buffer.from(ref) }))
  network.say({
    tag: "iq",
    attrs: { from: "s.whatsapp.net", type: "set", id: "1", xmlns: "md" },
    content: [{ tag: "pair-device", attrs: {}, content: refs }],
  })
})

afterEach(async () => {
  connection.close()
  await network.close()
})

const notify = (type: string, child: string, content?: Uint8Array, from = "s.whatsapp.net") =>
  network.say({
    tag: "notification",
    attrs: { from, type, id: `n-${type}`, t: "1" },
    content: [{ tag: child, attrs: {}, ...(content && { content }) }],
  })

/** Whether the stanza asks what the passkey is to sign. */
const isAsking = ({ attrs }: BinaryNode) => attrs.xmlns === "md" && attrs.type === "get"

/** The fields before the secret, the secret, and the platform. */
const parts = (text: string) => {
  const fields = text.split(",")
  return { before: fields.slice(0, -2).join(","), secret: fields.at(-2), platform: fields.at(-1) }
}

test.for(["companion_reg_refresh", "pair-device-rotate-qr"])(
  "when the network wants a new secret (%s), the code on show gets it, and it is kept first",
  async (child) => {
    const first = await connection.happens("qr")
    notify("companion_reg_refresh", child)
    const second = await connection.happens("qr", 2)

    expect(parts(second.text).before).toBe(parts(first.text).before)
    expect(parts(second.text).platform).toBe(parts(first.text).platform)
    expect(parts(second.text).secret).not.toBe(parts(first.text).secret)
    expect(Buffer.from(parts(second.text).secret!, "base64")).toHaveLength(32)
    expect(second.expiresAt).toBe(first.expiresAt)
    expect(credsFromText(vault.creds!).advSecretKey).toBe(parts(second.text).secret)
    await network.hears("ack", "n-companion_reg_refresh")
  },
)

/** A part of a stanza. */
const part = (tag: string, content: Uint8Array) => ({ tag, attrs: {}, content })

/** Answers a question with this content, or refuses it with this code. */
const answer = (id: string, content: BinaryNode[] | number) =>
  network.say({
    tag: "iq",
    attrs: { from: "s.whatsapp.net", type: typeof content === "number" ? "error" : "result", id },
    content:
      typeof content === "number"
        ? [{ tag: "error", attrs: { code: String(content), text: "refused" } }]
        : content,
  })

/** The challenge that a passkey has to sign. */
const options = Buffer.from('{"challenge":"AAAA","rpId":"whatsapp.com"}')

const askForPasskey = (asked: Uint8Array, from?: string) =>
  notify("passkey_prologue_request", "passkey_request_options", asked, from)

/** The secret that the phone has to know. */
const secret = () => credsFromText(vault.creds!).advSecretKey

test("what is no hello for the code that is shown is acknowledged, and agrees on no secret", async () => {
  await connection.happens("qr")
  const code = connection.linkCode("4915112345678")
  const asked = await until(() =>
    network.heard.find((node) => JSON.stringify(node).includes("companion_hello")),
  )
  const ref = part("link_code_pairing_ref", randomBytes(32))
  const registered = { tag: "link_code_companion_reg", attrs: {}, content: [ref] }
  answer(asked.attrs.id!, [registered])
  await code
  const hello = [
    part("link_code_pairing_wrapped_primary_ephemeral_pub", randomBytes(80)),
    part("primary_identity_pub", randomBytes(32)),
  ]
  const wrong = [
    ["refresh_code", [ref]],
    ["refresh_code", [ref, ...hello]],
    ["primary_hello", [ref, ...hello.slice(1)]],
    ["primary_hello", [part("link_code_pairing_ref", randomBytes(32)), ...hello]],
    ["primary_hello", hello],
  ] as const
  for (const [n, [stage, content]] of wrong.entries()) {
    network.say({
      tag: "notification",
      attrs: { from: "s.whatsapp.net", type: "link_code_companion_reg", id: `WRONG${n}`, t: "1" },
      content: [{ tag: "link_code_companion_reg", attrs: { stage }, content: [...content] }],
    })
    await network.hears("ack", `WRONG${n}`)
  }
  const before = secret()
  notify("companion_reg_refresh", "companion_reg_refresh")
  await until(() => secret() !== before)
  expect(JSON.stringify(network.heard)).not.toContain("companion_finish")
})

test("of two who ask for a code at once, each hears the network's answer to their own number", async () => {
  await connection.happens("qr")
  const codes = Promise.allSettled(
    ["4915112345678", "4915187654321"].map((number) => connection.linkCode(number)),
  )
  answer((await askedFor("4915112345678")).attrs.id!, 400)
  const registered = { tag: "link_code_companion_reg", attrs: {}, content: [] }
  answer((await askedFor("4915187654321")).attrs.id!, [registered])
  expect(await codes).toEqual([
    { status: "rejected", reason: expect.any(NetworkRejected) },
    { status: "fulfilled", value: expect.stringMatching(/^\w{8}$/) },
  ])
})

/** The question for a code of this number. */
const askedFor = (number: string) =>
  until(() =>
    network.heard.find((node) => {
      const text = JSON.stringify(node)
      return text.includes("companion_hello") && text.includes(number)
    }),
  )

test("a step by passkey is told once another secret is kept, and what is unreadable is asked for again", async () => {
  const { text } = await connection.happens("qr")
  const release = vault.hold()
  askForPasskey(options)
  await until(
    () => vault.creds !== undefined && credsFromText(vault.creds).advSecretKey !== parts(text).secret,
  )
  const told = () => connection.happenings.map(({ kind }) => kind)
  expect(told()).toEqual(["qr"])
  release()
  const first = await connection.happens("passkey_required")
  expect(first.request?.options).toMatchObject({ challenge: "AAAA" })
  await network.hears("ack", "n-passkey_prologue_request")

  const isAsked = (times: number) => until(() => network.heard.filter(isAsking)[times - 1])
  const unreadable = Buffer.from("no JSON")
  askForPasskey(unreadable)
  answer((await isAsked(1)).attrs.id!, 404)
  expect(await connection.happens("passkey_required", 2)).toEqual({ kind: "passkey_required" })
  askForPasskey(unreadable)
  answer((await isAsked(2)).attrs.id!, [part("passkey_request_options", options)])
  expect((await connection.happens("passkey_required", 3)).request).toBeDefined()
  expect(told()).toHaveLength(4)
})

/** How taking an answer ends: its error, if it is refused. */
const outcome = (taking: Promise<void>) => taking.catch((error: unknown) => error)

/** What a browser has signed. */
const said = { type: "webauthn.get", challenge: "AAAA", origin: "https://web.whatsapp.com" }
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const halfWith = (publicKey: Uint8Array) => proto.PrimaryEphemeralIdentity.encode({ publicKey }).finish()

/** The network's part of linking with a passkey, which it has asked for. */
async function aCeremony() {
  await connection.happens("qr")
  askForPasskey(options)
  await connection.happens("passkey_required")
  let heard = 0
  const hears = async (tag: string) => {
    const isIt = ({ content }: BinaryNode) => Array.isArray(content) && content[0]?.tag === tag
    const step = await until(() => network.heard.slice(heard).find(isIt))
    heard = network.heard.indexOf(step) + 1
    return step.attrs.id!
  }
  /** Takes the companion's next step of this name, and answers it with this content or code. */
  const takes = async (tag: string, content: BinaryNode[] | number = []) => answer(await hears(tag), content)
  return {
    hears,
    takes,
    take: (clientDataJSON = base64url(said)) => {
      const response = { clientDataJSON, authenticatorData: "AA", signature: "AA" }
      return connection.answerPasskey({ id: "AA", rawId: "AA", type: "public-key", response })
    },
    takesRef: () => takes("ref", [part("ref", Buffer.from("2@ref"))]),
    /** The phone's half of the agreement. */
    greets: (half: Uint8Array = halfWith(Curve.generateKeyPair().public), from?: string) =>
      notify("crsc_continuation", "primary_ephemeral_identity", half, from),
  }
}

test("a passkey's answer is taken once, under one secret for all who ask; a stranger's notices are nothing", async () => {
  const { take, takes, takesRef, greets } = await aCeremony()
  const kept = secret()
  askForPasskey(options)
  await connection.happens("passkey_required", 2)
  expect(secret()).toBe(kept)
  const stranger = "4915112345678@s.whatsapp.net"
  const taken = take()
  await expect(take()).rejects.toMatchObject({ why: "busy" })
  await takesRef()
  askForPasskey(options, stranger)
  await takes("passkey_prologue")
  greets(halfWith(randomBytes(31)), stranger)
  greets(undefined, "@s.whatsapp.net")
  await takes("companion_nonce")
  await takes("encrypted_pairing_request")
  await taken
  expect(connection.happenings.filter(({ kind }) => kind === "passkey_required")).toHaveLength(2)
  await expect(take()).rejects.toMatchObject({ why: "not_awaited" })
})

test("an answer to something else is not brought to the network", async () => {
  const { take } = await aCeremony()
  const wrong = [
    ["AA", "malformed"],
    [base64url(null), "malformed"],
    [base64url({ ...said, type: "webauthn.create" }), "malformed"],
    [base64url({ ...said, origin: "https://example.com" }), "origin"],
    [base64url({ ...said, challenge: "BBBB" }), "challenge"],
  ] as const
  for (const [signed, why] of wrong) await expect(take(signed)).rejects.toMatchObject({ why })
  expect(network.heard.some(isAsking)).toBe(false)
})

test("each refusal of the network's has its own words, and what it has used up is asked for again", async () => {
  const { take, takes, takesRef, greets } = await aCeremony()
  const refusals = [
    [400, { why: "malformed" }],
    [403, { why: "foreign" }],
    [409, { networkCode: 409 }],
    [401, { why: "wrong" }],
    [408, { why: "late" }],
  ] as const
  for (const [code, refused] of refusals) {
    const taken = outcome(take())
    await takesRef()
    await takes("passkey_prologue", code)
    if (code === 401 || code === 408)
      await takes("passkey_request_options", [part("passkey_request_options", options)])
    expect(await taken).toMatchObject(refused)
  }
  expect(network.heard.filter(isAsking)).toHaveLength(refusals.length + 2)

  const unnamed = outcome(take())
  await takes("ref")
  await takes("passkey_request_options", [part("passkey_request_options", options)])
  expect(await unnamed).toMatchObject({ why: "unreadable" })
  for (const half of [Buffer.of(0xff), Buffer.of(), halfWith(randomBytes(31)), halfWith(Buffer.alloc(32))]) {
    const taken = outcome(take())
    await takesRef()
    await takes("passkey_prologue")
    greets(half)
    await takes("passkey_request_options", [part("passkey_request_options", options)])
    expect(await taken).toMatchObject({ why: "unreadable" })
  }
})

test("a phone that does not answer a passkey is waited for fifteen seconds", async () => {
  const { take, takesRef, hears } = await aCeremony()
  const taken = outcome(take())
  await takesRef()
  const id = await hears("passkey_prologue")
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  answer(id, [])
  notify("other", "other")
  // Then the answer has been read.
  await network.hears("ack", "n-other")
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await taken).toBeInstanceOf(NoAnswer)
})

test("once closed, it sends and tells nothing more", async () => {
  await connection.happens("qr")
  const release = vault.hold()
  notify("companion_reg_refresh", "companion_reg_refresh")
  await network.hears("iq", "1")
  connection.close()
  const [told, heard] = [connection.happenings.length, network.heard.length]

  release()
  await vault.settled()
  await network.closed()
  expect(connection.happenings).toHaveLength(told)
  expect(network.heard).toHaveLength(heard)
})

test("a network that says nothing at all is given up after twenty seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const silent = createServer()
  const dialled = once(silent, "connection")
  const waiting = aConnection({ url: `ws://127.0.0.1:${await listen(silent)}`, vault: aVault() })
  try {
    await dialled
    await vi.advanceTimersByTimeAsync(19_000)
    expect(waiting.happenings).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(waiting.happenings).toEqual([
      { kind: "closed", reason: "lost", detail: "connecting took too long" },
    ])
  } finally {
    vi.useRealTimers()
    waiting.close()
    silent.close()
  }
})

test("a network that shakes hands and then says nothing is given up after a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const silent = await aScriptedNetwork()
  trustRoot(silent.rootKey)
  const waiting = aConnection({ url: silent.url, vault: aVault() })
  try {
    await silent.shaken()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(waiting.happenings).toEqual([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(waiting.happenings).toEqual([
      { kind: "closed", reason: "lost", detail: "connecting took too long" },
    ])
  } finally {
    vi.useRealTimers()
    waiting.close()
    await silent.close()
  }
})
