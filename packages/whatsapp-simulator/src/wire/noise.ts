import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto"
import {
  aesDecryptGCM,
  aesEncryptGCM,
  Curve as Agreement,
  hkdf,
  proto,
  sha256,
} from "@whiskeysockets/baileys"
import type { Authority } from "./certificates.ts"
import * as Curve from "./curve.ts"

/** The start of the handshake's hash: a name as it is, or its hash if it is longer than one (Noise, 5.2). */
const modes = {
  XX: Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0"),
  XXfallback: sha256(Buffer.from("Noise_XXfallback_25519_AESGCM_SHA256")),
}
const nothing = Buffer.alloc(0)

/** Both directions of an open connection, encrypted. */
export interface Transport {
  encrypt(frame: Buffer): Buffer
  decrypt(frame: Buffer): Buffer
}

/** A client's description of itself at the end of the handshake. */
export interface Finished {
  transport: Transport
  noiseKey: Buffer
  payload: Buffer
}

/** The responder's side of one Noise XX handshake. Any step throws when the client's part is wrong. */
export interface Handshake {
  hello(frame: Buffer): Buffer
  finish(frame: Buffer): Finished
}

/**
 * `prologue` is the header the client opened with, four bytes. A client that remembers our key from before
 * opens with IK, and sends its own key at once. It is answered with XX all the same, and goes on with XX
 * (XXfallback).
 */
export function handshake(authority: Authority, prologue: Buffer): Handshake {
  const ephemeral = Curve.generate()
  let noise = symmetricState(prologue)
  return {
    hello(frame) {
      const said = proto.HandshakeMessage.decode(frame).clientHello
      const theirs = key32(said?.ephemeral, "ephemeral key")
      if (said?.static?.length) noise = symmetricState(prologue, "XXfallback")
      noise.mixHash(theirs)
      noise.mixHash(ephemeral.public)
      noise.mixKey(Agreement.sharedKey(ephemeral.private, theirs))
      const staticKey = noise.seal(authority.noise.public)
      noise.mixKey(Agreement.sharedKey(authority.noise.private, theirs))
      const payload = noise.seal(authority.chain)
      const serverHello = { ephemeral: ephemeral.public, static: staticKey, payload }
      return Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish())
    },
    finish(frame) {
      const said = proto.HandshakeMessage.decode(frame).clientFinish
      const noiseKey = key32(noise.open(said?.static ?? nothing), "static key")
      noise.mixKey(Agreement.sharedKey(ephemeral.private, noiseKey))
      const payload = noise.open(said?.payload ?? nothing)
      const [fromClient, toClient] = noise.split()
      return { noiseKey, payload, transport: transport(toClient, fromClient) }
    },
  }
}

/**
 * The state that both sides of a handshake keep: the hash of all that was said, and the key that it has led
 * to.
 */
export function symmetricState(prologue: Uint8Array, mode: keyof typeof modes = "XX") {
  let hash: Buffer = modes[mode]
  let salt: Buffer = modes[mode]
  let key: Buffer = modes[mode]
  let counter = 0

  const mixHash = (data: Uint8Array) => {
    hash = sha256(Buffer.concat([hash, data]))
  }
  const derive = (secret: Uint8Array): [Buffer, Buffer] => {
    const out = Buffer.from(hkdf(secret, 64, { salt, info: "" }))
    return [out.subarray(0, 32), out.subarray(32)]
  }
  mixHash(prologue)
  return {
    mixHash,
    mixKey(secret: Uint8Array) {
      ;[salt, key] = derive(secret)
      counter = 0
    },
    seal(plaintext: Buffer): Buffer {
      const sealed = aesEncryptGCM(plaintext, key, nonce(counter++), hash)
      mixHash(sealed)
      return sealed
    },
    /** @throws when it was sealed otherwise. */
    open(sealed: Uint8Array): Buffer {
      const plaintext = aesDecryptGCM(Buffer.from(sealed), key, nonce(counter++), hash)
      mixHash(sealed)
      return plaintext
    },
    /** The keys of the open connection: what the client writes with, and what it reads with. */
    split: () => derive(nothing),
  }
}

/**
 * AES-256-GCM, its tag of 16 bytes at the end. Key objects: a raw key costs three times the work, each time.
 */
export function transport(writeKey: Buffer, readKey: Buffer): Transport {
  const [writing, reading] = [createSecretKey(writeKey), createSecretKey(readKey)]
  let written = 0
  let read = 0
  return {
    encrypt(frame) {
      const cipher = createCipheriv("aes-256-gcm", writing, nonce(written++))
      return Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(frame) {
      const decipher = createDecipheriv("aes-256-gcm", reading, nonce(read++))
      decipher.setAuthTag(frame.subarray(-16))
      return Buffer.concat([decipher.update(frame.subarray(0, -16)), decipher.final()])
    },
  }
}

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12)
  iv.writeUInt32BE(counter, 8)
  return iv
}

function key32(key: Uint8Array | null | undefined, what: string): Buffer {
  if (key?.length !== 32) throw new Error(`the client's ${what} is not 32 bytes`)
  return Buffer.from(key)
}
