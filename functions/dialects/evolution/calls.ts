import { STATUS_CODES } from "node:http"
import { call, type Call, type Dialect, missing } from "../dialect.ts"
import { chatCalls } from "./chats.ts"
import { groupCalls } from "./groups.ts"
import { instanceCalls } from "./instances.ts"
import { sendingCalls } from "./sending.ts"
import { settingsCalls } from "./settings.ts"

/** Clients look here for the release whose calls they may make. */
const welcome = call({
  method: "GET",
  path: "/",
  isOpen: true,
  run: async ({ origin }) => ({
    status: 200,
    message: "Welcome to the Evolution API, it is working!",
    version: "2.3.6",
    clientName: "messaging-bridge",
    documentation: origin.replace(/[^/]*$/, "api/docs"),
  }),
})

/** Parts of Evolution that connect it to other programs: here a webhook does. */
const integrations =
  /* in the order of its own folders */
  "typebot openai dify n8n evoai evolutionBot flowise chatwoot rabbitmq nats sqs pusher kafka websocket s3".split(
    " ",
  )

const absent: Call[] = [
  ...integrations.flatMap((name) =>
    (["GET", "POST", "PUT", "DELETE"] as const).map((method) =>
      missing(method, `/${name}/*`, `${name} is not connected here: send events to it by a webhook`),
    ),
  ),
  ...(["GET", "POST"] as const).flatMap((method) => [
    missing(method, "/label/*", "labels are kept on the phone alone"),
    missing(method, "/business/*", "catalogues are not read here"),
    missing(method, "/template/*", "templates are of WhatsApp's Business Platform alone"),
  ]),
  missing(
    "POST",
    "/call/offer/:instance",
    "this service makes no calls: it declines them, and tells of them",
  ),
]

/** Evolution API's language, of its release 2.3. */
export const evolution: Dialect = {
  name: "evolution",
  keyHeader: "apikey",
  calls: [
    welcome,
    ...instanceCalls,
    ...settingsCalls,
    ...sendingCalls,
    ...chatCalls,
    ...groupCalls,
    ...absent,
  ],
  refusal: ({ status, sentence, issues }) => ({
    status,
    error: STATUS_CODES[status],
    response: {
      message: issues.length > 0 ? issues.map(({ path, message }) => `${path}: ${message}`) : [sentence],
    },
  }),
}
