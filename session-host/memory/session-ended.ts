/**
 * The session is over on this host: nothing more will be read or written for it, and its socket is closed.
 */
export class SessionEnded extends Error {}

/**
 * The session's memory is not as it must be: because of a bug of ours, or because an operator has changed
 * rows.
 */
export class RuleBroken extends SessionEnded {
  constructor(rule: string) {
    super(`the session's memory has broken a rule: ${rule}`)
  }
}

/** The lease check of a commit failed: another host holds the bridge, or no host may. */
export class Fenced extends SessionEnded {
  constructor() {
    super("the lease is not ours any more")
  }
}
