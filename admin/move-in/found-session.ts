import type { FoundCreds, FoundKey, FoundPerson } from "#session-host/whatsapp/found-login.ts"
import type { OpenFiles } from "./at-rest.ts"

/**
 * A session of another gateway, in what it has left on a disk or in a database. A reader finds these, and
 * changes nothing; `move-in.ts` does all the rest, one session after the other.
 */
export interface FoundSession {
  /** Its name at the old gateway, which becomes the bridge's `customer_ref`. */
  name: string
  /** Where it is, for a person: a folder, or a database and the row there. */
  place: string
  /** Where the old gateway posts its events. They are shown to the operator, and never set. */
  webhookUrls: string[]
  /**
   * Proves as far as one can that no gateway uses the session: nothing has its files open or locked, and
   * nothing has changed in the last minute (`restMs`).
   * @param open what was open when the import began
   * @throws Unusable
   */
  mustRest: (open: OpenFiles) => Promise<void>
  /**
   * Reads the credentials.
   * @throws Unusable when they are cut, or no phone is linked
   */
  creds: () => Promise<FoundCreds>
  /**
   * Reads the keys, one after the other. It is called twice: once to look whether all of it can be taken, and
   * once to take it. A key that cannot be read is left out, and told to `onCut`: it is made anew.
   * @throws Unusable
   */
  keys: (onCut: (name: string) => void) => AsyncIterable<FoundKey>
  /** The people that it knows, where the old gateway keeps them. */
  people?: () => AsyncIterable<FoundPerson>
  /**
   * The session is here now: marks it so that the old gateway does not come back by accident. It removes
   * nothing, and may be repeated.
   * @returns what the operator has to do at the old gateway, in one sentence; undefined: nothing
   */
  mark: () => Promise<string | undefined>
}

/** A file that has changed within this time may still be in use, in ms. */
export const restMs = 60_000

/** All that was found in one place. */
export interface Found {
  sessions: FoundSession[]
  /** The sessions that cannot be taken: the name of each, and why not, in one sentence. */
  refused: { name: string; why: string }[]
  close: () => Promise<void>
}

/**
 * Looks for the sessions of one kind of gateway.
 * @param where as the operator has typed it: paths, addresses of databases; at least one
 * @throws Unusable in one sentence, when there is nothing of this kind
 */
export type FindSessions = (where: string[]) => Promise<Found>
