/** It could not be done; the message says why. */
export class Refused extends Error {}

/** The words or options are wrong; the message says how. */
export class Misused extends Error {}
