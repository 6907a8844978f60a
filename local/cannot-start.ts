/** The service cannot start, and this sentence tells a person why. */
export class CannotStart extends Error {}
