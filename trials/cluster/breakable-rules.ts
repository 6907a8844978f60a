/**
 * Rules that can be taken out of the service, from outside: each must be noticed.
 *
 * - `gate`: a frame leaves only when what was changed before it is durable.
 * - `seen`: a message that was decrypted before is not decrypted again.
 * - `credentials`: they are kept with the rest, not some time later.
 * - `numbers`: a new owner goes on after the last event.
 * - `bell`: a host that promises rings, and one that takes over rings for the promises of others.
 * - `fence`: each commit is checked against the lease.
 * - `order`: one deliverer at a time.
 * - `idempotency`: a retry keeps the message id.
 * - `move`: a bridge that was exported does not run where it left (with `--move`).
 * - `restore`: a backup is restored by the command, which marks each session, and not by hand (with
 *   `--restore`).
 * - `move-in`: the keys of others' groups come along from another gateway (with `--move-in`).
 */
export const breakableRules = [
  "gate",
  "seen",
  "credentials",
  "numbers",
  "bell",
  "fence",
  "order",
  "idempotency",
  "restore",
  "move",
  "move-in",
] as const
export type BreakableRule = (typeof breakableRules)[number]
