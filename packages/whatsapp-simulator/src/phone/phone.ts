import { now } from "../clock.ts"
import { type Obstacle, PairingError } from "../devices/pairing.ts"
import { askForPasskey } from "../devices/passkey.ts"
import { unlink } from "../devices/remove.ts"
import { type ConnectedDevice, newProgress } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { activate, writeWaiting } from "../network/send-to-device.ts"
import { setAvailable } from "../stanzas/presence.ts"
import { receive } from "../stanzas/receive.ts"
import * as Jid from "../wire/jid.ts"
import { el, newStanzaId, type Node } from "../wire/node.ts"
import { bringAgain } from "./content/media-retry.ts"
import type { Addressee, Handset } from "./handset.ts"
import { history } from "./history.ts"
import { readMessage } from "./incoming-messages.ts"
import { linkByCode, type TypedCode } from "./link-code.ts"
import { link, type AskForPasskey, readCode, vouch } from "./link.ts"
import { messagesOf } from "./messages.ts"
import { newId, resend, send, sendPeerMessage, type Sending } from "./outgoing-messages.ts"
import { newPasskey, type PasskeyPair, phonesPart, type ShownProgress } from "./passkey.ts"
import { answersTo, type PeerMessage } from "./peer.ts"
import { keyShare } from "./settings/keys.ts"
import { readChanged, sendName } from "./settings/settings.ts"
import { keysOf } from "./signal/key-store.ts"
import { leavePreKeys } from "./signal/prekeys.ts"
import { groupSignalOf } from "./signal/sender-keys.ts"
import { signalOf } from "./signal/sessions.ts"

/** Phones hold back from a stream of stanzas they have not worked through. */
const enough = 200

/** The outcome of a send. `error`: the code of the network's nack. */
export interface Sent {
  id: string
  timestamp: number
  error?: string
}

/**
 * A person's phone, played by us: device 0 of its account, on the network like any device, with its own
 * Signal identity. It does one thing at a time. The message that it has decrypted, the receipt for it and the
 * new state of the ratchet are written at once.
 */
export class Phone {
  readonly pn: string
  readonly handset: Handset
  /** How far the latest link with the account's passkey has come. */
  passkeyLink: ShownProgress | undefined
  readonly #network: Network
  readonly #line: ConnectedDevice
  readonly #acks = new Map<string, (ack: Node) => void>()
  readonly #replies = new Map<string, (reply: Node) => void>()
  #turn: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(network: Network, pn: string) {
    this.pn = pn
    this.#network = network
    this.#line = {
      device: { user: pn, id: 0 },
      send: (stanza) => this.#arrive(stanza),
      end: () => {},
      cut: () => {},
      writable: () => this.#waiting < enough,
      ...newProgress(),
    }
    const keys = keysOf(network.phoneKeys, pn)
    const lidOf = (number: string) => network.directory.user(number)?.lid ?? number
    this.handset = {
      network,
      own: this.#line.device,
      user: () => this.user,
      keys,
      signal: signalOf(keys, lidOf),
      groupSignal: groupSignalOf(keys, lidOf),
      inbox: messagesOf(network.archive, pn),
      notDecrypted: { repeated: 0, no_session: 0, unknown_prekey: 0, bad: 0 },
      submit: (stanza) => receive(network, this.#line, stanza),
      ask: (xmlns, type, content, about) => this.#ask(xmlns, type, content, about),
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
    const identity = this.handset.keys.identity()
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
      leavePreKeys(this.handset)
    }
    lines.set(deviceName(this.#line.device), this.#line)
    activate(this.#network, this.#line)
  }

  /** Takes the phone off the network: what is for it waits. */
  turnOff() {
    this.#network.lines.delete(deviceName(this.#line.device))
    setAvailable(this.#network, this.#line.device, false)
    Object.assign(this.#line, newProgress())
  }

  /** Puts the phone back on the network: it gets what waited. */
  turnOn() {
    if (!this.#network.lines.has(deviceName(this.#line.device))) this.start()
  }

  /** Waits until what has arrived so far is worked through. */
  settled(): Promise<void> {
    return this.#turn
  }

  /** Links the companion whose QR code this is; the id of the new device. @throws PairingError */
  async scan(text: string, obstacle?: Obstacle): Promise<number> {
    const code = readCode(text)
    if (!code) throw new PairingError("not_a_code", "this is not a code for linking a device")
    await this.use(sendName)
    const phone = { pn: this.pn, identity: this.handset.keys.identity() }
    const ceremony = obstacle ? undefined : this.#passkeyLink
    return link(this.#network, phone, { code, obstacle, ceremony })
  }

  /** Begins to link a companion with the account's passkey. Undefined where the account has none. */
  get #passkeyLink(): AskForPasskey | undefined {
    if (!this.#network.profiles.get(this.pn).passkey) return undefined
    return (pairing, advSecret) => {
      const show = (shown: ShownProgress) => {
        this.passkeyLink = shown
        this.#network.log.note(deviceName(this.#line.device), "passkey link", { stage: shown.stage })
      }
      const own = this.handset.keys.identity()
      const part = phonesPart({
        pairing,
        advSecret,
        show,
        vouch: (secret) => vouch(this.#network, this.pn, own, pairing, secret),
      })
      askForPasskey(this.#network, pairing, { pn: this.pn, phone: part })
      show({ stage: "waits" })
      throw new PairingError("passkey_required", "the account wants a passkey first")
    }
  }

  /** Makes a passkey for the account: its companions are linked with it from now on. */
  givePasskey(): PasskeyPair {
    const made = newPasskey()
    const { id, publicKey } = made
    this.handset.keys.put("passkey", "", made)
    this.handset.keys.commit()
    this.#network.profiles.change(this.pn, { passkey: { id, publicKey, counter: 0 } })
    return made
  }

  /** Links the companion that shows this eight-letter code; the id of the new device. @throws PairingError */
  async typeCode(code: TypedCode): Promise<number> {
    await this.use(sendName)
    const phone = { pn: this.pn, identity: this.handset.keys.identity() }
    return linkByCode(this.#network, phone, { ...code, ceremony: this.#passkeyLink })
  }

  /** Logs a companion out, as under "linked devices" on a phone. False when there is none with this id. */
  remove(device: number): boolean {
    const address = { user: this.pn, id: device }
    if (device === 0 || !this.#network.directory.device(address)) return false
    unlink(this.#network, address)
    return true
  }

  /** Sends a message and waits for the network's ack. */
  async send(sending: Omit<Sending, "id"> & { id?: string | undefined }): Promise<Sent> {
    const id = sending.id ?? newId()
    const ack = new Promise<Node>((resolve) => this.#acks.set(id, resolve))
    try {
      await this.#inTurn(() => send(this.handset, { ...sending, id }))
      const { attrs } = await ack
      return { id, timestamp: Number(attrs.t ?? now()), ...(attrs.error && { error: attrs.error }) }
    } finally {
      this.#acks.delete(id)
    }
  }

  /** A companion has logged in; the first time it is told what a new companion is told. */
  greet(device: DeviceAddress) {
    const { keys } = this.handset
    void this.#inTurn(async () => {
      if (device.id === 0 || keys.get("greeted", String(device.id))) return
      for (const content of [keyShare(keys), ...(await history(this.handset, device))])
        await sendPeerMessage(this.handset, device, content)
      keys.put("greeted", String(device.id), true)
      keys.commit()
    }).catch((error: unknown) => this.#failed("greeting a companion", error))
  }

  /** Does some work that needs the phone for itself. */
  use<T>(work: (handset: Handset) => Promise<T>): Promise<T> {
    return this.#inTurn(() => work(this.handset))
  }

  #ask(xmlns: string, type: "get" | "set", content: Node[], about: Addressee = {}): Node | undefined {
    const id = newStanzaId()
    let reply: Node | undefined
    this.#replies.set(id, (node) => (reply = node))
    receive(this.#network, this.#line, el("iq", { id, xmlns, type, to: Jid.network, ...about }, content))
    this.#replies.delete(id)
    return reply
  }

  #arrive(stanza: Node) {
    if (stanza.tag === "iq") return this.#replies.get(stanza.attrs.id ?? "")?.(stanza)
    if (stanza.tag === "ack") return this.#acks.get(stanza.attrs.id ?? "")?.(stanza)
    this.#waiting++
    void this.#inTurn(() => this.#take(stanza))
      .catch((error: unknown) => this.#failed(stanza.tag, error))
      .finally(() => {
        this.#waiting--
        if (this.#waiting === enough / 2) writeWaiting(this.#network, this.#line)
      })
  }

  async #take(stanza: Node) {
    const { id, from, participant, recipient, type } = stanza.attrs
    switch (stanza.tag) {
      case "status":
        this.handset.submit(el("ack", { class: "status", id, to: from, participant }))
        await readMessage(this.handset, stanza)
        return
      case "message":
        // A newsletter's is not encrypted, and a phone's owner reads it nowhere.
        if (Jid.parse(from)?.server === "newsletter") break
        return this.#answerPeer(await readMessage(this.handset, stanza))
      case "receipt":
        if (type === "retry") await resend(this.handset, stanza)
        if (type === "server-error") bringAgain(this.handset, stanza)
        break
      case "notification":
        if (type === "encrypt") leavePreKeys(this.handset)
        if (type === "server_sync") await readChanged(this.handset, stanza)
        break
      case "call":
        break
      default:
        return
    }
    this.handset.submit(el("ack", { class: stanza.tag, id, to: from, participant, recipient, type }))
  }

  async #answerPeer(asked: PeerMessage | undefined) {
    if (!asked || this.#network.faults.strike("silent_phone", deviceName(asked.from))) return
    for (const answer of await answersTo(this.handset, asked))
      await sendPeerMessage(this.handset, asked.from, answer)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.then(() => undefined).catch(() => this.handset.keys.rollback())
    return result
  }

  #failed(what: string, error: unknown) {
    this.#network.log.note(deviceName(this.#line.device), `phone failed at ${what}`, { error: String(error) })
  }
}
