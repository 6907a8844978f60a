/** No backup or export could be made, or one cannot be used. The message tells a person why. */
export class Unusable extends Error {}
