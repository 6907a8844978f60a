/** Something cannot start; the message tells a person why, and what to change. */
export class CannotStart extends Error {}

/** What prevents the start may pass, though nobody changes anything: another process, a full disk. */
export class MayPass extends CannotStart {}
