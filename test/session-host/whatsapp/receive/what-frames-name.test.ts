import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { trustRoot } from "#session-host/whatsapp/patches/verify-certificates.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { framesThatLeave } from "#test/support/session/frames-that-left.ts"
import { aLinkedDevice, outgoing } from "#test/support/session/linked-device.ts"
import type { Kept } from "#test/support/session/vault.ts"
import { aVault } from "#test/support/session/vault.ts"
import { until } from "#test/support/until.ts"

// Of each kind of frame that Baileys sends by itself: what it names is durable before it leaves.

let network: Network

beforeAll(async () => {
  network = await aNetwork()
  trustRoot(network.rootKey)
})

afterAll(() => network.close())

type Linked = Awaited<ReturnType<typeof aLinkedDevice>>
type Heard = Awaited<ReturnType<ReturnType<typeof framesThatLeave>["since"]>>[number]

/**
 * What makes Baileys send a frame, which of its frames of this kind that is, and the changes that it names.
 */
interface Kind {
  what: string
  cause: (linked: Linked) => Promise<unknown>
  isOfKind: (stanza: Heard["stanza"]) => boolean
  nth?: number
  /** It is sent at the login. */
  isAtLogin?: boolean
  isNamed: (change: Kept, attrs: Record<string, string>) => boolean | undefined
}

const now = () => String(Math.floor(Date.now() / 1000))

const kinds: Kind[] = [
  {
    what: "the receipt of a message",
    cause: ({ ada, bob }) => bob.send(ada.number, "hello", { id: "HELLO" }),
    isOfKind: ({ tag, attrs }) => tag === "receipt" && attrs.id === "HELLO",
    isNamed: ({ received }) => received?.attrs.id === "HELLO",
  },
  {
    what: "a retry receipt with a prekey",
    // The first one has none.
    async cause({ bob, device }) {
      const body = { base64: Buffer.concat([Buffer.of(0x33), randomBytes(60)]).toString("base64") }
      const unreadable = {
        tag: "message",
        attrs: { id: "AGAIN", from: bob.lid, t: now(), type: "text" },
        content: [{ tag: "enc", attrs: { v: "2", type: "msg" }, content: body }],
      }
      for (const _ of [1, 2]) await network.control.stanza(device, unreadable)
    },
    isOfKind: ({ tag, attrs }) => tag === "receipt" && attrs.type === "retry",
    nth: 2,
    isNamed: isOfPreKeys,
  },
  {
    what: "new prekeys",
    cause: ({ device }) =>
      network.control.stanza(device, {
        tag: "notification",
        attrs: { from: "@s.whatsapp.net", type: "encrypt", t: now() },
        content: [{ tag: "count", attrs: { value: "1" } }],
      }),
    isOfKind: ({ attrs }) => attrs.xmlns === "encrypt" && attrs.type === "set",
    isNamed: isOfPreKeys,
  },
  {
    what: "a question to the phone about a message that was only announced",
    async cause({ ada, bob, device }) {
      // Its answer would change the same keys.
      await network.control.change(ada.number, { on: false })
      await network.control.stanza(device, {
        tag: "message",
        attrs: { from: bob.lid, t: now(), type: "text" },
        content: [{ tag: "unavailable", attrs: {} }],
      })
    },
    isOfKind: ({ tag, attrs }) => tag === "message" && attrs.category === "peer",
    isNamed: isOfSession,
  },
  {
    what: "a message that its recipient has asked for once more",
    async cause({ bob, connection }) {
      await connection.send(outgoing(bob.jid, "read"))
      await network.call("DELETE", `/phones/${bob.number}/sessions`)
      await connection.send(outgoing(bob.jid, "not read"))
    },
    isOfKind: ({ tag }) => tag === "message",
    nth: 3,
    isNamed: isOfSession,
  },
  {
    what: "the receipt of a message that the own phone wrote",
    cause: ({ ada, bob }) => ada.send(bob.number, "by hand", { id: "MINE" }),
    isOfKind: ({ tag, attrs }) => tag === "receipt" && attrs.id === "MINE",
    isNamed: ({ received }) => received?.attrs.id === "MINE",
  },
  {
    what: "the receipt of the phone's history",
    isAtLogin: true,
    cause: async () => undefined,
    isOfKind: ({ tag, attrs }) => tag === "receipt" && attrs.type === "hist_sync",
    isNamed: ({ received }, { id }) => received?.attrs.id === id,
  },
  {
    what: "a message in a session that was deleted and made anew",
    async cause({ bob, connection, vault, device }) {
      await connection.send(outgoing(bob.jid, "before"))
      const { length } = vault.changes
      await network.control.stanza(device, {
        tag: "notification",
        attrs: { from: bob.lid, type: "devices", t: now() },
        content: [{ tag: "remove", attrs: {}, content: [{ tag: "device", attrs: { jid: bob.lid } }] }],
      })
      await until(() => vault.changes.slice(length).some(isDeleted))
      // The list of devices comes with the next send.
      await connection.send(outgoing(bob.jid, "afterwards"))
    },
    isOfKind: ({ tag }) => tag === "message",
    nth: 2,
    isNamed: (change) => isOfSession(change) && !isDeleted(change),
  },
  {
    what: "a message to a person whose identity is new",
    async cause({ bob, connection, vault, device }) {
      await connection.send(outgoing(bob.jid, "before"))
      const { length } = vault.changes
      await network.control.stanza(device, {
        tag: "notification",
        attrs: { from: bob.lid, type: "encrypt", t: now() },
        content: [{ tag: "identity", attrs: {} }],
      })
      await until(() => vault.changes.slice(length).some(isOfSession))
      await connection.send(outgoing(bob.jid, "afterwards"))
    },
    isOfKind: ({ tag }) => tag === "message",
    nth: 2,
    isNamed: isOfSession,
  },
]

test.for(kinds)(
  "nothing leaves before what it names is durable: $what",
  async ({ cause, isOfKind, nth = 1, isAtLogin, isNamed }) => {
    const vault = aVault({ latencyMs: () => 20 })
    const left = framesThatLeave(network, vault)
    const linked = await aLinkedDevice(network, vault)
    await vault.settled()
    const before = isAtLogin
      ? { frames: 0, changes: 0 }
      : { frames: (await left.since(linked.device)).length, changes: vault.changes.length }
    await cause(linked)
    const frame = await until(async () => {
      const frames = (await left.since(linked.device)).slice(before.frames)
      return frames.filter(({ stanza }) => isOfKind(stanza)).at(nth - 1)
    })
    await vault.settled()
    const named = vault.changes.findLastIndex((change) => isNamed(change, frame.stanza.attrs)) + 1
    expect(named).toBeGreaterThan(before.changes)
    expect(frame.kept).toBeGreaterThanOrEqual(named)
    linked.connection.close()
  },
)

/** The lines of Baileys' sockets with this name. */
function linesWith(name: string): string[] {
  const sockets = new URL("Socket/", import.meta.resolve("@whiskeysockets/baileys"))
  const lines = readdirSync(sockets)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => readFileSync(new URL(file, sockets), "utf8").split("\n"))
  return lines.map((line) => line.trim()).filter((line) => new RegExp(`\\b${name}\\b`).test(line))
}

test("Baileys by itself tells the network of no new signed prekey: it would keep it afterwards", () => {
  expect(linesWith("rotateSignedPreKey")).toEqual([
    "const rotateSignedPreKey = async () => {",
    "rotateSignedPreKey,",
  ])
})

test("Baileys by itself patches no setting of the account: it would keep the new version afterwards", () => {
  expect(linesWith("appPatch").toSorted()).toEqual([
    "appPatch,",
    "const appPatch = async (patchCreate) => {",
    "return appPatch(patch);",
  ])
  // Each of these is part of a function that runs only when a user of Baileys calls it.
  expect(new Set(linesWith("chatModify"))).toEqual(
    new Set([
      "await chatModify({ pushNameSetting: name }, '');",
      "chatModify,",
      "const chatModify = (mod, jid) => {",
      "return chatModify({",
    ]),
  )
})

function isOfPreKeys({ keys, creds }: Kept) {
  return creds !== undefined || keys?.some(({ type }) => type === "pre-key")
}

function isOfSession({ keys }: Kept) {
  return keys?.some(({ type }) => type === "session")
}

function isDeleted({ keys }: Kept) {
  return keys?.some(({ type, value }) => type === "session" && value === null)
}
