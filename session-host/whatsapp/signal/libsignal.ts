import library from "libsignal"

/** A ratchet with one base key of the other side; only what we look at is named. */
export interface Session {
  indexInfo: { baseKey: Buffer; closed: number; used: number; remoteIdentityKey: Buffer }
  pendingPreKey?: { signedKeyId: number; baseKey: Buffer; preKeyId?: number }
  serialize(): unknown
}

export interface SessionRecord {
  sessions: Record<string, Session>
  getOpenSession(): Session | undefined
  closeSession(session: Session): void
  setSession(session: Session): void
  removeOldSessions(): void
  serialize(): unknown
}

export interface Storage {
  loadSession(address: string): Promise<SessionRecord | null | undefined>
  storeSession(address: string, record: SessionRecord): Promise<void>
}

export interface Bundle {
  registrationId: number
  identityKey: Uint8Array
  signedPreKey: { keyId: number; publicKey: Uint8Array; signature: Uint8Array }
  preKey?: { keyId: number; publicKey: Uint8Array }
}

export interface SessionCipher {
  addr: { toString(): string }
  storage: Storage
  queueJob<T>(work: () => Promise<T>): Promise<T>
  doDecryptWhisperMessage(body: Buffer, session: Session): Promise<Buffer>
  decryptWithSessions(body: Buffer, sessions: Session[]): Promise<{ session: Session; plaintext: Buffer }>
}

export interface SessionBuilder {
  addr: { toString(): string }
  storage: Storage
  initOutgoing(bundle: Bundle): Promise<void>
  initIncoming(record: SessionRecord, message: { signedPreKeyId: number }): Promise<unknown>
  initSession(
    initiator: true,
    ephemeral: KeyPair,
    ourSigned: undefined,
    theirIdentity: Uint8Array,
    theirEphemeral: Uint8Array | undefined,
    theirSigned: Uint8Array,
    registrationId: number,
  ): Promise<Session>
}

/** The public key has 33 bytes, of which the first is the type, and the private key has 32. */
export interface KeyPair {
  pubKey: Buffer
  privKey: Buffer
}

interface Library {
  SessionRecord: {
    new (): SessionRecord
    prototype: SessionRecord
    deserialize(data: unknown): SessionRecord
  }
  SessionCipher: { prototype: SessionCipher }
  SessionBuilder: { prototype: SessionBuilder }
  SessionError: new (message: string) => Error
  curve: {
    generateKeyPair(): KeyPair
    calculateAgreement(theirs: Buffer, ours: Buffer): Buffer
    verifySignature(key: Buffer, message: Buffer, signature: Buffer): boolean
  }
}

// The published types name a fifth of the library, and none of the parts that have to be repaired.
export const { SessionRecord, SessionCipher, SessionBuilder, SessionError, curve } =
  library as unknown as Library
