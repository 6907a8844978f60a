/** The words that people read while they link a phone. `{…}` is filled in; the names in quotation marks are as WhatsApp has them. */
export interface Words {
  title: string
  linkFor: string
  who: string
  allows: string
  ownNumber: string
  endingIn: string
  once: string
  stop: string
  stopWhy: string
  undo: string
  report: string
  thanks: string
  thanksHow: string
  unofficial: string
  simulated: string
  scan: string
  open: string
  devices: string
  tap: string
  point: string
  tapPhone: string
  typeIt: string
  noCamera: string
  noCameraHow: string
  noScript: string
  phone: string
  getCode: string
  noLink: string
  /** Failures that only the phone shows, since the network tells them to nobody else, and what to do. */
  onThePhone: readonly (readonly [string, string])[]
  changesIn: string
  soon: string
  asking: string
  old: string
  nobody: string
  threeMinutes: string
  newCode: string
  again: string
  isLinked: string
  typeOn: string
  works: string
  goBack: string
  progress: string
  steps: readonly [string, string, string, string, string]
  done: string
  doneHow: string
  close: string
  goOn: string
  taken: string
  takenHow: string
  over: string
  overHow: string
  other: string
  otherHow: string
  passkey: string
  passkeyWhy: string
  extension: string
  addIt: string
  download: string
  unpack: string
  openExtensions: string
  loadIt: string
  usePasskey: string
  leads: string
  nothingAsks: string
  passkeyOver: string
  passkeyOverHow: string
  beginAgain: string
  accepted: string
  acceptedHow: string
  tooMuch: string
  tooMuchHow: string
  /**
   * Why no phone is linked, and what to do. English has the dashboard's own sentences (`failure-words.ts`,
   * `state-words.ts`).
   */
  reasons?: Record<Reason, readonly [string, string]>
}

export type Reason =
  | "number_mismatch"
  | "invalid_request"
  | "unreachable"
  | "network_rejected"
  | "send_outcome_unknown"
  | "rate_limited"
  | "already_paired"
  | "passkey_required"
  | "passkey_refused"
  | "stopped"
  | "locked"
  | "banned"
  | "temporarily_banned"
  | "away"
  | "starting"
  | "internal_error"
