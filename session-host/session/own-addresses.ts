/** Who the session itself is. */
export interface Own {
  jid: string
  lid: string
}

/** The identity of a session that has not logged in. */
export const nobody: Own = { jid: "", lid: "" }
