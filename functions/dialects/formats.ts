import type { Format } from "#contract/webhook.ts"
import { evolutionFormat } from "./evolution/events.ts"
import type { EventFormat } from "./format.ts"
import { wahaFormat } from "./waha/events.ts"

/** How each of the other gateways posts events. */
export const formats: Record<Format, EventFormat> = { evolution: evolutionFormat, waha: wahaFormat }
