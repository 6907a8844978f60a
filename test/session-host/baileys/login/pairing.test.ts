import { randomBytes } from "node:crypto"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { credsFromText } from "#session-host/baileys/signal/serialise.ts"
import { trustRoot } from "#session-host/baileys/patches/certificates.ts"
import { aConnection, type TestConnection } from "#test/support/session/recorded-connection.ts"
import { aScriptedNetwork, type ScriptedNetwork } from "#test/support/network/scripted-network.ts"
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

const notify = (type: string, child: string, content?: Buffer) =>
  network.say({
    tag: "notification",
    attrs: { from: "s.whatsapp.net", type, id: `n-${type}`, t: "1" },
    content: [{ tag: child, attrs: {}, ...(content && { content }) }],
  })

/** Whether somebody asks what the passkey is to sign. */
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
const part = (tag: string, content: Buffer) => ({ tag, attrs: {}, content })

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
  network.say({
    tag: "iq",
    attrs: { from: "s.whatsapp.net", type: "result", id: asked.attrs.id! },
    content: [registered],
  })
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

test("a step by passkey is told once another secret is kept, and what cannot be read of it is asked for again", async () => {
  const { text } = await connection.happens("qr")
  const release = vault.hold()
  notify("passkey_prologue_request", "passkey_request_options", Buffer.from("no JSON"))
  await until(
    () => vault.creds !== undefined && credsFromText(vault.creds).advSecretKey !== parts(text).secret,
  )
  expect(network.heard.some(isAsking)).toBe(false)
  release()
  const { attrs } = await until(() => network.heard.find(isAsking))
  const options = Buffer.from('{"challenge":"AAAA","rpId":"whatsapp.com"}')
  network.say({
    tag: "iq",
    attrs: { from: "s.whatsapp.net", type: "result", id: attrs.id! },
    content: [{ tag: "passkey_request_options", attrs: {}, content: options }],
  })
  const told = await connection.happens("passkey_required")
  expect(told.request?.options).toMatchObject({ challenge: "AAAA" })
  await network.hears("ack", "n-passkey_prologue_request")
  expect(connection.happenings.map(({ kind }) => kind)).toEqual(["qr", "passkey_required"])
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
