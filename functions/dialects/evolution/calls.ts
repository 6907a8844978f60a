import { STATUS_CODES } from "node:http"
import { type Dialect, type Refusal, type Rows, toCalls, toMissing } from "../dialect.ts"
import { Given } from "./given.ts"
import { groups, groupsMade } from "./groups.ts"
import { instances, instancesMade } from "./instances.ts"
import { its } from "./its.ts"
import { inChats, kept } from "./messages.ts"
import { blockingAndPrivacy, people } from "./people.ts"
import { sending, updates } from "./sending.ts"
import { settings, settingsFound } from "./settings.ts"

const open: Rows<{ origin: string }> = {
  // Clients look here for the release whose calls they may make.
  "GET /": ({ origin }) => ({
    status: 200,
    message: "Welcome to the Evolution API, it is working!",
    version: "2.3.6",
    clientName: "messaging-bridge",
    documentation: origin.replace(/[^/]*$/, "api/docs"),
  }),
}

/** Parts of Evolution that connect it to other programs, in the order of its own folders. */
const integrations =
  "typebot openai dify n8n evoai evolutionBot flowise chatwoot rabbitmq nats sqs pusher kafka websocket s3"

const noButtons =
  "phones show the buttons and lists of businesses' own accounts alone: send a text, or a poll"
const noTemplates = "templates are of WhatsApp's Business Platform alone"

/** What this service has not, and why. */
const absent = {
  ...Object.fromEntries(
    integrations
      .split(" ")
      .map((name) => [`* /${name}/*`, `${name} is not connected here: send events to it by a webhook`]),
  ),
  "* /business/*": "catalogues are not read here",
  "* /template/*": noTemplates,
  "POST /message/sendTemplate/:instance": noTemplates,
  "POST /message/sendList/:instance": noButtons,
  "POST /message/sendButtons/:instance": noButtons,
  "POST /call/offer/:instance": "this service makes no calls: it declines them, and tells of them",
}

/** Faults, or what happened. Flows look for `exists` to see that nobody has a number. */
function messageOf({ code, sentence, issues }: Refusal): unknown[] {
  if (code === "recipient_not_found") return [{ exists: false, message: sentence }]
  return issues.length > 0 ? issues.map(({ path, message }) => `${path}: ${message}`) : [sentence]
}

/** Evolution API's language, of its release 2.3. */
export const evolution: Dialect = {
  name: "evolution",
  keyHeader: "apikey",
  names: {
    body: "text",
    chat: "number",
    phone: "number",
    phones: "numbers",
    members: "participants",
    question: "name",
    options: "values",
    max_answers: "selectableCount",
    lat: "latitude",
    lng: "longitude",
    contacts: "contact",
    emoji: "reaction",
    message_id: "key.id",
    disappearing: "expiration",
    customer_ref: "instanceName",
    webhook_url: "url",
    messages: "key.id",
    groups: "groupJid",
    chats: "chat",
    state: "presence",
    link: "inviteCode",
  },
  sentences: {
    unauthorized: "no valid API key: send it as apikey",
    not_found: "there is no such instance: GET /instance/fetchInstances lists yours",
    recipient_not_found: "nobody on the network has this number",
  },
  calls: [
    ...toCalls(open, (asked) => asked, { isOpen: true }),
    ...toCalls({ ...instances, ...settingsFound, ...kept, ...people, ...groups, ...updates }, its, {
      body: Given,
    }),
    ...toCalls(
      { ...instancesMade, ...settings, ...sending, ...inChats, ...blockingAndPrivacy, ...groupsMade },
      its,
      {
        body: Given,
        status: 201,
      },
    ),
    ...toMissing(absent),
  ],
  statusOf: ({ code, status }) => (code === "recipient_not_found" ? 400 : status),
  refusal: (refusal) => ({
    status: refusal.status,
    error: STATUS_CODES[refusal.status],
    response: { message: messageOf(refusal) },
  }),
}
