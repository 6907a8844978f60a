import { z } from "zod"
import { each, some, withoutNulls } from "../given.ts"

const text = z.string()
const texts = z.array(text)
const is = z.boolean()
const count = z.number()

/** A webhook of a session. How often it tries again is accepted and ignored. */
const WebhookConfig = z.looseObject({
  url: text,
  events: texts.optional(),
  hmac: some({ key: text }).optional(),
  customHeaders: z.array(z.object({ name: text, value: text })).optional(),
})
export type WebhookConfig = z.infer<typeof WebhookConfig>

/** What of a session's configuration has a counterpart here. */
const Config = some({
  webhooks: z.array(WebhookConfig),
  proxy: z.object({ server: text, ...some(each(text, "username", "password")).shape }),
  ignore: some(each(is, "status", "groups")),
  noweb: some({ store: some(each(is, "enabled", "fullSync")) }),
})
export type Config = z.infer<typeof Config>

const GivenFile = some(each(text, "url", "data", "mimetype", "filename"))
const Card = some(each(text, "vcard", "fullName", "organization", "phoneNumber", "whatsappId"))

/** The body of any call of WAHA's. */
export const Given = z.preprocess(
  withoutNulls,
  some({
    ...each(text, "session", "name", "phoneNumber", "method", "chatId", "contactId", "messageId", "id"),
    ...each(text, "from", "reply_to", "text", "caption", "url", "title", "reaction", "subject"),
    ...each(text, "description", "code", "status", "backgroundColor", "firstName", "lastName", "colorHex"),
    color: z.union([count, text]).optional(),
    labels: z.array(z.object({ id: text })),
    ...each(texts, "messageIds", "mentions"),
    ...each(count, "latitude", "longitude", "duration"),
    ...each(is, "logout", "convert", "asNote", "linkPreview"),
    ...each(is, "adminsOnly", "membersCanAddNewMember", "newMembersApprovalRequired"),
    config: Config,
    file: GivenFile,
    preview: some({ ...each(text, "url", "title", "description"), image: GivenFile }),
    poll: some({ name: text, options: texts, multipleAnswers: z.unknown() }),
    contacts: z.array(z.union([text, Card])),
    event: some({ ...each(text, "name", "description"), ...each(count, "startTime", "endTime") }),
    pagination: some(each(count, "limit", "offset")),
    filter: some({ ids: texts }),
    participants: z.array(z.object({ id: text })),
    presence: z.enum(["online", "offline", "typing", "recording", "paused"]),
  }),
)
export type Given = z.infer<typeof Given>
