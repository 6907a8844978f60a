import library from "libsignal"

/** A session as libsignal keeps it; only what we look at is named. */
export interface Session {
  indexInfo: { baseKey: Buffer; closed: number; used: number }
  registrationId: number
  currentRatchet: { ephemeralKeyPair: { pubKey: Buffer } }
  getChain(ephemeralKey: Buffer): Chain | undefined
  /** The oldest first, each under its ephemeral key. */
  chains(): Iterable<[Buffer, Chain]>
  deleteChain(ephemeralKey: Buffer): void
}

interface Chain {
  chainType: number
  chainKey: { counter: number; key: Buffer }
}

/** As libsignal numbers them. */
export const ChainType = { sending: 1, receiving: 2 } as const

export interface SessionRecord {
  sessions: Record<string, Session>
  getSessions(): Session[]
  getOpenSession(): Session | undefined
  setSession(session: Session): void
  serialize(): { _sessions: Record<string, unknown>; version: string }
}

interface PlainPair {
  pubKey: Buffer
  privKey: Buffer
}

/** The key store that libsignal asks for. */
export interface Storage {
  loadSession(address: string): Promise<SessionRecord | undefined>
  storeSession(address: string, record: SessionRecord): Promise<void>
  isTrustedIdentity(): boolean
  loadPreKey(id: number): Promise<PlainPair | undefined>
  removePreKey(id: number): void
  loadSignedPreKey(): PlainPair
  getOurRegistrationId(): number
  getOurIdentity(): PlainPair
}

export interface Bundle {
  registrationId: number
  identityKey: Uint8Array
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { keyId: number; publicKey: Uint8Array }
}

interface Address {
  toString(): string
}

interface Library {
  ProtocolAddress: new (name: string, device: number) => Address
  SessionRecord: {
    new (): SessionRecord
    deserialize(data: unknown): SessionRecord
  }
  SessionBuilder: new (storage: Storage, address: Address) => { initOutgoing(bundle: Bundle): Promise<void> }
  SessionCipher: new (
    storage: Storage,
    address: Address,
  ) => {
    encrypt(plaintext: Buffer): Promise<{ type: number; body: Buffer }>
    decryptWhisperMessage(body: Buffer): Promise<Buffer>
    decryptPreKeyWhisperMessage(body: Buffer): Promise<Buffer>
    decryptWithSessions(body: Buffer, sessions: Session[]): Promise<{ session: Session; plaintext: Buffer }>
    doDecryptWhisperMessage(body: Buffer, session: Session): Promise<Buffer>
  }
  SessionError: new (message: string) => Error
  MessageCounterError: new (message: string) => Error
  PreKeyError: new (message: string) => Error
}

// The published types cover a fifth of the library and give byte arrays where it wants Buffers.
export const {
  ProtocolAddress,
  SessionRecord,
  SessionBuilder,
  SessionCipher,
  SessionError,
  MessageCounterError,
  PreKeyError,
} = library as unknown as Library
