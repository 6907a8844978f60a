/** The service cannot start; the message tells a person why. */
export class CannotStart extends Error {}
