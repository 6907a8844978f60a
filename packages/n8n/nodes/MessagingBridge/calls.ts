import { createHash } from "node:crypto"
import type {
  IExecuteSingleFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  INodeProperties,
  INodePropertyOptions,
} from "n8n-workflow"
import { number } from "./number"

const inBody = (property: string) => ({
  send: { type: "body" as const, property, value: '={{$value === "" ? undefined : $value}}' },
})
const inQuery = (property: string) => ({
  send: { type: "query" as const, property, value: '={{$value === "" ? undefined : $value}}' },
})
const text = { type: "string", default: "" } as const
const segment = (name: string) => `{{encodeURIComponent($parameter.${name})}}`

/** A parameter has one meaning in all calls that take it. */
const fields = {
  chat: {
    ...text,
    displayName: "Chat",
    required: true,
    placeholder: "491711234567",
    description: "Digits of a phone number, a JID such as chat_id of an event, or @username",
    routing: inBody("chat"),
  },
  inChat: {
    ...text,
    displayName: "Chat",
    required: true,
    description: "The person or group, as chat_id of an event has it",
  },
  body: { ...text, displayName: "Text", required: true, typeOptions: { rows: 4 }, routing: inBody("body") },
  quoted: {
    ...text,
    displayName: "Replies To",
    required: true,
    description: "The message_id of the message that is quoted, of the same chat",
    routing: inBody("quoted_message_id"),
  },
  url: {
    ...text,
    displayName: "URL of the File",
    required: true,
    placeholder: "https://example.com/list.pdf",
    description: "Its Content-Type decides how it is sent: as a picture, a video, a sound or a document",
    routing: inBody("url"),
  },
  caption: { ...text, displayName: "Caption", routing: inBody("caption") },
  filename: {
    ...text,
    displayName: "File Name",
    description: "Of a document",
    routing: inBody("filename"),
  },
  question: { ...text, displayName: "Question", required: true, routing: inBody("question") },
  options: {
    ...text,
    displayName: "Options",
    required: true,
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add Option" },
    default: [],
    description: "What people may choose from: 2 to 12",
    routing: inBody("options"),
  },
  maxAnswers: {
    displayName: "Most Answers",
    type: "number",
    default: 1,
    description: "How many options a person may choose, 0 for any number",
    routing: inBody("max_answers"),
  },
  emoji: {
    ...text,
    displayName: "Emoji",
    description: "Empty takes the reaction back",
    routing: { send: { type: "body", property: "emoji" } },
  },
  reacted: {
    ...text,
    displayName: "Message ID",
    required: true,
    description: "The message_id of the message to react to",
    routing: inBody("message_id"),
  },
  message: { ...text, displayName: "Message ID", required: true },
  sendAt: {
    displayName: "Send At",
    type: "dateTime",
    default: "",
    description: "The message goes then, and the answer says planned. Empty sends it now.",
    routing: {
      send: {
        type: "body",
        property: "send_at",
        value: '={{$value === "" ? undefined : Math.floor(DateTime.fromISO($value).toSeconds())}}',
      },
    },
  },
  planned: { ...text, displayName: "Planned ID", required: true, description: "The message_id of its send" },
  words: { ...text, displayName: "Words", required: true, routing: inQuery("words") },
  channel: {
    ...text,
    displayName: "Channel",
    required: true,
    placeholder: "120363000000000000@newsletter",
    description: "The ID of the channel, as List Channels has it",
  },
  label: {
    ...text,
    displayName: "Label",
    required: true,
    placeholder: "3",
    description: "The ID of the label",
  },
  person: {
    ...text,
    displayName: "Person",
    required: true,
    placeholder: "491711234567",
    description: "Digits of a phone number, or a JID such as contact_id of an event",
  },
  fullName: { ...text, displayName: "Full Name", required: true, routing: inBody("full_name") },
  event: { ...text, displayName: "Event ID", required: true, placeholder: "evt_…" },
  state: {
    displayName: "State",
    type: "options",
    options: [
      { name: "Any", value: "" },
      { name: "In the Inbox", value: "inbox" },
      { name: "Undelivered", value: "undelivered" },
      { name: "Waiting", value: "pending" },
    ],
    default: "undelivered",
    routing: inQuery("state"),
  },
  since: {
    displayName: "Since",
    type: "dateTime",
    required: true,
    default: "",
    description: "What was given up since then is delivered again, oldest first, 100 events at once",
    routing: {
      send: {
        type: "body",
        property: "since",
        value: "={{Math.floor(DateTime.fromISO($value).toSeconds())}}",
      },
    },
  },
  webhook: {
    ...text,
    displayName: "Webhook",
    default: "first",
    description: "The ID of the webhook that is meant. The first is that of the number itself.",
    routing: inQuery("webhook"),
  },
  key: {
    ...text,
    displayName: "Idempotency Key",
    description:
      "Two messages with the same key are sent once, within 24 hours: for instance the event_id that is answered. Without one, a node that is tried again sends nothing twice.",
    routing: { send: { preSend: [withKey] } },
  },
  returnAll: {
    displayName: "Return All",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    routing: {
      send: { paginate: "={{$value}}" },
      operations: {
        pagination: {
          type: "generic",
          properties: {
            continue: '={{$response.headers["x-next-after"] !== undefined}}',
            request: { qs: { after: '={{$response.headers["x-next-after"]}}' } },
          },
        },
      },
    },
  },
  limit: {
    displayName: "Limit",
    type: "number",
    typeOptions: { minValue: 1, maxValue: 100 },
    default: 50,
    description: "Max number of results to return",
    displayOptions: { show: { returnAll: [false] } },
    routing: inQuery("limit"),
  },
} satisfies Record<string, Omit<INodeProperties, "name">>

type Call = [
  /** That of the API's reference, but for `reply`. */
  operation: string,
  name: string,
  request: `${"GET" | "POST" | "PUT" | "DELETE"} ${string}`,
  ...fields: (keyof typeof fields)[],
]

const bridge = `/api/instances/${segment("number")}`
const send = `POST ${bridge}/proxy/send` as const

const channel = `${bridge}/proxy/channels/${segment("channel")}`
const labelled = `${bridge}/proxy/labels/${segment("label")}/chats/${segment("inChat")}`

/** The operations of the node, by their resource. */
const calls: Record<string, Call[]> = {
  message: [
    ["sendText", "Send a Text", `${send}/text`, "chat", "body", "sendAt", "key"],
    ["reply", "Reply to a Message", `${send}/text`, "chat", "quoted", "body", "sendAt", "key"],
    ["sendMedia", "Send a File", `${send}/media`, "chat", "url", "caption", "filename", "sendAt", "key"],
    ["sendPoll", "Send a Poll", `${send}/poll`, "chat", "question", "options", "maxAnswers", "sendAt", "key"],
    ["sendReaction", "React to a Message", `${send}/reaction`, "chat", "reacted", "emoji", "key"],
    [
      "getMessage",
      "Get a Message and Its Status",
      `GET ${bridge}/proxy/messages/${segment("message")}`,
      "message",
    ],
    ["listPlanned", "List Planned Messages", `GET ${bridge}/proxy/planned`, "returnAll", "limit"],
    [
      "cancelPlanned",
      "Cancel a Planned Message",
      `DELETE ${bridge}/proxy/planned/${segment("planned")}`,
      "planned",
    ],
    [
      "readMessage",
      "Mark a Message as Read",
      `POST ${bridge}/proxy/messages/${segment("message")}/read`,
      "message",
    ],
  ],
  chat: [
    ["listChats", "List Chats", `GET ${bridge}/proxy/chats`, "returnAll", "limit"],
    [
      "listMessages",
      "List Messages of a Chat",
      `GET ${bridge}/proxy/chats/${segment("inChat")}/messages`,
      "inChat",
      "returnAll",
      "limit",
    ],
    ["searchMessages", "Search Messages", `GET ${bridge}/proxy/search`, "words", "returnAll", "limit"],
    [
      "askForOlder",
      "Ask the Phone for Older Messages",
      `POST ${bridge}/proxy/chats/${segment("inChat")}/history`,
      "inChat",
    ],
    ["labelChat", "Put a Label on a Chat", `PUT ${labelled}`, "label", "inChat"],
    ["unlabelChat", "Take a Label Off a Chat", `DELETE ${labelled}`, "label", "inChat"],
    ["listLabels", "List Labels", `GET ${bridge}/proxy/labels`],
    [
      "saveContact",
      "Name a Contact",
      `PUT ${bridge}/proxy/contacts/${segment("person")}`,
      "person",
      "fullName",
    ],
  ],
  channel: [
    ["listChannels", "List Channels", `GET ${bridge}/proxy/channels`],
    ["followChannel", "Follow a Channel", `POST ${channel}/follow`, "channel"],
    ["unfollowChannel", "Unfollow a Channel", `DELETE ${channel}/follow`, "channel"],
    ["listPosts", "List Posts of a Channel", `GET ${channel}/posts`, "channel"],
    ["createPost", "Post in a Channel", `POST ${channel}/posts`, "channel", "body", "key"],
  ],
  event: [
    ["listEvents", "List Events", `GET ${bridge}/events`, "state", "webhook", "returnAll", "limit"],
    [
      "resendEvent",
      "Resend an Event",
      `POST ${bridge}/events/${segment("event")}/resend`,
      "event",
      "webhook",
    ],
    ["resendSince", "Resend Events Since a Time", `POST ${bridge}/deliveries/resend`, "since", "webhook"],
  ],
  number: [
    ["listBridges", "List Numbers", "GET /api/instances", "returnAll", "limit"],
    ["status", "Get the Status of a Number", `GET ${bridge}/proxy/status`],
  ],
}

/** The parameters of the node. */
export const parameters: INodeProperties[] = [
  {
    displayName: "Resource",
    name: "resource",
    type: "options",
    noDataExpression: true,
    options: Object.keys(calls).map((resource) => ({ name: capital(resource), value: resource })),
    default: "message",
  },
  ...Object.entries(calls).map(([resource, own]): INodeProperties => ({
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    options: own.map(option),
    default: String(own[0]?.[0]),
  })),
  { ...number, displayOptions: { hide: { operation: ["listBridges"] } } },
  ...Object.entries(fields).map(parameter),
]

function parameter([name, field]: [string, Omit<INodeProperties, "name">]): INodeProperties {
  const show = { ...field.displayOptions?.show, operation: takers(name) }
  return Object.assign({ name }, field, { displayOptions: { show } })
}

function option([value, name, request]: Call): INodePropertyOptions {
  const [method, url] = request.split(/ (.*)/) as [IHttpRequestMethods, string]
  return {
    name,
    value,
    action: capital(name.toLowerCase()),
    routing: { request: { method, url: `=${url}` } },
  }
}

/** The operations that take this parameter. */
function takers(field: string): string[] {
  return Object.values(calls).flatMap((own) =>
    own.filter(([, , , ...its]) => (its as string[]).includes(field)).map(([operation]) => operation),
  )
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * The same message of the same run has the same key, so that a node that is tried again sends nothing twice.
 */
async function withKey(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  const item = this.getItemIndex()
  const { $runIndex } = this.getWorkflowDataProxy(item)
  const run = [this.getInstanceId(), this.getExecutionId(), this.getNode().id, $runIndex, item, request.body]
  const key = this.getNodeParameter("key") || createHash("sha256").update(JSON.stringify(run)).digest("hex")
  return { ...request, headers: { ...request.headers, "Idempotency-Key": key } }
}
