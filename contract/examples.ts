import { type Event, EventType } from "./event.ts"
import type { RouteName } from "./routes.ts"

interface Example {
  /** Parameters of the path and the query, besides `customer_ref`. */
  parameters?: Record<string, string | number>
  body?: unknown
  /** The JSON of a success. */
  answer?: unknown
}

const chat = "491711234567"
const contact = "491711234567@s.whatsapp.net"
const other = "491715555555"
const otherContact = "491715555555@s.whatsapp.net"
const messageId = "3EB0A1B2C3D4E5F6A7B8C9"
const eventId = "evt_aaaaaabkmz4wq2k7x5n3a6t2h7c4s6d3j5y2r7pb"
const sent = { message_id: messageId, chat_id: contact, timestamp: 1_795_166_760 }
const ok = { ok: true }
const label = { id: "3", name: "Pending payment", color: 2 }
const privacy = {
  last_seen: "all",
  online: "all",
  profile_picture: "contacts",
  about: "contacts",
  read_receipts: true,
  groups: "contacts",
  calls: "all",
  messages: "all",
  disappearing: 0,
}

const bridge = {
  id: "7c4b0a52-9d0e-4c53-8a53-5d9f0f6f3f11",
  customer_ref: "shop",
  state: "running",
  created_at: 1_795_080_000,
}
const secret = {
  webhook_secret: "whsec_ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMsIHRoaXM=",
  webhook_url: "https://shop.example/hooks/messages",
}
const chosen = {
  events: ["message", "connected", "disconnected", "poll_vote", "event_response"],
  ignore: ["status"],
  message_status: "counts" as const,
  daily_presence: true,
  link_previews: false,
  media_store: null,
  pacing: { new_chats_a_day: 50, gap_ms: 2000, typing_ms: 1000 },
  proxy_url: null,
  keep: 30 as const,
  history: true,
}

const firstWebhook = {
  id: "first",
  url: secret.webhook_url,
  secret: secret.webhook_secret,
  events: EventType.options,
  ignore: [],
  chats: null,
  headers: {},
  batch: null,
  format: null,
  format_options: {},
  healing: true,
  state: "active",
  created_at: bridge.created_at,
}
const webhook = {
  id: "wh_5d0c7a9be1f24c68",
  url: "https://statistics.example/in",
  secret: "whsec_YW5vdGhlciBleGFtcGxlIG9mIDMyIHJhbmRvbSBieXQ=",
  events: ["message"],
  ignore: ["groups", "status"],
  chats: null,
  headers: { "X-Api-Key": "***" },
  batch: 50,
  format: null,
  format_options: {},
  healing: true,
  state: "active",
  created_at: 1_795_160_000,
}

const accountWebhook = { ...firstWebhook, id: "wha_81c36f2b5a0d9e47", url: "https://statistics.example/all" }

const person = {
  about: "At the market",
  business_address: "",
  business_email: "",
  business_name: "",
  first_name: "Ada",
  full_name: "Ada Lovelace",
  is_business: false,
  jid: contact,
  name: "Ada Lovelace",
  phone: chat,
  redacted_phone: "",
  registered: true,
  username: "ada.lovelace",
  verified_name: "",
}

const channel = {
  jid: "120363041234567890@newsletter",
  name: "The Shop",
  description: "What is new",
  link: "https://whatsapp.com/channel/0029Va4K0PZ5a245NkngBA2M",
  role: "follower" as const,
  followers: 312,
  verified: false,
  muted: false,
  created: 1_795_000_000,
}
const post = {
  channel_id: channel.jid,
  number: 117,
  message_id: messageId,
  type: "text" as const,
  media_type: "" as const,
  body: "The new menu is out",
  timestamp: 1_795_080_020,
}

const group = {
  created: 1_790_000_000,
  jid: "120363041234567890@g.us",
  name: "Regulars",
  participants: 2,
  topic: "New in, before anybody else hears of it",
  owner: "491719876543@s.whatsapp.net",
  role: "owner",
  write: "all",
  edit: "admins",
  add_members: "admins",
  approval: false,
  disappearing: 0,
  is_community: false,
  community: "",
  is_announcements: false,
}

const invite = "https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv"

const attempt = {
  attempt: 1,
  error: "",
  event: "message",
  event_id: eventId,
  latency_ms: 84,
  status_code: 200,
  success: true,
  timestamp: "2026-11-20T09:26:01.207Z",
}

const failed = { ...attempt, error: "server_error", event: "connected", status_code: 500, success: false }

const key = {
  id: "3kT9vQ0xZ1aB",
  name: "till",
  scope: "all",
  customer_refs: ["shop"],
  created_at: 1_795_080_000,
}

/** An example of each event as a webhook receives it. */
export const eventExamples: { [Type in Event["event"]]: Extract<Event, { event: Type }> } = {
  message: {
    event: "message",
    message_id: "3A0F5C7B9D1E2F4A6B8C",
    contact_id: contact,
    phone: chat,
    chat_id: contact,
    name: "Ada",
    body: "Is the blue one still there?",
    type: "text",
    media_type: "",
    is_group: false,
    from_me: false,
    timestamp: 1_795_166_760,
    quoted: {
      message_id: messageId,
      chat_id: contact,
      contact_id: "491719876543@s.whatsapp.net",
      body: "New in",
      type: "text",
    },
  },
  connected: { event: "connected", phone: "491719876543" },
  disconnected: {
    event: "disconnected",
    reason: "logged_out",
    detail: "unlinked on the phone or by the network: link it again",
  },
  typing: { event: "typing", contact_id: contact, chat_id: contact, state: "composing", mode: "text" },
  presence: { event: "presence", contact_id: contact, unavailable: true, last_seen: 1_795_166_700 },
  poll_vote: {
    event: "poll_vote",
    contact_id: contact,
    phone: chat,
    chat_id: contact,
    poll_id: messageId,
    message_id: "3A1B2C3D4E5F60718293",
    name: "Ada",
    from_me: false,
    timestamp: 1_795_166_790,
    selected_options: ["Tuesday"],
  },
  event_response: {
    event: "event_response",
    contact_id: contact,
    phone: chat,
    chat_id: contact,
    event_id: messageId,
    message_id: "3A2B3C4D5E6F70819203",
    name: "Ada",
    from_me: false,
    timestamp: 1_795_166_800,
    response: "going",
    response_time_ms: 1_795_166_799_421,
    extra_guest_count: 1,
  },
  call_incoming: {
    event: "call_incoming",
    call_id: "7F3A9C0D5B1E",
    contact_id: contact,
    chat_id: contact,
    name: "Ada",
    platform: "android",
    timestamp: 1_795_166_810,
  },
  call_terminated: {
    event: "call_terminated",
    call_id: "7F3A9C0D5B1E",
    contact_id: contact,
    chat_id: contact,
    reason: "timeout",
    timestamp: 1_795_166_855,
  },
  offline_sync_preview: {
    event: "offline_sync_preview",
    total: 7,
    messages: 4,
    notifications: 1,
    receipts: 2,
    app_data_changes: 0,
  },
  offline_sync_completed: { event: "offline_sync_completed", count: 7 },
  profile_picture_updated: {
    event: "profile_picture_updated",
    remove: false,
    timestamp: 1_795_166_900,
    picture_id: "1795166900",
  },
  group: {
    event: "group",
    kind: "added",
    chat_id: "120363041234567890@g.us",
    contact_id: contact,
    phone: chat,
    name: "Ada",
    from_me: false,
    timestamp: 1_795_166_920,
    participants: ["491715555555@s.whatsapp.net"],
  },
  media_stored: {
    event: "media_stored",
    message_id: "3EB0A1B2C3D4E5F6A7B8C9",
    chat_id: "491711234567@s.whatsapp.net",
    bucket: "shop-media",
    key: "shop/2026-11-26/0f3b9c1a5d7e4f60a1b2c3d4e5f60718.jpg",
    timestamp: 1_795_080_020,
  },
  channel_post: { event: "channel_post", ...post },
  message_status: {
    event: "message_status",
    message_id: messageId,
    chat_id: contact,
    status: "read",
    timestamp: 1_795_166_772,
  },
  message_lost: {
    event: "message_lost",
    message_id: "3A3C4D5E6F7081920314",
    contact_id: contact,
    phone: chat,
    chat_id: contact,
    name: "Ada",
    is_group: false,
    from_me: false,
    timestamp: 1_795_166_930,
  },
  test: { event: "test", timestamp: 1_795_166_760 },
}

/** A message that was looked up. */
const found = {
  message_id: messageId,
  chat_id: contact,
  contact_id: "491719876543@s.whatsapp.net",
  from_me: true,
  type: "text",
  media_type: "",
  body: "Your order is ready.",
  status: "read",
  sent_at: sent.timestamp,
  delivered_at: 1_795_166_761,
  read_at: eventExamples.message_status.timestamp,
}

/** A message that is kept. */
const question = {
  message_id: "3A1F5B7C9D2E4F60",
  contact_id: contact,
  phone: chat,
  chat_id: contact,
  name: "Ada",
  body: "When can I fetch the cake?",
  type: "text",
  media_type: "",
  is_group: false,
  from_me: false,
  timestamp: 1_795_166_700,
} as const

const plannedSend = {
  id: messageId,
  message_id: messageId,
  chat,
  kind: "text",
  text: "Your appointment is tomorrow at ten.",
  send_at: 1_795_246_200,
  valid_until: 1_795_246_800,
  state: "planned",
}

const job = {
  id: `job_${messageId}`,
  name: "Opening",
  state: "running",
  text: "Hello Ada, we open on Friday at nine.",
  created_at: 1_795_166_760,
  send_at: 1_795_166_760,
  valid_until: 1_795_253_160,
  gap_ms: 5000,
  total: 2,
  sent: 0,
  failed: 0,
  cancelled: 0,
  left: 2,
}

/** A successful call of each route, and its answer. */
export const examples: Record<RouteName, Example> = {
  createBridge: {
    body: { customer_ref: "shop", webhook_url: secret.webhook_url },
    answer: { ...bridge, ...secret },
  },
  listBridges: { parameters: { limit: 100, after: "shop" }, answer: [bridge] },
  getBridge: {
    answer: {
      ...bridge,
      ...secret,
      ...chosen,
      manager: { health: "healthy", started_at: "2026-11-19T09:20:04.118Z", fail_count: 0 },
      explanation: "Connected.",
      reported: { status: "connected", since: 1_795_080_010, phone: "491711234567" },
    },
  },
  updateBridge: {
    body: { webhook_url: secret.webhook_url, ...chosen },
    answer: { ...bridge, ...secret, ...chosen, inbox: false },
  },
  removeBridge: {},
  streamLogs: { parameters: { tail: 100 } },

  status: {
    answer: {
      status: "connected",
      jid: "491719876543@s.whatsapp.net",
      lid: "123456789012345@lid",
      name: "The Shop",
      phone: "491719876543",
    },
  },
  qr: {},
  pair: { body: { phone: "491719876543" }, answer: { code: "ABCD-EFGH" } },
  passkey: {
    body: {
      id: "q83vEjRWeJA",
      rawId: "q83vEjRWeJA",
      type: "public-key",
      response: {
        clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
        authenticatorData: "6GiQbHMCCZZu_0CMVdeBYw",
        signature: "MEUCIQDx_2Xn",
      },
    },
    answer: ok,
  },
  logout: { answer: ok },
  createLinkSession: {
    body: { expected_phone: "491719876543", return_url: "https://shop.example/settings" },
    answer: {
      url: "https://bridge.example/link/3q2-7wEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA",
      expires_at: 1_795_170_360,
    },
  },

  sendText: { body: { chat, body: "Your order is ready." }, answer: sent },
  sendMedia: {
    body: { chat, url: "https://shop.example/pictures/blue.jpg", caption: "The blue one" },
    answer: sent,
  },
  createUpload: {
    body: { content_type: "application/pdf", filename: "invoice-17.pdf", size: 48_213 },
    answer: {
      file: "mN3x8QbX0mJ7cVtY2kLw5g",
      upload: {
        url: "https://bridge.example/uploads",
        fields: { token: "b7Qm0xEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE12" },
      },
      expires_at: 1_795_166_760,
    },
  },
  sendReaction: { body: { chat, emoji: "👍", message_id: "3A0F5C7B9D1E2F4A6B8C" }, answer: sent },
  sendPoll: {
    body: { chat, question: "When may we deliver?", options: ["Monday", "Tuesday"], max_answers: 1 },
    answer: sent,
  },
  sendLocation: {
    body: { chat, lat: 52.5208, lng: 13.4094, name: "The Shop", address: "Alexanderplatz 1, Berlin" },
    answer: sent,
  },
  sendEvent: {
    body: {
      chat,
      name: "Opening",
      description: "Coffee is on us",
      start_time: 1_795_250_000,
      end_time: 1_795_257_200,
    },
    answer: sent,
  },
  sendContact: {
    body: { chat, contacts: [{ name: "Ada Lovelace", phone: "491719876543", organization: "The Shop" }] },
    answer: sent,
  },
  sendForward: { body: { chat, message_id: "3A0F5C7B9D1E2F4A6B8C" }, answer: sent },
  sendStatus: { body: { body: "Open until ten tonight", background: "#205e7a" }, answer: sent },
  sendTyping: { body: { chat, state: "composing" }, answer: ok },
  getMessage: { parameters: { id: messageId }, answer: found },
  findMessage: { parameters: { idempotency_key: "order-17" }, answer: found },
  listSent: {
    parameters: { limit: 50 },
    answer: [
      {
        ...found,
        asked_at: found.sent_at,
        request_id: "5d4e7f0a-3f52-4a0e-9a0c-1f9b1f0f7a11",
        events_before: 41,
      },
    ],
  },
  revokeMessage: {
    parameters: { id: messageId },
    answer: { message_id: "3EB0C9B8A7F6E5D4C3B2A1", chat_id: contact, timestamp: sent.timestamp },
  },
  deleteForMe: { parameters: { id: messageId }, answer: ok },
  editMessage: {
    parameters: { id: messageId },
    body: { chat, body: "Your order is ready at noon." },
    answer: sent,
  },
  pinMessage: { parameters: { id: messageId }, body: { duration: 604_800 }, answer: sent },
  unpinMessage: { parameters: { id: messageId }, answer: sent },
  readMessage: { parameters: { id: "3A0F5C7B9D1E2F4A6B8C" }, body: { chat }, answer: ok },
  messageMedia: { parameters: { id: "3A0F5C7B9D1E2F4A6B8C" } },

  listPlanned: { parameters: { state: "planned", limit: 100 }, answer: [plannedSend] },
  getPlanned: { parameters: { id: messageId }, answer: plannedSend },
  changePlanned: {
    parameters: { id: messageId },
    body: { send_at: 1_795_249_800 },
    answer: { ...plannedSend, send_at: 1_795_249_800, valid_until: 1_795_250_400 },
  },
  cancelPlanned: { parameters: { id: messageId }, answer: ok },
  createJob: {
    body: {
      name: "Opening",
      template: "Hello {{name}}, we open on Friday at nine.",
      messages: [
        { chat, fields: { name: "Ada" } },
        { chat: other, fields: { name: "Grace" } },
      ],
      gap_ms: 5000,
    },
    answer: job,
  },
  listJobs: { answer: [job] },
  getJob: { parameters: { id: job.id }, answer: job },
  changeJob: {
    parameters: { id: job.id },
    body: { state: "paused" },
    answer: { ...job, state: "paused" },
  },

  listChats: {
    parameters: { limit: 50 },
    answer: [
      {
        chat_id: contact,
        name: "Ada Lovelace",
        is_group: false,
        unread: 2,
        marked_unread: false,
        archived: false,
        pinned: true,
        muted: false,
        muted_until: 0,
        last_message_at: 1_795_166_760,
        handover_until: 0,
      },
    ],
  },
  updateChat: {
    parameters: { chat },
    body: { archived: true },
    answer: {
      chat_id: contact,
      name: "Ada Lovelace",
      is_group: false,
      unread: 0,
      marked_unread: false,
      archived: true,
      pinned: false,
      muted: false,
      muted_until: 0,
      last_message_at: 1_795_166_760,
      handover_until: 0,
    },
  },
  clearChat: { parameters: { chat }, answer: ok },
  deleteChat: { parameters: { chat }, answer: ok },
  getChatTimer: { parameters: { chat }, answer: { chat_id: contact, disappearing: 604_800 } },
  setChatTimer: {
    parameters: { chat },
    body: { seconds: 604_800 },
    answer: { chat_id: contact, disappearing: 604_800 },
  },
  listHandovers: { answer: [{ chat_id: contact, until: 1_795_181_160 }] },
  setHandover: {
    parameters: { chat },
    body: { seconds: 14_400 },
    answer: { chat_id: contact, until: 1_795_181_160 },
  },
  listMessages: {
    parameters: { chat, limit: 50 },
    answer: [
      {
        message_id: messageId,
        contact_id: otherContact,
        phone: other,
        chat_id: contact,
        name: "",
        body: "Ready at four.",
        type: "text",
        media_type: "",
        is_group: false,
        from_me: true,
        timestamp: 1_795_166_760,
        status: "read",
      },
      question,
    ],
  },
  searchMessages: {
    parameters: { words: "cake", chat },
    answer: [question],
  },
  listLabels: { answer: [label] },
  createLabel: { body: { name: label.name, color: label.color }, answer: label },
  updateLabel: { parameters: { id: label.id }, body: { color: 4 }, answer: { ...label, color: 4 } },
  removeLabel: { parameters: { id: label.id }, answer: ok },
  listLabelled: {
    parameters: { id: label.id },
    answer: [{ chat_id: contact }, { chat_id: otherContact, message_id: messageId }],
  },
  labelChat: { parameters: { id: label.id, chat }, answer: ok },
  unlabelChat: { parameters: { id: label.id, chat }, answer: ok },
  askForOlder: {
    parameters: { chat },
    body: { count: 50 },
    answer: {
      state: "came",
      messages: [
        {
          message_id: "3A1F5B7C9D2E4F60",
          contact_id: contact,
          phone: chat,
          chat_id: contact,
          name: "Ada",
          body: "Do you bake for weddings?",
          type: "text",
          media_type: "",
          is_group: false,
          from_me: false,
          timestamp: 1_794_000_000,
        },
      ],
      is_end: false,
    },
  },
  rejectCall: { parameters: { id: "7F3A9C0D5B1E" }, body: { contact_id: contact }, answer: ok },

  listContacts: { parameters: { limit: 100, after: "491710000000@s.whatsapp.net" }, answer: [person] },
  listBlocked: { answer: [{ jid: otherContact, phone: other }] },
  blockContact: { parameters: { jid: other }, answer: ok },
  unblockContact: { parameters: { jid: other }, answer: ok },
  checkContacts: {
    body: { phones: [chat] },
    answer: [
      {
        is_business: false,
        is_on_whatsapp: true,
        jid: contact,
        phone: chat,
        registered: true,
        verified_name: "",
      },
    ],
  },
  getContact: { parameters: { jid: contact }, answer: person },
  saveContact: {
    parameters: { jid: contact },
    body: { full_name: person.full_name, first_name: person.first_name },
    answer: person,
  },
  forgetContact: { parameters: { jid: contact }, answer: ok },
  contactAvatar: { parameters: { jid: contact } },
  listGroups: { parameters: { limit: 100 }, answer: [group] },
  getGroup: {
    parameters: { jid: group.jid },
    answer: {
      ...group,
      members: [
        { jid: "491719876543@s.whatsapp.net", phone: "491719876543", role: "owner" },
        { jid: contact, phone: chat, role: "member" },
      ],
    },
  },
  createGroup: {
    body: { name: group.name, topic: group.topic, members: [chat], edit: "admins" },
    answer: { group, members: [{ jid: contact, phone: chat, outcome: "added" }] },
  },
  lookAtInvite: { parameters: { link: invite }, answer: { ...group, role: "" } },
  joinGroup: { body: { link: invite }, answer: { jid: group.jid, joined: true } },
  getInvite: { parameters: { jid: group.jid }, answer: { link: invite } },
  revokeInvite: { parameters: { jid: group.jid }, answer: { link: invite } },
  listJoinRequests: {
    parameters: { jid: group.jid },
    answer: [{ jid: contact, phone: chat, requested_at: 1_795_166_760 }],
  },
  approveRequests: {
    parameters: { jid: group.jid },
    body: { members: [chat] },
    answer: [{ jid: contact, phone: chat, outcome: "approved" }],
  },
  rejectRequests: {
    parameters: { jid: group.jid },
    body: { members: [chat] },
    answer: [{ jid: contact, phone: chat, outcome: "rejected" }],
  },
  updateGroup: {
    parameters: { jid: group.jid },
    body: { name: group.name, topic: group.topic, write: "all", approval: false },
    answer: group,
  },
  leaveGroup: { parameters: { jid: group.jid }, answer: ok },
  groupAvatar: { parameters: { jid: group.jid } },
  setGroupAvatar: {
    parameters: { jid: group.jid },
    body: { url: "https://shop.example/logo.jpg" },
    answer: { picture_id: "1795166900" },
  },
  removeGroupAvatar: { parameters: { jid: group.jid }, answer: ok },
  addMembers: {
    parameters: { jid: group.jid },
    body: { members: [chat, other], invite: false },
    answer: [
      { jid: contact, phone: chat, outcome: "added" },
      { jid: otherContact, phone: other, outcome: "refused", reason: "privacy", network_code: 403 },
    ],
  },
  removeMembers: {
    parameters: { jid: group.jid },
    body: { members: [chat] },
    answer: [{ jid: contact, phone: chat, outcome: "removed" }],
  },
  promoteMembers: {
    parameters: { jid: group.jid },
    body: { members: [chat] },
    answer: [{ jid: contact, phone: chat, outcome: "promoted" }],
  },
  demoteMembers: {
    parameters: { jid: group.jid },
    body: { members: [chat] },
    answer: [{ jid: contact, phone: chat, outcome: "demoted" }],
  },

  getProfile: {
    answer: {
      about: "Open until six",
      jid: "491719876543@s.whatsapp.net",
      name: "The Shop",
      phone: "491719876543",
    },
  },
  listChannels: { answer: [channel] },
  findChannel: { parameters: { link: channel.link }, answer: { ...channel, role: "none" } },
  getChannel: { parameters: { jid: channel.jid }, answer: channel },
  followChannel: { parameters: { jid: channel.jid }, answer: ok },
  unfollowChannel: { parameters: { jid: channel.jid }, answer: ok },
  listPosts: { parameters: { jid: channel.jid }, answer: [{ ...post, views: 1204 }] },
  createPost: {
    parameters: { jid: channel.jid },
    body: { body: post.body },
    answer: { ...sent, chat_id: channel.jid },
  },
  reactToPost: { parameters: { jid: channel.jid, number: "117" }, body: { emoji: "👍" }, answer: ok },
  setAbout: { body: { status: "Open until six" }, answer: ok },
  setName: { body: { name: "The Shop" }, answer: ok },
  ownAvatar: {},
  setAvatar: { body: { url: "https://shop.example/logo.jpg" }, answer: { picture_id: "1795166900" } },
  removeAvatar: { answer: ok },
  profileQr: { answer: { link: "https://wa.me/qr/EXAMPLE0EXAMPLE" } },
  statusPrivacy: { answer: [{ is_default: true, list: [], type: "contacts" }] },

  getPrivacy: { answer: privacy },
  updatePrivacy: {
    body: { last_seen: "contacts", read_receipts: false },
    answer: { ...privacy, last_seen: "contacts", read_receipts: false },
  },

  setPresence: { body: { state: "available" }, answer: ok },
  subscribePresence: { body: { chat }, answer: ok },

  webhookLogs: { answer: [attempt] },
  listEvents: {
    parameters: { state: "undelivered", limit: 100 },
    answer: [
      {
        event_id: eventId,
        state: "undelivered",
        created_at: eventExamples.message.timestamp,
        event: eventExamples.message,
      },
    ],
  },
  resendEvent: { parameters: { event_id: eventId }, answer: ok },
  testWebhook: { answer: { ...attempt, event: "test" } },
  listDeliveries: {
    answer: {
      waiting: 3,
      resending: 0,
      head: eventId,
      oldest_at: 1_795_166_760,
      next_attempt_at: 1_795_166_800,
      failing_since: 1_795_166_761,
      attempts: [failed],
    },
  },
  getDelivery: {
    parameters: { event_id: eventId },
    answer: {
      event_id: eventId,
      state: "pending",
      created_at: 1_795_166_760,
      headers: { authorization: "Bearer ***", "x-webhook-event-id": eventId, "x-webhook-attempt": "1" },
      body: JSON.stringify(eventExamples.connected),
      attempts: [
        {
          ...failed,
          resend: false,
          url: secret.webhook_url,
          answer: "database is locked",
          answer_headers: { "content-type": "text/plain" },
        },
      ],
    },
  },
  retryDelivery: { parameters: { event_id: eventId }, answer: ok },
  skipDelivery: { parameters: { event_id: eventId }, answer: ok },
  resendSince: { body: { since: 1_795_160_000 }, answer: { ok: true, count: 42 } },
  resendEverywhere: {
    body: { since: 1_795_160_000, until: 1_795_163_600 },
    answer: {
      ok: true,
      count: 42,
      requested: [{ customer_ref: "shop", webhook: "first", count: 42, all: true }],
    },
  },
  listWebhooks: { answer: [firstWebhook, webhook] },
  createWebhook: {
    body: {
      url: webhook.url,
      events: ["message"],
      ignore: ["groups", "status"],
      headers: { "X-Api-Key": "4d2f0c9e71" },
      batch: 50,
    },
    answer: webhook,
  },
  getWebhook: { parameters: { webhook_id: webhook.id }, answer: webhook },
  updateWebhook: {
    parameters: { webhook_id: webhook.id },
    body: { state: "paused" },
    answer: { ...webhook, state: "paused" },
  },
  removeWebhook: { parameters: { webhook_id: webhook.id } },
  rollSecret: {
    answer: { webhook_secret: secret.webhook_secret, overlap_until: 1_795_253_160 },
  },
  finishSecret: { answer: ok },
  listAccountWebhooks: { answer: [accountWebhook] },
  createAccountWebhook: { body: { url: accountWebhook.url }, answer: accountWebhook },
  getAccountWebhook: { parameters: { webhook_id: accountWebhook.id }, answer: accountWebhook },
  updateAccountWebhook: {
    parameters: { webhook_id: accountWebhook.id },
    body: { state: "paused" },
    answer: { ...accountWebhook, state: "paused" },
  },
  removeAccountWebhook: { parameters: { webhook_id: accountWebhook.id } },
  rollAccountSecret: {
    parameters: { webhook_id: accountWebhook.id },
    answer: { webhook_secret: secret.webhook_secret, overlap_until: 1_795_253_160 },
  },
  finishAccountSecret: { parameters: { webhook_id: accountWebhook.id }, answer: ok },

  getAccount: {
    answer: {
      id: "0f2d7c1e-6b1f-4a77-9b2f-0d6c3a1f5e22",
      name: "The Shop",
      subscription: "active",
      bridges: 1,
      bridge_limit: 10,
      created_at: bridge.created_at,
    },
  },
  listKeys: { answer: [key] },
  getUsage: {
    parameters: { from: "2026-11-01", to: "2026-11-30" },
    answer: [
      {
        date: "2026-11-20",
        customer_ref: "shop",
        events: 1840,
        messages: 1602,
        messages_in: 1566,
        messages_out: 410,
        undelivered: 1,
        attempts: 1851,
        success: 0.994,
        p95_ms: 100,
      },
    ],
  },
  listRequests: {
    parameters: { refused: "true" },
    answer: [
      {
        request_id: "5d4e7f0a-3f52-4a0e-9a0c-1f9b1f0f7a11",
        timestamp: "2026-11-20T09:26:00.123Z",
        method: "POST",
        path: "/api/instances/shop/proxy/send/text",
        status: 400,
        code: "invalid_request",
        error: "body: is missing",
        key_id: key.id,
        key_name: key.name,
        ms: 3,
        left_out: 0,
      },
    ],
  },
  createKey: {
    body: { name: "till", scope: "all", customer_refs: ["shop"] },
    answer: { ...key, key: "mbk_3kT9vQ0xZ1aB_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE00" },
  },
  removeKey: { parameters: { id: key.id } },

  healthz: { answer: ok },
  debugStats: {
    answer: {
      gc_cycles: 412,
      client_expires_at: 0,
      goroutines: 9,
      heap_alloc_mb: 61.4,
      heap_objects: 380,
      heap_sys_mb: 84.25,
      media_cache_size: 3,
      next_gc_mb: 2096,
      total_alloc_mb: 148.9,
    },
  },
}
