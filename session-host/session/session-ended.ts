/** The session is over on this host: nothing more will be read or written for it, and its socket is closed. */
export class SessionEnded extends Error {}

/** Another host holds the bridge, or nobody may: the lease check of a commit failed. */
export class Fenced extends SessionEnded {
  constructor() {
    super("the lease is not ours any more")
  }
}
