import type { EventFormat } from "../format.ts"

/** How WAHA posts events. */
export const wahaFormat: EventFormat = { translate: () => undefined }
