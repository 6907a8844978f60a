import "#test/support/store.ts"
import { expect, test } from "vitest"
import { type RouteName, routes } from "#contract/routes.ts"
import { dashboardWith } from "#dashboard/routes.ts"

const { pages: dashboard, formPaths } = dashboardWith()

/**
 * The dashboard has these of its own: signing people and programs in, people, and what only the operator
 * sees. The script and style have names that change.
 */
const own = [
  /^GET \/assets\//,
  /^\w+ \/(sign-|account|operator|dev\/|link|passkey-extension|billing|subscription|oauth|device|\.well-known)/,
]
/** The path of a form, opened as a page, leads to its page. */
const leading = new Set(formPaths.map((path) => `GET ${path}`))

/** The sandbox's phone is no customer of the API: only the pages play it. */
const phone = "the sandbox's phone"

/** The calls of the API that show and do what each page does: a program can have all of it. */
const pages: Record<string, RouteName[] | typeof phone> = {
  "GET /": ["getBridge", "status", "getUsage", "listDeliveries", "listEvents", "listKeys"],
  "GET /start": ["status", "listEvents", "listKeys", "listBridges"],
  "GET /live/home": ["getBridge", "status", "getUsage", "listDeliveries", "listEvents"],
  "GET /live/sandbox": ["status", "listEvents", "listKeys", "listBridges"],
  "POST /sandbox/say": phone,
  "POST /sandbox/picture": phone,
  "POST /sandbox/voice": phone,
  "POST /sandbox/react": phone,
  "POST /sandbox/vote": phone,
  "POST /sandbox/call": phone,
  "POST /sandbox/unlink": phone,
  "GET /numbers": ["listBridges", "status", "listDeliveries"],
  "GET /live/numbers": ["listBridges", "status", "listDeliveries"],
  // The acts on one number, one after the other.
  "POST /numbers": ["updateBridge", "logout", "removeBridge"],
  "GET /numbers.csv": ["listBridges", "getUsage"],
  "GET /new-number": [],
  "POST /new-number": ["createBridge"],
  "GET /numbers/:ref": ["getBridge", "status", "listDeliveries"],
  "GET /numbers/:ref/stream": ["getBridge", "status", "listDeliveries"],
  "POST /numbers/:ref/restart": ["updateBridge"],
  "GET /numbers/:ref/connect": ["status", "listEvents"],
  "GET /numbers/:ref/connect/stream": ["status", "qr"],
  "POST /numbers/:ref/connect": ["pair"],
  "POST /numbers/:ref/connect/passkey": ["passkey"],
  "POST /numbers/:ref/connect/again": ["logout"],
  "GET /numbers/:ref/link-page": ["createLinkSession"],
  "POST /numbers/:ref/link-page": ["createLinkSession"],
  // It is for the pages alone.
  "POST /numbers/:ref/link-page/look": [],
  "POST /numbers/:ref/link-page/end": [],
  "GET /numbers/:ref/link-page/style.css": [],
  "GET /numbers/:ref/link-page/logo": [],
  "GET /numbers/:ref/events": ["listEvents"],
  "GET /numbers/:ref/events/stream": ["listEvents"],
  "GET /numbers/:ref/events/:id": ["getDelivery", "listDeliveries"],
  "GET /numbers/:ref/events/:id/stream": ["getDelivery", "listDeliveries"],
  "POST /numbers/:ref/events/:id/resend": ["resendEvent"],
  "POST /numbers/:ref/events/:id/retry": ["retryDelivery"],
  "POST /numbers/:ref/events/:id/skip": ["skipDelivery"],
  "GET /numbers/:ref/deliveries": ["listDeliveries", "listEvents"],
  "GET /numbers/:ref/deliveries/stream": ["listDeliveries", "listEvents"],
  "POST /numbers/:ref/deliveries/test": ["testWebhook"],
  "POST /numbers/:ref/deliveries/resend": ["resendSince"],
  "GET /numbers/:ref/webhooks": ["listWebhooks"],
  "POST /numbers/:ref/webhooks": ["createWebhook"],
  "POST /numbers/:ref/webhooks/first/address": ["updateBridge"],
  "POST /numbers/:ref/webhooks/:id/events": ["updateWebhook"],
  "POST /numbers/:ref/webhooks/:id/change": ["updateWebhook"],
  "POST /numbers/:ref/webhooks/:id/healing": ["updateWebhook"],
  "POST /numbers/:ref/webhooks/:id/pause": ["updateWebhook"],
  "POST /numbers/:ref/webhooks/:id/resume": ["updateWebhook"],
  "POST /numbers/:ref/webhooks/:id/test": ["testWebhook"],
  "GET /numbers/:ref/webhooks/:id/secret": ["getWebhook"],
  "POST /numbers/:ref/webhooks/:id/secret/roll": ["rollSecret"],
  "POST /numbers/:ref/webhooks/:id/secret/finish": ["finishSecret"],
  "POST /numbers/:ref/webhooks/:id/remove": ["removeWebhook"],
  "GET /webhooks": ["listAccountWebhooks"],
  "POST /webhooks": ["createAccountWebhook"],
  "POST /webhooks/resend": ["resendEverywhere"],
  "POST /webhooks/:id/events": ["updateAccountWebhook"],
  "POST /webhooks/:id/change": ["updateAccountWebhook"],
  "POST /webhooks/:id/healing": ["updateAccountWebhook"],
  "POST /webhooks/:id/pause": ["updateAccountWebhook"],
  "POST /webhooks/:id/resume": ["updateAccountWebhook"],
  "POST /webhooks/:id/test": ["testWebhook"],
  "GET /webhooks/:id/secret": ["getAccountWebhook"],
  "POST /webhooks/:id/secret/roll": ["rollAccountSecret"],
  "POST /webhooks/:id/secret/finish": ["finishAccountSecret"],
  "POST /webhooks/:id/remove": ["removeAccountWebhook"],
  "GET /chats": ["listBridges"],
  "GET /numbers/:ref/chats": ["listChats"],
  "GET /numbers/:ref/chats/stream": ["listEvents", "listSent"],
  "POST /numbers/:ref/chats/keep": ["updateBridge"],
  "GET /numbers/:ref/chats/:chat": ["listMessages", "listSent", "listEvents", "listHandovers"],
  "GET /numbers/:ref/chats/:chat/files/:id": ["messageMedia"],
  "POST /numbers/:ref/chats/:chat/answer": ["sendText", "sendMedia", "createUpload", "setHandover"],
  "POST /numbers/:ref/chats/:chat/react": ["sendReaction"],
  "POST /numbers/:ref/chats/:chat/read": ["readMessage"],
  "POST /numbers/:ref/chats/:chat/handover": ["setHandover"],
  "GET /numbers/:ref/groups": ["listGroups"],
  "GET /numbers/:ref/groups/:jid": ["getGroup"],
  "POST /numbers/:ref/groups/:jid/leave": ["leaveGroup"],
  "GET /numbers/:ref/chats/:chat/about": ["getContact", "listLabels"],
  "POST /numbers/:ref/chats/:chat/name": ["saveContact"],
  "POST /numbers/:ref/chats/:chat/name/remove": ["forgetContact"],
  "POST /numbers/:ref/chats/:chat/labels": ["labelChat", "unlabelChat", "createLabel"],
  "POST /numbers/:ref/chats/:chat/older": ["askForOlder"],
  "POST /numbers/:ref/chats/:chat/clear": ["clearChat"],
  "POST /numbers/:ref/chats/:chat/delete": ["deleteChat"],
  "GET /numbers/:ref/channels": ["listChannels", "findChannel"],
  "GET /numbers/:ref/channels/:jid": ["getChannel", "listPosts"],
  "POST /numbers/:ref/channels/:jid/follow": ["followChannel"],
  "POST /numbers/:ref/channels/:jid/unfollow": ["unfollowChannel"],
  "POST /numbers/:ref/channels/:jid/posts": ["createPost"],
  "GET /numbers/:ref/planned": ["listPlanned", "listJobs"],
  "POST /numbers/:ref/planned/:id/cancel": ["cancelPlanned"],
  "POST /numbers/:ref/jobs/:id/:act": ["changeJob"],
  "GET /numbers/:ref/log": ["streamLogs"],
  "GET /numbers/:ref/log/stream": ["streamLogs"],
  "GET /numbers/:ref/settings": ["getBridge"],
  // It is for the pages alone.
  "POST /numbers/:ref/settings/name": [],
  "POST /numbers/:ref/settings/events": ["updateBridge"],
  "POST /numbers/:ref/settings/sending": ["updateBridge"],
  "POST /numbers/:ref/settings/keeping": ["updateBridge"],
  "POST /numbers/:ref/settings/store": ["updateBridge"],
  // A program asks its bucket itself.
  "POST /numbers/:ref/settings/store/try": [],
  "POST /numbers/:ref/settings/store/remove": ["updateBridge"],
  // Programs do not pause: they leave a number alone.
  "POST /numbers/:ref/settings/pause": [],
  "POST /numbers/:ref/settings/wake": [],
  "POST /numbers/:ref/settings/unlink": ["logout"],
  "POST /numbers/:ref/settings/delete": ["removeBridge"],
  "GET /keys": ["listKeys", "listBridges"],
  "POST /keys": ["createKey"],
  // A program makes the new one, and removes the old one when it likes.
  "POST /keys/:id/replace": ["createKey"],
  "POST /keys/:id/revoke": ["removeKey"],
  "GET /requests": ["listRequests"],
  "GET /requests/:place": ["listRequests", "listSent"],
  // The call is one of the reference.
  "POST /requests/:place": [],
  "GET /where": ["getMessage", "findMessage", "listEvents", "listContacts", "listSent", "listRequests"],
  "GET /numbers/:ref/messages/:id": ["getMessage", "listEvents", "listRequests"],
  "GET /numbers/:ref/messages/:id/stream": ["getMessage", "listEvents", "listRequests"],
  "GET /numbers/:ref/what-happened": [
    "listEvents",
    "listDeliveries",
    "listSent",
    "listRequests",
    "streamLogs",
  ],
  "GET /usage": ["getUsage", "listBridges"],
  // The calls that can be tried are those of the reference itself.
  "GET /api/docs": ["listKeys"],
  "GET /try/:name": ["listContacts"],
  "POST /try/:name": [],
}

test("everything on a page is a call of the API, but signing in, people and the operator's pages", () => {
  const doors = dashboard.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path}`)
    .filter((door) => !leading.has(door) && !own.some((one) => one.test(door)))
  expect([...new Set(doors)].toSorted()).toEqual(Object.keys(pages).toSorted())
  const named = Object.values(pages).flatMap((calls) => (calls === phone ? [] : calls))
  const known = Object.values(routes).flatMap((group) => Object.keys(group))
  expect(known).toEqual(expect.arrayContaining([...new Set(named)]))
})
