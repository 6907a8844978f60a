import { z } from "@hono/zod-openapi"
import { integer, string, Timestamp } from "./field-types.ts"
import { StoredAs } from "./media-store.ts"

// The parts of a message event that only some kinds of messages have.

export const Place = z.object({
  lat: z.number(),
  lng: z.number(),
  name: z.string(),
  address: z.string(),
  live: z
    .literal(true)
    .optional()
    .openapi({ description: "The sender shares where they are for some time: the place moves." }),
  accuracy_m: integer("How exact a live place is, in metres.").optional(),
})

export const File = z.object({
  name: string(
    'The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\\`; `""` without one.',
  ),
  content_type: z.string(),
  size: integer("Bytes; 0: the sender did not say."),
  seconds: integer("How long an audio or a video plays.").optional(),
  width: integer("In pixels.").optional(),
  height: integer("In pixels.").optional(),
  pages: integer("How many pages a document has.").optional(),
  waveform: z
    .array(z.int())
    .optional()
    .openapi({ description: "How loud a voice note is over its time: mostly 64 values from 0 to 100." }),
  gif: z
    .literal(true)
    .optional()
    .openapi({ description: "A video that plays by itself, again and again, without sound." }),
  stored_as: StoredAs.optional().openapi({
    description:
      "Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so.",
  }),
  video_note: z.literal(true).optional().openapi({ description: "A video that phones show as a circle." }),
})

export const ContactCard = z.object({
  name: z.string(),
  phones: z.array(z.string()).openapi({ description: "Its numbers, as they are written on the card." }),
  on_whatsapp: z.array(z.string()).optional().openapi({
    description:
      "Those of its numbers that the sender's phone has found on the network, as digits: a `chat`.",
  }),
  vcard: string("The whole card (RFC 6350)."),
})

const Button = z.object({
  id: string('The `tapped.id` of the message that comes when a person taps it; `""` if none comes.'),
  text: z.string(),
  url: string("Opens this address.").optional(),
  phone: string("Calls this number.").optional(),
  code: string("Copies this text, such as a one-time code.").optional(),
})

const Row = z.object({ id: z.string(), title: z.string(), description: z.string() })

const Section = z.object({ title: z.string(), rows: z.array(Row) })

const Card = z.object({
  title: z.string(),
  body: z.string(),
  footer: z.string(),
  buttons: z.array(Button),
  file: File.pick({ name: true, content_type: true, size: true }).optional().openapi({
    description: "Its picture, video or document: `messages/{id}/media` gives it for `card`.",
  }),
})

const Offer = z.object({
  text: z.string(),
  code: string("What is to be named for it.").optional(),
  url: z.string().optional(),
  expires_at: Timestamp.optional(),
})

/** The parts of a business's message, besides its `body`. */
export const Interactive = z.object({
  title: string("The line above the text.").optional(),
  footer: string("The line below the text.").optional(),
  buttons: z.array(Button).optional(),
  sections: z.array(Section).optional().openapi({ description: "The rows of a list to choose from." }),
  cards: z.array(Card).optional().openapi({ description: "The cards of a carousel." }),
  offer: Offer.optional().openapi({ description: "An offer that ends." }),
})

export const Tapped = z.object({
  id: string("The id of the button or row."),
  text: string("The label of the button or row."),
  description: z.string().optional(),
  answers: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ description: "What a form was filled in with, by the names of its fields." }),
})

const Price = {
  amount: z.number().optional().openapi({ description: "In the unit of `currency`, as 12.5." }),
  currency: string("ISO 4217.").optional(),
}

export const Order = z.object({
  id: z.string(),
  token: string("The network's token of the order."),
  title: z.string(),
  item_count: z.int(),
  status: string("How far it is, as the network gives it, such as `shipped`.").optional(),
  description: string("What the business writes about that.").optional(),
  ...Price,
})

export const Product = z.object({
  id: string('`""`: the message shows a whole catalogue.'),
  title: z.string(),
  description: z.string(),
  retailer_id: string("The seller's own number of it."),
  url: z.string(),
  seller_id: string("JID of the business that sells it."),
  ...Price,
})

export const MentionedGroup = z.object({
  jid: z.string(),
  name: string("As the sender gives it."),
})

export const Invitation = z.object({
  to: z.enum(["group", "channel", "event"]),
  id: string("JID of the group or channel, id of the event."),
  name: z.string(),
  code: string('With it, `groups/join` joins the group; `""` for others.'),
  expires_at: Timestamp.optional(),
})

const PaymentMethod = z.object({
  type: string("As the network gives it, such as `pix_static_code`."),
  code: string("What is paid with: a Pix key or code, the line of a boleto, a link."),
  key_type: string("Of a Pix key, as the network gives it, such as `EMAIL`.").optional(),
  name: string('Who is paid; `""`: the sender does not say.'),
})

export const Payment = z.object({
  kind: z
    .enum(["request", "sent", "declined", "cancelled", "invitation", "reminder", "split", "details"])
    .openapi({ description: "`details`: how the sender wants to be paid." }),
  methods: z.array(PaymentMethod).optional().openapi({ description: "Of `details`." }),
  request_id: string("The message id of the request that it answers.").optional(),
  expires_at: Timestamp.optional(),
  ...Price,
})

export const Ad = z.object({
  title: z.string(),
  body: z.string(),
  source_type: string("As the network gives it: `ad`, `post`."),
  source_id: string("The id of the ad or post."),
  source_url: z.string(),
  click_id: string("Meta's id of the click (`ctwa_clid`)."),
  entry_point: string("Where the chat was begun, as the network gives it, such as `ctwa_ad`."),
  app: string("The app in which it was seen, such as `instagram`."),
  utm_source: z.string().optional(),
  utm_campaign: z.string().optional(),
})

export const PartOf = z.object({
  message_id: string("The message to which it belongs; the pictures of an album share one."),
  as: z
    .enum(["album", "hd", "event_cover", "poll_option", "motion_photo", "status", "other"])
    .openapi({ description: "`hd`: the same picture or video once more, in high definition." }),
})

export const LinkPreview = z.object({
  url: string("The link, as it stands in the text."),
  title: z.string(),
  description: z.string(),
})

export const PollResult = z.object({ option: z.string(), votes: z.int() })
