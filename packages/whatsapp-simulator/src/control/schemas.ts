import { z } from "@hono/zod-openapi"
import { obstacles } from "../devices/pairing.ts"
import { faultKinds } from "../network/faults.ts"
import { mediaKinds } from "../phone/content/media.ts"
import { floodKinds } from "../phone/hostile/floods.ts"
import { collections } from "../phone/settings/settings.ts"
import { wrongs } from "../stanzas/malform.ts"
import { noticeKinds } from "../stanzas/unsolicited-notices.ts"

export const Refused = z
  .object({ error: z.string(), code: z.string() })
  .openapi("Refused", { description: "A sentence for people and a code for programs." })

const digits = z.string().regex(/^\d{7,15}$/, "7 to 15 digits")

/** `number:device`. */
export const DeviceName = z.string().regex(/^\d+:\d+$/, "number:device")

const whole = z.coerce.number().int().min(0)

/** How long to wait for something to answer with, in milliseconds. */
const wait = whole.max(60_000).default(0)

export const NewPhone = z.object({ number: digits.optional(), name: z.string().min(1).max(100).optional() })

export const Phone = z
  .object({
    number: z.string(),
    jid: z.string(),
    lid: z.string(),
    name: z.string(),
    devices: z.array(
      z.object({
        id: z.number(),
        jid: z.string(),
        platform: z.string(),
        connected: z.boolean(),
        waiting: z.record(z.string(), z.number()).describe("Stanzas not yet settled, by tag"),
        prekeys: z.number().describe("One-time prekeys left with the network"),
        last_available: z.number().optional().describe("Unix seconds; of companions"),
        inactive: z.boolean().describe("The phone warns of it: not available for fifteen days"),
      }),
    ),
    not_decrypted: z.record(z.string(), z.number()).describe("Counts of what it could not decrypt, by kind"),
    privacy: z.record(z.string(), z.string()).describe("What was chosen, by category"),
    disappearing: z.number().describe("The timer of new chats in seconds, 0: none"),
  })
  .openapi("Phone")

const obstacle = z
  .enum(obstacles)
  .optional()
  .describe("Something that comes between the scan and the link, which then fails")

export const Scan = z.object({ qr: z.string().min(1), obstacle })

/** Beside a picture, which has no room for it. */
export const ScanQuery = z.object({ obstacle })

export const TypedCode = z.object({
  code: z.string().min(8).max(12),
  hellos: z
    .number()
    .int()
    .min(1)
    .max(5)
    .optional()
    .describe("How often the phone says hello; 1 when not given"),
  refreshes: z
    .boolean()
    .optional()
    .describe("A companion_reg_refresh comes after the companion's answer, which must not change its secret"),
})

/** For a browser's virtual authenticator. */
export const Passkey = z
  .object({
    credential_id: z.string().describe("Base64url"),
    rp_id: z.string(),
    origin: z.string().describe("The page that may use it"),
    private_key: z.string().describe("PKCS #8, Base64"),
    user_handle: z.string().describe("Base64url"),
    sign_count: z.number(),
  })
  .openapi("Passkey")

export const Challenge = z.object({
  challenge: z.string().min(1).max(1000).describe("Base64url, of the options that the companion got"),
  origin: z.url().optional().describe("Another page than the one that may use it"),
})

/** How far a phone is that links a companion with its passkey. */
export const PasskeyLink = z
  .object({
    stage: z.enum(["none", "waits", "code", "linked", "failed"]),
    code: z.string().optional().describe("Shown by phone and companion"),
    isKnown: z.boolean().optional().describe("Nobody has to compare the codes"),
    device: z.number().optional(),
    error: z.string().optional(),
  })
  .openapi("PasskeyLink")

export const AwaitPasskeyLink = z.object({
  wait,
  stage: z.enum(["waits", "code", "linked", "failed"]).default("linked").describe("What to wait for"),
})

export const Linked = z.object({ device: z.string(), jid: z.string() })

/** Chosen by senders: of any characters. */
const MessageId = z.string().min(1).max(4096)

const sealed = z.boolean().default(false).describe("Under the secret of the message it is about")

const content = {
  text: z.string().min(1).max(65_536),
  quoted: MessageId,
  mentions: z.array(digits),
  media: z.object({
    kind: z.enum(mediaKinds),
    data: z.base64().describe("The file"),
    mimetype: z.string(),
    caption: z.string().optional(),
    filename: z.string().optional(),
    voice: z.boolean().optional(),
  }),
  reaction: z.object({ message_id: MessageId, emoji: z.string(), sealed }),
  poll: z.object({
    question: z.string(),
    options: z.array(z.string()).min(1),
    selectable: z.number().int().min(0).default(1),
  }),
  vote: z.object({ message_id: MessageId, options: z.array(z.string()) }),
  add_option: z.object({ message_id: MessageId, option: z.string() }).describe("To a poll"),
  event: z.object({
    name: z.string(),
    description: z.string().optional(),
    start: z.number().int(),
    end: z.number().int().optional(),
  }),
  rsvp: z.object({
    message_id: MessageId,
    response: z.enum(["going", "not_going", "maybe"]),
    guests: z.number().int().min(0).default(0),
  }),
  edit: z
    .object({ message_id: MessageId, text: z.string(), sealed })
    .describe("Of a text, or of a poll's question"),
  revoke: z.object({ message_id: MessageId }),
  pin: z.object({ message_id: MessageId, unpin: z.boolean().default(false) }),
  location: z.object({ latitude: z.number(), longitude: z.number(), name: z.string().optional() }),
  contact: z.object({ name: z.string(), vcard: z.string() }),
  raw: z.record(z.string(), z.unknown()).describe("A protobuf Message as JSON, for everything else"),
  bytes: z.base64().describe("Encrypted in place of a protobuf Message: garbage, giants, unknown fields"),
}

/** Fields that say something about a message, not what it is. */
const besides = new Set(["to", "id", "addressing", "quoted", "mentions", "viewers", "scheduled_for"])

const To = z
  .string()
  .regex(
    /^(\d{7,15}(@s\.whatsapp\.net|@lid)?|\d+@g\.us|(status|\d+)@broadcast)$/,
    "7 to 15 digits, their address, or that of a group or broadcast list",
  )
  .describe("A number, an address of it, the address of a group or broadcast list, or status@broadcast")

const addressing = z.enum(["lid", "pn"]).default("lid").describe("How a chat with a person is addressed")

export const NewMessage = z
  .object({
    to: To,
    id: MessageId.optional().describe("Sending one id twice makes a duplicate"),
    addressing,
    viewers: z
      .array(digits)
      .optional()
      .describe("The people who get a status, or a message to a broadcast list"),
    scheduled_for: whole
      .optional()
      .describe("Unix seconds: delivered at once, and its key to the recipients at this time"),
  })
  .extend(z.object(content).partial().shape)
  .refine((body) => Object.keys(body).filter((name) => !besides.has(name)).length === 1, {
    message: "exactly one kind of content",
  })
  .openapi("NewMessage")

export const Sent = z.object({
  id: z.string(),
  timestamp: z.number(),
  error: z.string().optional().describe("The code of the network's nack"),
})

export const Message = z
  .object({
    n: z.number(),
    id: z.string(),
    chat: z.string().describe("The other's number, or the group's address"),
    from: z.string(),
    from_device: z.number(),
    from_me: z.boolean(),
    text: z.string(),
    kind: z.string(),
    content: z.unknown(),
    opened: z
      .unknown()
      .optional()
      .describe("The content that was sealed: options of a vote, response and guests, reaction, edit"),
    timestamp: z.number(),
    offline: z.boolean(),
    times: z.number().describe("How often it arrived: more than once is a duplicate by id"),
  })
  .openapi("Message")

export const ReadMessages = z.object({
  after: whole.default(0),
  wait,
  count: whole.min(1).max(10_000).default(1).describe("How many must match before it answers early"),
  id: z.string().optional(),
  from: z.string().optional(),
  chat: z.string().optional(),
  text: z.string().optional(),
  kind: z.string().optional(),
})

export const ReadLog = z.object({
  after: whole.default(0),
  wait,
  kind: z.enum(["in", "out", "note"]).optional(),
  who: z.string().optional().describe("`number:device`, or the start of it"),
  tag: z.string().optional(),
  event: z.string().optional(),
  attrs: z.string().optional().describe("Attributes the stanza must have, as a JSON object"),
})

/** Strings by name, as `attrs` carries them. */
export const Attributes = z.record(z.string(), z.string())

export const Entry = z
  .object({
    n: z.number(),
    at: z.number().describe("Unix milliseconds, with their fraction"),
    kind: z.enum(["in", "out", "note"]),
    who: z.string(),
    stanza: z.unknown().optional().describe("Tag, attributes, content; bytes as their length"),
    event: z.string().optional(),
    detail: z.unknown().optional(),
  })
  .openapi("Entry")

export const Settled = z.object({ settled: z.boolean(), waiting: z.record(z.string(), z.number()) })

/** A stanza as JSON; bytes as `{ "base64": … }`. */
export interface Stanza {
  tag: string
  attrs: Record<string, string>
  content?: Stanza[] | string | { base64: string } | undefined
}

export const Stanza: z.ZodType<Stanza> = z.lazy(() =>
  z.object({
    tag: z.string().min(1),
    attrs: Attributes.default({}),
    content: z.union([z.array(Stanza), z.string(), z.object({ base64: z.base64() })]).optional(),
  }),
)

/** In one piece, as recursion has no place in the document. */
export const NewStanza = z
  .object({ tag: z.string().min(1), attrs: Attributes.default({}), content: z.unknown().optional() })
  .openapi("NewStanza", { description: "Bytes are { base64 }; an id is given when there is none." })

export const NewNotice = z
  .object({
    kind: z.enum(noticeKinds),
    about: digits.describe("Somebody whom it tells of, if it tells of somebody"),
    group: z
      .string()
      .regex(/^\d+@g\.us$/)
      .default("120363000000000003@g.us"),
    wrong: z
      .enum(wrongs)
      .optional()
      .describe(
        "Parts without attributes, a stanza without its own, each part twice, attributes that are huge or of the wrong kind, " +
          "bytes for parts, or empty",
      ),
  })
  .openapi("NewNotice")

export const Wait = z.object({ wait })

export const NewFault = z.object({
  kind: z.enum(faultKinds),
  device: z.union([DeviceName, z.literal("*")]).default("*"),
  times: z.number().int().min(1).nullable().default(null).describe("null: until it is removed"),
  code: z.number().int().min(100).max(999).default(503),
  expire: z.number().int().min(0).nullable().default(null).describe("For refuse_login, in seconds"),
  xmlns: z.string().min(1).nullable().default(null).describe("The namespace of questions; null: any"),
  version: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .nullable()
    .default(null)
    .describe("For outdated: versions from this one on are let in; null: none is"),
  ms: z.number().int().min(0).max(60_000).default(0),
})

export const Fault = NewFault.extend({ id: z.number(), times: z.number().nullable() }).openapi("Fault")

export const Absence = z.object({ days: whole.max(1000) })

/** The network's patience. */
export const Patience = z
  .object({
    answer_ms: whole
      .min(1)
      .max(2 ** 31 - 1)
      .describe("How long a device may leave a stanza unanswered until its stream is ended"),
    passkey_ms: whole.min(1).max(3_600_000).describe("How long a companion may take to link with a passkey"),
  })
  .openapi("Patience")

export const ChangePatience = Patience.partial()

export const EndConnection = z.object({
  how: z
    .enum(["cut", "replaced", "device_removed", "restart", "unavailable", "rate_limited"])
    .default("cut")
    .describe("cut: without a word"),
  reason: z
    .string()
    .optional()
    .describe("Why it is removed: invalid_adv_status, unknown_companion, lid_migration_..."),
})

export const NewGroup = z.object({
  creator: digits,
  subject: z.string().min(1).max(100),
  members: z.array(digits).default([]),
  addressing: z.enum(["lid", "pn"]).default("lid"),
  community: z.boolean().default(false).describe("A community, with a group for its announcements"),
})

export const Group = z
  .object({
    jid: z.string(),
    subject: z.string(),
    addressing: z.enum(["lid", "pn"]),
    invite: z.string().describe("The code of its link"),
    members: z.array(z.object({ number: z.string(), role: z.string() })),
  })
  .openapi("Group")

export const ChangeGroup = z
  .object({
    by: digits.describe("Who does it"),
    subject: z.string().min(1).optional(),
    description: z.string().optional(),
    add: z.array(digits).optional(),
    remove: z.array(digits).optional(),
    promote: z.array(digits).optional(),
    demote: z.array(digits).optional(),
    ephemeral: whole.optional().describe("Seconds after which messages go, 0: never"),
    setting: z.enum(["announcement", "not_announcement", "locked", "unlocked"]).optional(),
    all_add: z.boolean().optional().describe("Whether members who are no admins add others"),
    approval: z.boolean().optional().describe("Whether admins decide about who comes by the link"),
    approve: z.array(digits).optional().describe("Lets in people who ask to join"),
    reject: z.array(digits).optional(),
    picture: z.base64().nullable().optional().describe("null removes it"),
    revoke_invite: z.literal(true).optional().describe("The group gets another link"),
    join: z.string().optional().describe("Joins, or asks to, by the code of a link"),
    accept: z
      .object({ code: z.string(), admin: digits })
      .optional()
      .describe("Joins by the personal invitation of an admin"),
    leave: z.boolean().optional(),
  })
  .openapi("ChangeGroup")

const Business = z.object({
  name: z.string().min(1).describe("The one the network vouches for"),
  category: z.string().optional(),
  description: z.string().optional(),
  website: z.string().optional(),
  email: z.string().optional(),
  address: z.string().optional(),
})

export const ChangePhone = z
  .object({
    name: z.string().min(1).max(100),
    about: z.string().max(139),
    picture: z.base64().nullable().describe("null removes it"),
    available: z.boolean().describe("Whether the person looks at the phone"),
    privacy: z.record(z.string(), z.string()).describe("By category, such as last: none"),
    on: z.boolean().describe("Off, it gets nothing until it is on again"),
    restricted: z.boolean().describe("May not start chats: nack 463"),
    capped: z.boolean().describe("Is told that it has started as many chats as it may"),
    status_hidden_from: z.array(digits).describe("Contacts who do not see its statuses"),
    answers: z.boolean().describe("Sends back at once what it is sent, until the network ends"),
    new_lid: z
      .literal(true)
      .describe("Gives it another private id; acks say so to who still uses the former"),
    username: z
      .string()
      .regex(/^[a-z0-9._]{3,35}$/)
      .nullable()
      .describe("Strangers find the person by it; nobody is told the number. null removes it"),
    username_pin: z
      .string()
      .regex(/^\d{4}$/)
      .nullable()
      .describe("Asked for with the username; null: none"),
    hides_number: z.boolean().describe("In groups others see the number with dots in it"),
    by_number: z
      .boolean()
      .describe("Its chats were not moved to private ids: it is refused those (nack 400)"),
    not_by_number: z
      .boolean()
      .describe("Its chats were moved to private ids, and it is refused numbers (nack 463)"),
    business: Business.nullable().describe("null: a private person"),
    block: digits,
    unblock: digits,
    trusts: z
      .array(digits)
      .describe("Gives each of these people a token: what it shows to contacts, they see"),
  })
  .partial()
  .openapi("ChangePhone")

export const Typing = z.object({ to: To, state: z.enum(["composing", "recording", "paused"]), addressing })

export const NewCall = z.object({
  to: To,
  video: z.boolean().default(false),
  group: z.string().optional().describe("A group call's group"),
  addressing,
})

export const CallStep = z.object({
  to: To,
  step: z.enum(["preaccept", "accept", "reject", "terminate"]).default("terminate"),
  reason: z.string().optional().describe("timeout, busy, accepted_elsewhere, rejected_elsewhere..."),
  addressing,
})

export const Jumps = z.object({
  to: To,
  addressing,
  count: whole.min(1).max(1000).default(1).describe("How many texts"),
  skipped: whole.max(100_000).describe("How many seem to be missing before each; clients put up with 2,000"),
  fresh: z.boolean().default(false).describe("Each under a session, or sender key, of its own"),
})

export const Flood = z.object({
  to: To,
  addressing,
  viewers: z.array(digits).optional().describe("The people who get a status"),
  kind: z.enum(floodKinds),
  count: whole.min(1).max(100_000),
})

export const Call = z.object({ call_id: z.string() })

export const MarkAsRead = z.object({
  chat: To,
  message_ids: z.array(z.string()).min(1),
  from: digits.optional().describe("In a group: who wrote them"),
  type: z.enum(["read", "played"]).default("read"),
  addressing,
})

export const NewSetting = z
  .object({
    index: z.array(z.string()).min(1).describe("Its subject, such as [contact, jid]"),
    value: z.record(z.string(), z.unknown()).describe("A protobuf SyncActionValue as JSON"),
    version: z.number().int().default(1),
    remove: z.boolean().default(false),
  })
  .openapi("NewSetting")

export const Setting = z.object({ index: z.array(z.string()), value: z.unknown() }).openapi("Setting")

export const NewContact = z.object({
  number: digits,
  full_name: z.string().min(1),
  first_name: z.string().optional(),
})

export const NewCrowd = z.object({
  count: whole.min(1).max(100_000),
  devices: z.number().min(1).max(5).default(1).describe("How many a person has, on the average"),
})

export const AddressBook = z.object({ people: z.array(NewContact).min(1).max(100_000) })

export const OldChats = z.object({
  people: z.array(digits).min(1).max(100_000),
  messages: whole.min(1).max(1000).default(1).describe("With each"),
})

export const CollectionName = z.enum(collections)
