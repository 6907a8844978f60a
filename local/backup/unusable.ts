/** No backup could be made, or one cannot be restored. The message tells a person why. */
export class Unusable extends Error {}
