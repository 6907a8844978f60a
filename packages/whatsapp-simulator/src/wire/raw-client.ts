import { randomBytes, randomInt } from "node:crypto"
import {
  Curve as Agreement,
  decodeBinaryNode,
  encodeBinaryNode,
  hmacSign,
  proto,
} from "@whiskeysockets/baileys"
import { WebSocket } from "ws"
import * as Curve from "./curve.ts"
import { framed } from "./frames.ts"
import { bigEndian, bytes, child, el, type Node } from "./node.ts"
import { symmetricState, type Transport, transport as open } from "./noise.ts"

const prologue = Buffer.from([0x57, 0x41, 6, 3])
const nothing = Buffer.alloc(0)

/** A device's keys and, once it is linked, its address. */
export interface Device {
  noise: Curve.KeyPair
  identity: Curve.KeyPair
  preKey: Curve.KeyPair
  advSecret: Buffer
  /** `number:device`. */
  name?: string
  /** The network's key, as the device remembers it, rightly or not: with one it opens with IK. */
  remembers?: Buffer
  /** Changes what it says of itself. */
  says?: (whole: proto.IClientPayload) => void
}

export function newDevice(): Device {
  return {
    noise: Curve.generate(),
    identity: Curve.generate(),
    preKey: Curve.generate(),
    advSecret: randomBytes(32),
  }
}

/** A connection that speaks the wire and nothing more: no sessions, no store, little memory. */
export interface Connection {
  send(node: Node): void
  close(): void
  closed: Promise<void>
}

/** Connects, and logs in if the device is linked; otherwise registers it. Gives every stanza to `take`. */
export async function connect(
  url: string,
  device: Device,
  take: (node: Node, connection: Connection) => void,
): Promise<Connection> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const noise = initiator(device)
  let rest = nothing
  let transport: Transport | undefined
  let turn = Promise.resolve()
  const ready = Promise.withResolvers<void>()
  const connection: Connection = {
    send: (node) => transport && socket.send(framed(transport.encrypt(encodeBinaryNode(node)))),
    close: () => socket.close(),
    closed,
  }
  const arrive = async (content: Buffer) => {
    if (transport) return take(await decodeBinaryNode(transport.decrypt(content)), connection)
    const finished = noise.finish(content, payloadOf(device))
    transport = finished.transport
    socket.send(framed(finished.message))
    ready.resolve()
  }
  socket.on("message", (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 3 && rest.length >= 3 + rest.readUIntBE(0, 3)) {
      const end = 3 + rest.readUIntBE(0, 3)
      const content = rest.subarray(3, end)
      rest = rest.subarray(end)
      turn = turn.then(() => arrive(content)).catch(() => socket.terminate())
    }
  })
  socket.send(Buffer.concat([prologue, framed(noise.hello())]))
  await ready.promise
  return connection
}

/** Links a new device with a mock phone, which scans its code through the control API. */
export async function link(url: string, controlUrl: string): Promise<Device> {
  const device = newDevice()
  const connection = await connect(url, device, (node, back) => {
    const asked = child(node)
    if (asked?.tag === "pair-device") {
      back.send(el("iq", { type: "result", id: node.attrs.id, to: "@s.whatsapp.net" }))
      const body = qrTextOf(device, asked)
      void fetch(`${controlUrl}/admin/mock-phone/scan-qr`, { method: "POST", body }).catch(() => back.close())
    }
    if (asked?.tag === "pair-success") {
      device.name = child(asked, "device")?.attrs.jid?.split("@")[0]
      back.send(signedIdentity(device, node))
    }
    if (node.tag === "stream:error") back.close()
  })
  await connection.closed
  if (!device.name) throw new Error("the device was not linked")
  return device
}

/** The text of its QR code, with the first ref of `<pair-device>`. */
export function qrTextOf(device: Device, asked: Node): string {
  const keys = [device.noise.public, device.identity.public, device.advSecret]
  return [bytes(child(asked, "ref"))?.toString(), ...keys.map((key) => key.toString("base64"))].join()
}

/** The companion's own signature under what the phone signed. */
export function signedIdentity(device: Device, node: Node): Node {
  const content = bytes(child(child(node, "pair-success"), "device-identity")) ?? nothing
  const { details: account, hmac } = proto.ADVSignedDeviceIdentityHMAC.decode(content)
  if (!hmacSign(Buffer.from(account ?? []), device.advSecret).equals(Buffer.from(hmac ?? [])))
    throw new Error("the phone does not know the secret")
  const { details, accountSignatureKey, accountSignature } = proto.ADVSignedDeviceIdentity.decode(
    account ?? nothing,
  )
  const about = Buffer.concat([
    Buffer.from([6, 1]),
    details ?? nothing,
    device.identity.public,
    accountSignatureKey ?? nothing,
  ])
  const deviceSignature = Curve.sign(device.identity.private, about)
  const { keyIndex } = proto.ADVDeviceIdentity.decode(details ?? nothing)
  const identity = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignature,
    deviceSignature,
  }).finish()
  return el("iq", { type: "result", id: node.attrs.id, to: "@s.whatsapp.net" }, [
    el("pair-device-sign", {}, [el("device-identity", { "key-index": keyIndex ?? 0 }, identity)]),
  ])
}

const userAgent = { appVersion: { primary: 2, secondary: 3000, tertiary: 0 } }

function payloadOf(device: Device): Buffer {
  const payload = device.name ? loginOf(device.name) : registrationOf(device)
  device.says?.(payload)
  return Buffer.from(proto.ClientPayload.encode(payload).finish())
}

function loginOf(name: string): proto.IClientPayload {
  const [username, id] = name.split(":").map(Number)
  return { username, device: id, passive: false, userAgent }
}

function registrationOf(device: Device): proto.IClientPayload {
  const eSkeySig = Curve.sign(
    device.identity.private,
    Buffer.concat([Buffer.from([5]), device.preKey.public]),
  )
  return {
    passive: false,
    userAgent,
    devicePairingData: {
      buildHash: randomBytes(16),
      deviceProps: proto.DeviceProps.encode({ os: "raw" }).finish(),
      eRegid: bigEndian(randomInt(1, 16_000), 4),
      eKeytype: Buffer.from([5]),
      eIdent: device.identity.public,
      eSkeyId: bigEndian(1, 3),
      eSkeyVal: device.preKey.public,
      eSkeySig,
    },
  }
}

/** The client's side of Noise XX, or of IK that is answered with XX. */
function initiator(device: Device) {
  const ephemeral = Curve.generate()
  const noise = symmetricState(prologue, device.remembers ? "XXfallback" : "XX")
  noise.mixHash(ephemeral.public)
  // The server does not read what the client encrypts under a remembered key, so random bytes will do.
  const early = device.remembers && { static: randomBytes(48), payload: randomBytes(64) }
  const clientHello = { ephemeral: ephemeral.public, ...early }
  return {
    hello: () => Buffer.from(proto.HandshakeMessage.encode({ clientHello }).finish()),
    finish(frame: Buffer, payload: Buffer) {
      const said = proto.HandshakeMessage.decode(frame).serverHello
      const theirs = Buffer.from(said?.ephemeral ?? [])
      noise.mixHash(theirs)
      noise.mixKey(Agreement.sharedKey(ephemeral.private, theirs))
      noise.mixKey(Agreement.sharedKey(ephemeral.private, noise.open(said?.static ?? nothing)))
      noise.open(said?.payload ?? nothing)
      const staticKey = noise.seal(device.noise.public)
      noise.mixKey(Agreement.sharedKey(device.noise.private, theirs))
      const clientFinish = { static: staticKey, payload: noise.seal(payload) }
      return {
        message: Buffer.from(proto.HandshakeMessage.encode({ clientFinish }).finish()),
        transport: open(...noise.split()),
      }
    },
  }
}
