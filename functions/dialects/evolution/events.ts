import type { EventFormat } from "../format.ts"

/** How Evolution API posts events. */
export const evolutionFormat: EventFormat = { translate: () => undefined }
