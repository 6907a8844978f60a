import { expect, test } from "vitest"
import type { z } from "zod"
import { examples } from "#contract/examples.ts"
import { type RouteName, routes } from "#contract/routes.ts"
import "#core/platform/zod-sentences.ts"

interface Declared {
  request?: { query?: z.ZodType; body?: { content: { "application/json": { schema: z.ZodType } } } }
}
// As declared there.
const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Declared][]

const group = "120363041234567890@g.us"
const vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD"
const card = (more: object) => ({ contacts: [{ name: "Ada", ...more }] })
const link = "https://example.com/a"

/**
 * Of each body: what does not fit together, and the field whose sentence says so. A route is here with an
 * empty list if each of its fields stands by itself.
 */
const unfit: Partial<Record<RouteName, [fields: object, at: string][]>> = {
  createBridge: [],
  updateBridge: [
    [{ history: true, keep: null }, "history"],
    [{ message_status: "participants", events: ["message"] }, "message_status"],
    [{ message_status: "participants", events: null }, "message_status"],
  ],
  pair: [],
  passkey: [],
  createLinkSession: [],
  sendText: [
    [{ body: "no link", preview: { url: link, title: "x" } }, "preview"],
    [{ body: link, preview: { url: link, title: "x" }, link_preview: true }, "link_preview"],
  ],
  sendMedia: [
    [{ url: undefined }, "url"],
    [{ url: link, file: "mN3x8QbX0mJ7cVtY2kLw5g" }, "url"],
    [{ url: undefined, file: "A".repeat(22), content_type: "image/png" }, "content_type"],
    [{ url: undefined, data: "AAAA" }, "content_type"],
    [{ as_voice: true, as_sticker: true, caption: undefined }, "as_voice"],
    [{ view_once: true, as_sticker: true, caption: undefined }, "view_once"],
    [{ as_document: true, as_voice: true, caption: undefined }, "as_document"],
    ...["as_document", "as_voice", "as_sticker", "view_once"].map((flag): [object, string] => [
      { caption: undefined, gif_playback: true, [flag]: true },
      "gif_playback",
    ]),
    ...["as_document", "as_voice", "as_sticker", "gif_playback"].map((flag): [object, string] => [
      { caption: undefined, video_note: true, [flag]: true },
      "video_note",
    ]),
    [{ caption: "x", video_note: true }, "video_note"],
    [{ as_document: true, as_sticker: true, caption: undefined }, "as_document"],
    [{ as_document: true, view_once: true, caption: undefined }, "view_once"],
    [{ caption: "x", as_voice: true }, "caption"],
    [{ caption: "x", as_sticker: true }, "caption"],
    ...["as_voice", "as_sticker", "view_once"].map((flag): [object, string] => [
      { caption: undefined, filename: "a.pdf", [flag]: true },
      "filename",
    ]),
  ],
  createUpload: [],
  sendReaction: [],
  sendPoll: [[{ options: ["a", "b"], max_answers: 3 }, "max_answers"]],
  sendLocation: [],
  sendEvent: [
    [{ start_time: 1_900_000_000, end_time: 1_800_000_000 }, "end_time"],
    [{ has_reminder: undefined, reminder_offset_sec: 600 }, "reminder_offset_sec"],
    [{ has_reminder: false, reminder_offset_sec: 600 }, "reminder_offset_sec"],
  ],
  sendContact: [
    [card({}), "contacts.0.phone"],
    [card({ phone: "491711234567", vcard }), "contacts.0.phone"],
    [card({ organization: "The Shop", vcard }), "contacts.0.organization"],
    [card({ email: "ada@example.com", vcard }), "contacts.0.email"],
  ],
  sendForward: [],
  sendStatus: [
    [{ body: undefined, background: undefined }, "body"],
    [{ url: link, data: "AAAA", content_type: "image/png", background: undefined }, "body"],
    [{ content_type: "image/png" }, "content_type"],
  ],
  sendTyping: [],
  editMessage: [],
  pinMessage: [],
  readMessage: [],
  setHandover: [],
  changePlanned: [],
  createJob: [],
  changeJob: [],
  askForOlder: [],
  createPost: [],
  reactToPost: [],
  updateChat: [
    [
      { archived: undefined, pinned: undefined, muted: undefined, muted_until: undefined, unread: undefined },
      "",
    ],
    [{ muted: undefined, muted_until: 1_900_000_000 }, "muted_until"],
    [{ muted: false, muted_until: 1_900_000_000 }, "muted_until"],
    [{ archived: true, pinned: true }, "pinned"],
  ],
  rejectCall: [],
  checkContacts: [],
  createGroup: [],
  joinGroup: [],
  updateGroup: [],
  setGroupAvatar: [],
  addMembers: [],
  removeMembers: [],
  promoteMembers: [],
  demoteMembers: [],
  approveRequests: [],
  rejectRequests: [],
  setAbout: [],
  setName: [],
  updatePrivacy: [[{ last_seen: undefined, read_receipts: undefined }, ""]],
  setChatTimer: [],
  saveContact: [],
  createLabel: [],
  updateLabel: [[{ color: undefined }, ""]],
  setAvatar: [],
  setPresence: [],
  subscribePresence: [],
  resendSince: [],
  resendEverywhere: [],
  createWebhook: [
    [{ ignore: ["groups"], chats: [group] }, "ignore"],
    [{ events: ["connected", "presence"], chats: ["491711234567"] }, "events"],
  ],
  updateWebhook: [
    [{ state: undefined }, ""],
    [{ ignore: ["groups"], chats: [group] }, "ignore"],
    [{ events: ["connected"], chats: ["491711234567"] }, "events"],
  ],
  createAccountWebhook: [
    [{ ignore: ["groups"], chats: [group] }, "ignore"],
    [{ events: ["connected", "presence"], chats: ["491711234567"] }, "events"],
  ],
  updateAccountWebhook: [
    [{ state: undefined }, ""],
    [{ ignore: ["groups"], chats: [group] }, "ignore"],
    [{ events: ["connected"], chats: ["491711234567"] }, "events"],
  ],
  createKey: [
    [{ customer_ref: "shop" }, ""],
    [{ bridges: ["shop"] }, ""],
    [{ customer_refs: [] }, "customer_refs"],
    [{ chats: [] }, "chats"],
  ],
}

/** The same of queries. */
const unfitQueries: Partial<Record<RouteName, [fields: object, at: string][]>> = {
  listEvents: [[{ webhook: "wh_5d0c7a9be1f24c68" }, "webhook"]],
  listMessages: [[{ since: "200", until: "100" }, "until"]],
}

function issuesAt(schema: z.ZodType, given: object): string[] {
  return (schema.safeParse(given).error?.issues ?? []).map(({ path }) => path.join("."))
}

test("of each body it is known which of its fields need or forbid another", () => {
  const withBody = all.flatMap(([name, { request }]) => (request?.body ? [name] : []))
  expect(Object.keys(unfit).toSorted()).toEqual(withBody.toSorted())
})

test.each(all.filter(([name]) => (unfit[name] ?? []).length > 0))(
  "%s refuses, at the field, each body whose fields do not fit together, and takes the example",
  (name, { request }) => {
    const { schema } = request!.body!.content["application/json"]
    const { body } = examples[name]
    expect(issuesAt(schema, body as object)).toEqual([])
    for (const [fields, at] of unfit[name]!)
      expect([fields, issuesAt(schema, { ...(body as object), ...fields })]).toEqual([fields, [at]])
  },
)

test.each(all.filter(([name]) => unfitQueries[name]))("%s refuses such a query", (name, { request }) => {
  for (const [fields, at] of unfitQueries[name]!)
    expect([fields, issuesAt(request!.query!, fields)]).toEqual([fields, [at]])
})
