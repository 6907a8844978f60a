import type { Event } from "#contract/event.ts"
import type { FormatOptions } from "#contract/webhook.ts"

/** How another gateway posts events to webhooks. */
export interface EventFormat {
  /**
   * An event as that gateway posts it; undefined: it has no counterpart there, or the options leave it out.
   * Pure, and whether there is a counterpart does not depend on `me` and `file`: the delivery asks first
   * without these, and passes over what has none. One event of ours is one POST, so an event that would be
   * several there becomes the one that most receivers read.
   */
  translate: (told: Told) => Translated | undefined
  /** The headers that it sends besides ours, of a body as it is sent. */
  headers?: (body: Uint8Array, options: FormatOptions) => Record<string, string>
}

export interface Told {
  event: Event
  eventId: string
  /** When it was made, Unix seconds. */
  createdAt: number
  /** The bridge's id. */
  bridgeId: string
  /** The bridge's `customer_ref`. */
  instance: string
  options: FormatOptions
  /** The webhook's URL. */
  destination: string
  /** Where this service is; `""` if it has no public address. */
  serverUrl: string
  /** The session's own account; undefined where it cannot be asked, as on AWS. */
  me: Me | undefined
  /** The file of a message; undefined unless `options.media` asks for it, and where it cannot be had. */
  file: EventFile | undefined
}

export interface Me {
  jid: string
  lid: string
  phone: string
  name: string
}

export interface EventFile {
  contentType: string
  base64: string
}

export interface Translated {
  body: object
  /** What is added to the path of the webhook's URL, with a slash before it. */
  path?: string
}
