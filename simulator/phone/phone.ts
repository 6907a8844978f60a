import { randomBytes } from "node:crypto"
import { proto, unpadRandomMax16, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { deviceAt, inMode, type Mode } from "../network/addressing.ts"
import { activate, pump } from "../network/delivery.ts"
import { type Address, key, type User } from "../network/directory.ts"
import type { Line } from "../network/line.ts"
import { type Network, now } from "../network/network.ts"
import { PairingError } from "../network/pairing.ts"
import { receive } from "../stanzas/receive.ts"
import * as Curve from "../wire/curve.ts"
import * as Jid from "../wire/jid.ts"
import { big, bytes, child, el, type Node, uint } from "../wire/node.ts"
import * as Inbox from "./inbox.ts"
import * as Keys from "./keys.ts"
import { link, readCode } from "./link.ts"
import { type Ciphertext, failure, signalOf } from "./signal.ts"
import { textOf } from "./text.ts"
import { welcomeMessages } from "./welcome.ts"

/** How many one-time prekeys a phone leaves with the network at once. */
const preKeyBatch = 30

/** Phones hold back from a stream of stanzas they have not worked through. */
const enough = 200

/** What a phone could not decrypt, by kind. */
export type Errors = Record<ReturnType<typeof failure>, number>

/** A message to send: what, to whom, and how the chat is to be addressed. */
export type Sending = { to: User; content: proto.IMessage; id?: string | undefined; mode?: Mode | undefined }

/** What became of it. */
export type Sent = { id: string; timestamp: number; error?: string }

/**
 * A person's phone, played by us: device 0 of its account, on the network like any device, with its
 * own Signal identity. It does one thing at a time; what it has decrypted, who it has told and
 * which ratchets it stands at are written at once.
 */
export class Phone {
  readonly pn: string
  readonly inbox: Inbox.Inbox
  readonly errors: Errors = { repeated: 0, no_session: 0, unknown_prekey: 0, bad: 0 }
  readonly #network: Network
  readonly #keys: Keys.Keys
  readonly #signal: ReturnType<typeof signalOf>
  readonly #line: Line
  readonly #acks = new Map<string, (ack: Node) => void>()
  readonly #replies = new Map<string, (reply: Node) => void>()
  #turn: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(network: Network, pn: string) {
    this.pn = pn
    this.#network = network
    this.#keys = Keys.open(network.store, pn)
    this.#signal = signalOf(this.#keys)
    this.inbox = Inbox.open(network.store, pn)
    this.#line = {
      device: { user: pn, id: 0 },
      send: (stanza) => this.#arrive(stanza),
      end: () => {},
      cut: () => {},
      writable: () => this.#waiting < enough,
      sent: 0,
      active: false,
      backlog: undefined,
      offlineCount: 0,
    }
  }

  get user(): User {
    const user = this.#network.directory.user(this.pn)
    if (!user) throw new Error(`no user ${this.pn}`)
    return user
  }

  /** Registers a new phone's device and goes on the network. */
  start() {
    const { directory, lines } = this.#network
    const identity = this.#keys.identity()
    if (!directory.device(this.#line.device)) {
      const { id, pair, signature } = identity.signedPreKey
      directory.saveDevice({
        user: this.pn,
        id: 0,
        keyIndex: 0,
        addedAt: now(),
        platform: "android",
        registrationId: identity.registrationId,
        identity: identity.identity.public,
        signedPreKey: { id, value: pair.public, signature },
      })
      this.#leavePreKeys()
    }
    lines.set(key(this.#line.device), this.#line)
    activate(this.#network, this.#line)
  }

  /** Waits until what has arrived so far is worked through. */
  settled(): Promise<void> {
    return this.#turn
  }

  /** Links the companion whose QR code this is; the id of the new device. Throws `PairingError`. */
  async scan(text: string): Promise<number> {
    const code = readCode(text)
    if (!code) throw new PairingError("not_a_code", "this is not a code for linking a device")
    return link(this.#network, this.pn, this.#keys.identity(), code)
  }

  /** Sends a message to every device of the recipient and of its own account; waits for the network's ack. */
  async send(sending: Sending): Promise<Sent> {
    const id = sending.id ?? `3A${randomBytes(9).toString("hex").toUpperCase()}`
    const ack = new Promise<Node>((resolve) => this.#acks.set(id, resolve))
    await this.#inTurn(() => this.#send({ ...sending, id }))
    const { attrs } = await ack.finally(() => this.#acks.delete(id))
    return { id, timestamp: Number(attrs.t ?? now()), ...(attrs.error && { error: attrs.error }) }
  }

  /** A companion has logged in for the first time. */
  greet(device: Address) {
    void this.#inTurn(async () => {
      if (this.#keys.get("greeted", String(device.id))) return
      const contacts = new Set(this.inbox.after(0).map(({ chat }) => chat))
      for (const content of welcomeMessages(this.#network, this.#keys, [...contacts]))
        await this.#sendPeer(device, content)
      this.#keys.put("greeted", String(device.id), true)
      this.#keys.commit()
    }).catch((error: unknown) => this.#failed("greeting a companion", error))
  }

  async #send(sending: Sending & { id: string }) {
    const { to, content, id, mode = "lid" } = sending
    const network = this.#network
    const own = { deviceSentMessage: { destinationJid: inMode(mode, to), message: content } }
    const participants: Node[] = []
    for (const device of this.#devicesFor(to)) {
      const message = device.user === this.pn ? own : content
      const enc = await this.#sealed(device, message)
      const owner = device.user === this.pn ? this.user : to
      participants.push(el("to", { jid: inMode(mode, owner, device.id) }, [enc]))
    }
    const stanza = el("message", { id, to: inMode(mode, to), type: "text" }, [
      el("participants", {}, participants),
    ])
    network.store.atomically(() => {
      this.#keys.put("sent", id, { to: to.pn, mode, content: proto.Message.encode(content).finish() })
      this.inbox.add({
        id,
        chat: to.pn,
        from: this.pn,
        from_device: 0,
        from_me: true,
        timestamp: now(),
        offline: false,
        ...described(content),
      })
      this.#keys.commit()
      receive(network, this.#line, stanza)
    })
    this.inbox.announce()
  }

  async #sendPeer(to: Address, content: proto.IMessage) {
    const enc = await this.#sealed(to, content)
    const id = `3A${randomBytes(9).toString("hex").toUpperCase()}`
    const jid = inMode("pn", this.user, to.id)
    const stanza = el("message", { id, to: jid, type: "text", category: "peer", push_priority: "high" }, [
      enc,
    ])
    this.#network.store.atomically(() => {
      this.#keys.commit()
      receive(this.#network, this.#line, stanza)
    })
  }

  /** Sends a message of ours once more to the one device that could not read it. */
  async #resend(receipt: Node) {
    const device = deviceAt(this.#network, Jid.parse(receipt.attrs.from))
    const sent = this.#keys.get("sent", receipt.attrs.id ?? "")
    const to = sent && this.#network.directory.user(sent.to)
    if (!device || !sent || !to) return
    const content = proto.Message.decode(sent.content)
    const own = { deviceSentMessage: { destinationJid: inMode(sent.mode, to), message: content } }
    await this.#startSession(device)
    const enc = await this.#sealed(device, device.user === this.pn ? own : content)
    enc.attrs.count = child(receipt, "retry")?.attrs.count ?? "1"
    const recipient = device.user === this.pn ? inMode(sent.mode, to) : undefined
    const { id, from } = receipt.attrs
    this.#network.store.atomically(() => {
      this.#keys.commit()
      receive(this.#network, this.#line, el("message", { id, to: from, type: "text", recipient }, [enc]))
    })
  }

  #devicesFor(to: User): Address[] {
    const { directory } = this.#network
    const people = to.pn === this.pn ? [to] : [to, this.user]
    return people
      .flatMap(({ pn }) => directory.devices(pn))
      .map(({ user, id }) => ({ user, id }))
      .filter((device) => key(device) !== key(this.#line.device))
  }

  async #sealed(device: Address, message: proto.IMessage): Promise<Node> {
    if (!this.#signal.has(device)) await this.#startSession(device)
    const padded = Buffer.from(writeRandomPadMax16(proto.Message.encode(message).finish()))
    const { type, body } = await this.#signal.encrypt(device, padded)
    return el("enc", { v: "2", type }, body)
  }

  async #startSession(device: Address) {
    const user = this.#network.directory.user(device.user)
    if (!user) return
    const jid = inMode("lid", user, device.id)
    const reply = this.#ask("encrypt", "get", el("key", {}, [el("user", { jid })]))
    const found = child(child(reply, "list"), "user")
    const skey = child(found, "skey")
    const preKey = child(found, "key")
    const id = uint(child(preKey, "id"))
    await this.#signal.start(device, {
      registrationId: uint(child(found, "registration")) ?? 0,
      identityKey: typed(bytes(child(found, "identity"))),
      signedPreKey: {
        keyId: uint(child(skey, "id")) ?? 0,
        publicKey: typed(bytes(child(skey, "value"))),
        signature: bytes(child(skey, "signature")) ?? Buffer.alloc(0),
      },
      ...(id !== undefined && { preKey: { keyId: id, publicKey: typed(bytes(child(preKey, "value"))) } }),
    })
  }

  /** Asks the network like any device; it answers before it returns. */
  #ask(xmlns: string, type: "get" | "set", content: Node | Node[]): Node | undefined {
    const id = randomBytes(6).toString("hex")
    let reply: Node | undefined
    this.#replies.set(id, (node) => (reply = node))
    const iq = el("iq", { id, xmlns, type, to: Jid.network }, Array.isArray(content) ? content : [content])
    receive(this.#network, this.#line, iq)
    this.#replies.delete(id)
    return reply
  }

  #leavePreKeys() {
    const identity = this.#keys.identity()
    const pairs = Array.from({ length: preKeyBatch }, (_, i) => ({
      id: identity.nextPreKey + i,
      pair: Curve.generate(),
    }))
    for (const { id, pair } of pairs) this.#keys.put("prekey", String(id), pair)
    this.#keys.put("identity", "", { ...identity, nextPreKey: identity.nextPreKey + preKeyBatch })
    const { id, pair, signature } = identity.signedPreKey
    this.#network.store.atomically(() => {
      this.#keys.commit()
      this.#ask("encrypt", "set", [
        el("registration", {}, big(identity.registrationId, 4)),
        el("type", {}, Buffer.from([5])),
        el("identity", {}, identity.identity.public),
        el(
          "list",
          {},
          pairs.map((one) => el("key", {}, [el("id", {}, big(one.id, 3)), el("value", {}, one.pair.public)])),
        ),
        el("skey", {}, [
          el("id", {}, big(id, 3)),
          el("value", {}, pair.public),
          el("signature", {}, signature),
        ]),
      ])
    })
  }

  #arrive(stanza: Node) {
    if (stanza.tag === "iq") return this.#replies.get(stanza.attrs.id ?? "")?.(stanza)
    if (stanza.tag === "ack") return this.#acks.get(stanza.attrs.id ?? "")?.(stanza)
    this.#waiting++
    void this.#inTurn(() => this.#take(stanza))
      .catch((error: unknown) => this.#failed(stanza.tag, error))
      .finally(() => {
        this.#waiting--
        if (this.#waiting === enough / 2) pump(this.#network, this.#line)
      })
  }

  async #take(stanza: Node) {
    const { id, from } = stanza.attrs
    switch (stanza.tag) {
      case "message":
        return this.#read(stanza)
      case "receipt":
        if (stanza.attrs.type === "retry") await this.#resend(stanza)
        break
      case "notification":
        if (stanza.attrs.type === "encrypt") this.#leavePreKeys()
        break
      case "call":
        break
      default:
        return
    }
    receive(this.#network, this.#line, el("ack", { class: stanza.tag, id, to: from }))
  }

  async #read(stanza: Node) {
    const sender = Jid.parse(stanza.attrs.from)
    const peer = deviceAt(this.#network, sender)
    const enc = child(stanza, "enc")
    const body = bytes(enc)
    if (!peer || !body) return this.#settle(stanza, "bad")
    // The network's words; anything else fails to decrypt.
    const sealed = { type: enc?.attrs.type as Ciphertext["type"], body }
    try {
      const plaintext = await this.#signal.decrypt(peer, sealed)
      this.#keep(stanza, peer, proto.Message.decode(unpadRandomMax16(plaintext)))
    } catch (error) {
      this.#keys.rollback()
      this.#settle(stanza, failure(error))
    }
  }

  /** Decrypted: the message, the ratchet and the receipt in one write. */
  #keep(stanza: Node, peer: Address, message: proto.IMessage) {
    const { id = "", from, t, offline, category, recipient } = stanza.attrs
    const own = peer.user === this.pn
    const content = message.deviceSentMessage?.message ?? message
    const chat = own
      ? this.#network.directory.find(
          Jid.parse(recipient ?? message.deviceSentMessage?.destinationJid ?? undefined),
        )
      : this.#network.directory.user(peer.user)
    const type = category === "peer" ? "peer_msg" : own ? "sender" : undefined
    this.#network.store.atomically(() => {
      this.#keys.commit()
      if (category !== "peer")
        this.inbox.add({
          id,
          chat: chat?.pn ?? "",
          from: peer.user,
          from_device: peer.id,
          from_me: own,
          timestamp: Number(t),
          offline: offline !== undefined,
          ...described(content),
        })
      receive(this.#network, this.#line, el("receipt", { id, to: from, type, recipient }))
    })
    this.inbox.announce()
  }

  /** Not decrypted: asks for it once more, unless its key was used before, which makes it a repetition. */
  #settle(stanza: Node, why: keyof Errors) {
    const { id, from, t, recipient, participant } = stanza.attrs
    this.errors[why]++
    this.#network.log.note(key(this.#line.device), "not decrypted", { id, from, why })
    const count = Number(child(stanza, "enc")?.attrs.count ?? 0) + 1
    if (why !== "repeated" && count <= 5)
      receive(
        this.#network,
        this.#line,
        el("receipt", { id, to: from, type: "retry", recipient, participant }, [
          el("retry", { count, id, t, v: "1", error: "0" }),
          el("registration", {}, big(this.#keys.identity().registrationId, 4)),
        ]),
      )
    receive(
      this.#network,
      this.#line,
      el("ack", { class: "message", id, to: from, error: why === "repeated" ? "496" : "500" }),
    )
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.then(() => undefined).catch(() => this.#keys.rollback())
    return result
  }

  #failed(what: string, error: unknown) {
    this.#network.log.note(key(this.#line.device), `phone failed at ${what}`, { error: String(error) })
  }
}

function described(content: proto.IMessage) {
  const json = proto.Message.fromObject(content).toJSON()
  const kind = Object.keys(json).find((name) => name !== "messageContextInfo") ?? ""
  return { text: textOf(content), kind, content: json as unknown }
}

const typed = (publicKey: Buffer | undefined) =>
  Buffer.concat([Buffer.from([5]), publicKey ?? Buffer.alloc(0)])
