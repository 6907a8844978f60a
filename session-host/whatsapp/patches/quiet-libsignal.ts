/**
 * The beginnings of all that libsignal prints. Some lines print whole sessions, with their private keys; the
 * rest is noise. A test compares the list with libsignal's source.
 */
export const silencedLines = [
  "Closing open session in favor of incoming prekey bundle",
  "Closing session:",
  "Decrypted message with closed session.",
  "Failed to decrypt message with any known session...",
  "Migrating session to:",
  "Opening session:",
  "Removing old closed session:",
  "Session already closed",
  "Session already open",
  "Session error:",
  "Unhandled bucket type (for naming):",
  "V1 session storage migration error: registrationId",
  "WARNING: Expected pubkey of length 33, please report the ST and client that generated the pubkey",
]

/** Silences libsignal for the whole process. Other code may still use the console. */
export function silenceLibsignal() {
  const { console } = globalThis
  for (const level of ["info", "warn", "error"] as const) {
    const print = console[level].bind(console)
    console[level] = (...said: unknown[]) => {
      const [first] = said
      if (typeof first === "string" && silencedLines.some((line) => first.startsWith(line))) return
      print(...said)
    }
  }
}
