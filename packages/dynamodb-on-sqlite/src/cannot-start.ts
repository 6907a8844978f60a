/** Something cannot start; the message tells a person why, and what to change. */
export class CannotStart extends Error {}
