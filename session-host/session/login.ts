import { type Creds, SessionVault } from "../memory/vault.ts"
import { Contacts } from "../people/contacts.ts"

type LoginParts = ConstructorParameters<typeof SessionVault>[0] & ConstructorParameters<typeof Contacts>[0]

/** The bridge's present login. A logout begins the next one. */
export class Login {
  readonly #parts: LoginParts
  #present: { vault: SessionVault; contacts: Contacts }

  constructor(parts: LoginParts, creds: Creds) {
    this.#parts = parts
    this.#present = this.#begun(creds)
  }

  /** The keys of the login. */
  get vault(): SessionVault {
    return this.#present.vault
  }

  /** The people whom the login knows. */
  get contacts(): Contacts {
    return this.#present.contacts
  }

  /** Begins the next login when this one has ended. The next login has no keys yet and knows no contacts. */
  beginNext(): void {
    this.#present = this.#begun({ generation: this.vault.generation + 1, creds: undefined })
  }

  #begun(creds: Creds) {
    return {
      vault: new SessionVault(this.#parts, creds),
      contacts: new Contacts(this.#parts, creds.generation),
    }
  }
}
