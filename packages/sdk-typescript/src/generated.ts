// Generated from the contract by `npm run clients:generate`. Do not edit.

import type { CallOptions, Listing, SendOptions } from "./call.ts"

/** A message that came in, or that was written on the phone or another of its devices. Messages sent through this API do not come back. */
export interface MessageEvent {
  event: "message"
  message_id: string
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** Its text: the caption of media, the question of a poll, the names on contact cards, the lines of a business's message. */
  body: string
  /** `unknown`: this release cannot read it, or only the phone shows it (`placeholderMessage`). `unknown_kind` names its kind, and `body` has its text, as far as one can be found. `target_id` is there if it is about another message. Once a later release can read it, an event with `edit` follows. */
  type: "text" | "media" | "reaction" | "poll" | "location" | "event" | "contact" | "unknown"
  /** The name of the kind in the network's protocol, if `type` is `unknown`; of any other message: that of a part which this release does not read beside the rest. */
  unknown_kind?: string
  /** The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither its file nor its caption, so `messages/{id}/media` answers 404. */
  media_type: "" | "image" | "video" | "audio" | "voice" | "document" | "sticker"
  is_group: boolean
  /** Written on the phone of this session, or another of its devices. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  /** The caption of media. */
  caption?: string
  /** The file of media, as its sender describes it. */
  file?: {
    /** The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\`; `""` without one. */
    name: string
    content_type: string
    /** Bytes; 0: the sender did not say. */
    size: number
    /** How long an audio or a video plays. */
    seconds?: number
    /** In pixels. */
    width?: number
    /** In pixels. */
    height?: number
    /** How many pages a document has. */
    pages?: number
    /** How loud a voice note is over its time: mostly 64 values from 0 to 100. */
    waveform?: number[]
    /** A video that plays by itself, again and again, without sound. */
    gif?: true
    /** Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so. */
    stored_as?: {
      bucket: string
      key: string
      /** Of `link` `presigned`: good for seven days. */
      url?: string
    }
    /** A video that phones show as a circle. */
    video_note?: true
  }
  /** The message may be viewed once. */
  view_once?: true
  /** The message that this one replies to. */
  quoted?: {
    message_id: string
    /** Where it was written: `status@broadcast` where somebody answers a status. */
    chat_id: string
    /** Who wrote it. */
    contact_id: string
    /** The first 4,096 characters of its text, as quoted by the sender of the reply. */
    body: string
    /** As `type` of a message; `""` for every other kind. */
    type: string
  }
  /** JIDs of the people whom the text mentions. */
  mentions?: string[]
  /** The groups that the text mentions, each as `@` and its JID. */
  mentioned_groups?: ({
    jid: string
    /** As the sender gives it. */
    name: string
  })[]
  /** The text mentions everybody in the group. */
  mentions_all?: true
  forwarded?: true
  reaction?: {
    /** `""`: the reaction was removed. */
    emoji: string
    /** The message that it reacts to. */
    message_id: string
    /** Where that message was written: `status@broadcast` if it is a status. */
    chat_id: string
    /** Who wrote that message. */
    contact_id: string
  }
  /** This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it is pinned in the chat (unpinning gives no event). Where `target_id` is the message's own id, this is that message, as it is now. */
  edit?: "edit" | "revoke" | "pin"
  /** The message that an edit, revoke, pin, reaction or `unknown` message refers to. */
  target_id?: string
  /** What the sender's phone shows of a link in the text. */
  preview?: {
    /** The link, as it stands in the text. */
    url: string
    title: string
    description: string
  }
  location?: {
    lat: number
    lng: number
    name: string
    address: string
    /** The sender shares where they are for some time: the place moves. */
    live?: true
    /** How exact a live place is, in metres. */
    accuracy_m?: number
  }
  /** The options of a poll. */
  options?: string[]
  /** How many options of a poll one person may choose; 0: any number. */
  max_answers?: number
  /** The right answer of a quiz. */
  correct_option?: string
  /** The results of a poll, where it shows them. */
  results?: ({
    option: string
    votes: number
  })[]
  event_details?: {
    name: string
    description: string
    /** Unix seconds. */
    start_time: number
    /** Unix seconds; 0: none was given. */
    end_time: number
    join_link: string
    location?: {
      lat: number
      lng: number
      name: string
      address: string
    }
    is_canceled?: true
  }
  contacts?: ({
    name: string
    /** Its numbers, as they are written on the card. */
    phones: string[]
    /** Those of its numbers that the sender's phone has found on the network, as digits: a `chat`. */
    on_whatsapp?: string[]
    /** The whole card (RFC 6350). */
    vcard: string
  })[]
  /** What people can tap in a business's message, and what surrounds its text. */
  interactive?: {
    /** The line above the text. */
    title?: string
    /** The line below the text. */
    footer?: string
    buttons?: ({
      /** The `tapped.id` of the message that comes when a person taps it; `""` if none comes. */
      id: string
      text: string
      /** Opens this address. */
      url?: string
      /** Calls this number. */
      phone?: string
      /** Copies this text, such as a one-time code. */
      code?: string
    })[]
    /** The rows of a list to choose from. */
    sections?: ({
      title: string
      rows: ({
        id: string
        title: string
        description: string
      })[]
    })[]
    /** The cards of a carousel. */
    cards?: ({
      title: string
      body: string
      footer: string
      buttons: ({
        /** The `tapped.id` of the message that comes when a person taps it; `""` if none comes. */
        id: string
        text: string
        /** Opens this address. */
        url?: string
        /** Calls this number. */
        phone?: string
        /** Copies this text, such as a one-time code. */
        code?: string
      })[]
      /** Its picture, video or document: `messages/{id}/media` gives it for `card`. */
      file?: {
        /** The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\`; `""` without one. */
        name: string
        content_type: string
        /** Bytes; 0: the sender did not say. */
        size: number
      }
    })[]
    /** An offer that ends. */
    offer?: {
      text: string
      /** What is to be named for it. */
      code?: string
      url?: string
      /** Unix seconds. */
      expires_at?: number
    }
  }
  /** This message is somebody's choice in an earlier one, which `quoted` names. */
  tapped?: {
    /** The id of the button or row. */
    id: string
    /** The label of the button or row. */
    text: string
    description?: string
    /** What a form was filled in with, by the names of its fields. */
    answers?: Record<string, unknown>
  }
  order?: {
    id: string
    /** The network's token of the order. */
    token: string
    title: string
    item_count: number
    /** How far it is, as the network gives it, such as `shipped`. */
    status?: string
    /** What the business writes about that. */
    description?: string
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  product?: {
    /** `""`: the message shows a whole catalogue. */
    id: string
    title: string
    description: string
    /** The seller's own number of it. */
    retailer_id: string
    url: string
    /** JID of the business that sells it. */
    seller_id: string
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  invitation?: {
    to: "group" | "channel" | "event"
    /** JID of the group or channel, id of the event. */
    id: string
    name: string
    /** With it, `groups/join` joins the group; `""` for others. */
    code: string
    /** Unix seconds. */
    expires_at?: number
  }
  payment?: {
    /** `details`: how the sender wants to be paid. */
    kind: "request" | "sent" | "declined" | "cancelled" | "invitation" | "reminder" | "split" | "details"
    /** Of `details`. */
    methods?: ({
      /** As the network gives it, such as `pix_static_code`. */
      type: string
      /** What is paid with: a Pix key or code, the line of a boleto, a link. */
      code: string
      /** Of a Pix key, as the network gives it, such as `EMAIL`. */
      key_type?: string
      /** Who is paid; `""`: the sender does not say. */
      name: string
    })[]
    /** The message id of the request that it answers. */
    request_id?: string
    /** Unix seconds. */
    expires_at?: number
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  /** The ad or post that brought the sender here. */
  ad?: {
    title: string
    body: string
    /** As the network gives it: `ad`, `post`. */
    source_type: string
    /** The id of the ad or post. */
    source_id: string
    source_url: string
    /** Meta's id of the click (`ctwa_clid`). */
    click_id: string
    /** Where the chat was begun, as the network gives it, such as `ctwa_ad`. */
    entry_point: string
    /** The app in which it was seen, such as `instagram`. */
    app: string
    utm_source?: string
    utm_campaign?: string
  }
  part_of?: {
    /** The message to which it belongs; the pictures of an album share one. */
    message_id: string
    /** `hd`: the same picture or video once more, in high definition. */
    as: "album" | "hd" | "event_cover" | "poll_option" | "motion_photo" | "status" | "other"
  }
  /** The message is too large for an event: its longest texts are cut, its longest lists end early. */
  cut?: true
  /** The chat's timer, in seconds, when it was written. */
  disappears_after?: number
  /** The message was written to be sent at this time. Unix seconds. */
  scheduled_for?: number
  /** It happened while the session was offline. */
  offline?: true
  /** A person answers in this chat now: `setHandover`, or somebody in the dashboard, has said so. Your program should be silent. */
  handover?: true
  /** Sent to a broadcast list, or posted as a status. */
  is_broadcast?: true
  /** Posted as a status of the group. */
  is_group_status?: true
  /** The sender is a business whose name the network has verified. */
  verified_business?: true
}

/** Somebody wrote a message that this session cannot read: the network gave only a placeholder, and the phone, asked for it again and again, has not given it in two days, or was logged out before. It can be read on the phone. It comes only if `events` of the bridge names it. If the phone gives the message after all, its event `message` follows. */
export interface MessageLostEvent {
  event: "message_lost"
  message_id: string
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  is_group: boolean
  /** Written on the phone of this session, or another of its devices. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  /** It happened while the session was offline. */
  offline?: true
}

/** The session is up: after a phone was linked, and after every `disconnected`. A restart that is over within ten seconds gives no event. */
export interface ConnectedEvent {
  event: "connected"
  /** Digits; `""` where the number is not known. */
  phone: string
}

/** The session is down. With a `reason` it stays so until you act. Without one, the connection has been gone for ten seconds, and the session connects again by itself. */
export interface DisconnectedEvent {
  event: "disconnected"
  reason?: "logged_out" | "stream_replaced"
  /** A sentence for people. It says, too, if the network has locked or banned the account, or banned it for some time. */
  detail?: string
}

/** Somebody begins or stops to type or record: a contact that was subscribed with `presence/subscribe`, or anybody in a group. */
export interface TypingEvent {
  event: "typing"
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  state: "composing" | "paused"
  mode: "text" | "voice"
}

/** A contact that was subscribed with `presence/subscribe` came online or left. */
export interface PresenceEvent {
  event: "presence"
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  unavailable: boolean
  /** Unix seconds; absent where it is hidden. */
  last_seen?: number
}

/** A vote on a poll, or a change of one. A vote on a poll that this session does not know cannot be read: it is a line in the bridge's log, and no event. */
export interface PollVoteEvent {
  event: "poll_vote"
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The message id of the poll. */
  poll_id: string
  /** The message id of the vote. */
  message_id: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** Written on the phone of this session, or another of its devices. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  /** Everything that is selected now; empty if the vote was withdrawn. */
  selected_options: string[]
  /** It happened while the session was offline. */
  offline?: true
}

/** An answer to an event message, such as `send/event` sends. */
export interface EventResponseEvent {
  event: "event_response"
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The message id of the event message. */
  event_id: string
  /** The message id of the answer. */
  message_id: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** Written on the phone of this session, or another of its devices. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  response: "going" | "not_going" | "maybe" | "unknown"
  /** Unix milliseconds. */
  response_time_ms: number
  /** How many more people will come along. */
  extra_guest_count: number
  /** It happened while the session was offline. */
  offline?: true
}

/** Somebody calls. `calls/{id}/reject` declines the call; only the phone can answer it. */
export interface CallIncomingEvent {
  event: "call_incoming"
  call_id: string
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** As the network gives it, else `unknown`. */
  platform: string
  video?: true
  /** Unix seconds. */
  timestamp: number
}

/** A call is over, whoever ended it. One event for each call. */
export interface CallTerminatedEvent {
  event: "call_terminated"
  call_id: string
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** `accept_elsewhere`: it was answered on the phone or another of its devices. */
  reason: "timeout" | "hangup" | "decline" | "busy" | "accept_elsewhere"
  /** Unix seconds. */
  timestamp: number
}

/** Catching up begins: how much the network has kept while the session was offline. The kept messages follow. */
export interface OfflineSyncPreviewEvent {
  event: "offline_sync_preview"
  total: number
  messages: number
  notifications: number
  receipts: number
  app_data_changes: number
}

/** Catching up is over. This comes each time the session connects, including after a restart; `count` is 0 if there was nothing to catch up on. */
export interface OfflineSyncCompletedEvent {
  event: "offline_sync_completed"
  /** How many things the network had kept. */
  count: number
}

/** The session's own picture was changed or removed. */
export interface ProfilePictureUpdatedEvent {
  event: "profile_picture_updated"
  remove: boolean
  /** Unix seconds. */
  timestamp: number
  picture_id?: string
}

/** Something has changed in a group that the account is in, or its membership of one. It comes only if `events` of the bridge names it. Changes that were made through this API come as well, as the network tells of them. */
export interface GroupEvent {
  event: "group"
  /** `joined`: by a link or an invitation; otherwise somebody has `added` them. `removed`: by somebody else than who has `left`. `subject` and `description`: the group has another name or topic. `settings`: others may do something now. `link`: the link was revoked, and there is a new one. `request`: somebody asks to join. `request_over`: they have withdrawn that, or an admin has turned them away. */
  kind: "created" | "added" | "joined" | "left" | "removed" | "promoted" | "demoted" | "subject" | "description" | "picture" | "settings" | "link" | "request" | "request_over" | "deleted"
  /** JID of the group. */
  chat_id: string
  /** JID of the person who made the change, as in other events; `""` if the network does not say. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** That person's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** The session's own account made the change, on its phone, another device or through this API. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  /** JIDs of the people whom it concerns, in the form of `contact_id`; of `created`: the first members. */
  participants?: string[]
  /** The group's name: of `subject`, and where the account has come into the group. */
  subject?: string
  /** The group's topic; `""`: it was removed. */
  description?: string
  /** Of `picture`; absent: it was removed. */
  picture_id?: string
  /** What was changed. */
  settings?: {
    /** Who may write. */
    write?: "all" | "admins"
    /** Who may change name, topic, picture and disappearing messages. */
    edit?: "all" | "admins"
    /** Who may add members. */
    add_members?: "all" | "admins"
    /** Whether admins decide about those who come by the link. */
    approval?: boolean
    /** After how many seconds messages disappear; 0: they do not. */
    disappearing?: number
  }
  link?: string
  /** It happened while the session was offline. */
  offline?: true
}

/** What has become of a message that was sent through this API. It comes only if `events` of the bridge names it. A status comes once, and never after a later one. In a group, `delivered`, `read` and `played` come when the first member has come as far, the second, the fourth, the eighth and so on, and when all have. */
export interface MessageStatusEvent {
  event: "message_status"
  /** As the send has answered. */
  message_id: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** `sent`: the network has it. `delivered`: it is on a phone of the recipient's. `read`. `played`: a voice note or a video was played. `failed`: the network rejected it, and nothing follows. `sent` or `failed` comes first. Who has read a message has received it: `delivered` may then be missing. */
  status: "sent" | "delivered" | "read" | "played" | "failed"
  /** Unix seconds, by the network's clock. */
  timestamp: number
  /** In a group: how many members have come as far, those who have come further included. */
  counts?: {
    /** The members to whom it was sent, without this session. */
    recipients: number
    delivered: number
    read: number
    played: number
  }
  /** In a group, if `message_status` of the bridge is `participants`: JIDs of the members whose receipts made this event. */
  participants?: string[]
  /** Of `failed`: a sentence for people. */
  reason?: string
  /** Of `failed`: the network's number of the reason. */
  network_code?: number
}

/** The file of an earlier message is in your own S3, or was given up. Only a bridge with a `media_store` has these. */
export interface MediaStoredEvent {
  bucket: string
  key: string
  /** Of `link` `presigned`: good for seven days. */
  url?: string
  event: "media_stored"
  /** The message whose file it is. */
  message_id: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** Unix seconds. */
  timestamp: number
  /** Why the file is not there, and will not be, in a sentence; absent: it is there. `messages/{id}/media` still gives it. */
  error?: string
}

/** A channel that the account follows has a new post. It comes only if `events` of the bridge names it. */
export type ChannelPostEvent = ChannelPost & {
  event: "channel_post"
}

export interface ChannelPost {
  /** JID of the channel. */
  channel_id: string
  /** The network's number of it in this channel: later ones have higher numbers. */
  number: number
  message_id: string
  type: "text" | "media" | "reaction" | "poll" | "location" | "event" | "contact" | "unknown"
  media_type: "" | "image" | "video" | "audio" | "voice" | "document" | "sticker"
  /** Its text: the caption of media, the question of a poll. */
  body: string
  /** The file of media, which cannot be fetched here. */
  file?: {
    /** The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\`; `""` without one. */
    name: string
    content_type: string
    /** Bytes; 0: the sender did not say. */
    size: number
    /** How long an audio or a video plays. */
    seconds?: number
    /** In pixels. */
    width?: number
    /** In pixels. */
    height?: number
    /** How many pages a document has. */
    pages?: number
    /** How loud a voice note is over its time: mostly 64 values from 0 to 100. */
    waveform?: number[]
    /** A video that plays by itself, again and again, without sound. */
    gif?: true
    /** Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so. */
    stored_as?: {
      bucket: string
      key: string
      /** Of `link` `presigned`: good for seven days. */
      url?: string
    }
    /** A video that phones show as a circle. */
    video_note?: true
  }
  /** Unix seconds. */
  timestamp: number
}

/** Sent by `webhook-test` only. */
export interface TestEvent {
  event: "test"
  /** Unix seconds. */
  timestamp: number
}

export type Bridge = BridgeInList & {
  /** Authenticates the webhooks of this bridge: see "Receive". `""` for a key that may only read. */
  webhook_secret: string
  /** `""`: the hosted inbox. */
  webhook_url: string
}

export interface BridgeInList {
  id: string
  customer_ref: string
  /** `running`: it has a session, or gets one. `paused`: it has none; calls to it are 409 `bridge_paused`, unless it was idle: then they wake it. `suspended`: the operator has stopped it; calls are 409 `bridge_suspended`. `moved`: another service has it; calls are 409 `bridge_moved`. The `status` of the session says whether it is connected. */
  state: "running" | "paused" | "suspended" | "moved"
  /** Unix seconds. */
  created_at: number
}

export interface ErrorBody {
  /** What happened, and what to do. */
  error: string
  code: "invalid_request" | "invalid_customer_ref" | "invalid_webhook_url" | "invalid_idempotency_key" | "url_not_allowed" | "unauthorized" | "no_subscription" | "payment_required" | "bridge_limit_reached" | "file_limit_reached" | "forbidden" | "not_admin" | "join_refused" | "not_found" | "method_not_allowed" | "request_timeout" | "bridge_paused" | "bridge_suspended" | "bridge_moved" | "idempotency_conflict" | "not_paired" | "already_paired" | "not_own_message" | "message_revoked" | "edit_too_late" | "presence_unavailable" | "not_waiting" | "passkey_required" | "passkey_not_awaited" | "secret_overlap" | "webhook_limit_reached" | "not_planned" | "plan_limit_reached" | "not_kept" | "not_business" | "new_chat" | "group_full" | "group_conflict" | "media_expired" | "invite_revoked" | "payload_too_large" | "unsupported_media_type" | "misdirected" | "media_fetch_failed" | "media_type_mismatch" | "conversion_unavailable" | "recipient_not_found" | "passkey_refused" | "rate_limited" | "pacing" | "headers_too_large" | "internal_error" | "network_rejected" | "orchestrator_failed" | "session_unavailable" | "storage_full" | "send_outcome_unknown"
  request_id: string
  issues?: ({
    path: string
    message: string
  })[]
  dashboard_url?: string
  billing_url?: string
  /** With `send_outcome_unknown`: the message, for `getMessage`. */
  message_id?: string
  /** With `network_rejected`: the network's own code, see "Send". */
  network_code?: number
}

export type BridgeWithManager = Bridge & {
  /** The types of events that are sent: all but `message_status`, `message_lost`, `group` and `channel_post`, unless you chose some. */
  events: EventType[]
  /** Chats whose events are not sent: `status` (what people post as their status), `groups`. */
  ignore: ("status" | "groups")[]
  /** What events of the type `message_status` say of a message to a group: `counts`, or also which `participants`. */
  message_status: "counts" | "participants"
  /** Whether the session appears as available for some minutes a day, so that the phone does not take it for inactive. */
  daily_presence: boolean
  /** Whether a text is sent with a preview of its first link, where the call does not say. */
  link_previews: boolean
  pacing: Pacing
  /** `***`: the session goes through a proxy; null: it does not. */
  proxy_url: string | null
  /** For how many days messages are kept, to be listed; null: they are not. */
  keep: 7 | 30 | 90 | null
  media_store: ShownMediaStore
  /** Whether what the phone tells of earlier messages when it is linked is kept as well. */
  history: boolean
  /** `idle`: no phone was linked and no call came for three days; any call wakes it. `billing`: the account has not paid. `manual`: the operator has paused it, or its own people in the dashboard. The sentence of the 409 says which. */
  paused_reason?: "idle" | "billing" | "manual"
  /** The secret was replaced: until then the one before signs as well. Unix seconds. */
  secret_overlap_until?: number
  manager: Manager
  /** How the bridge and its session stand now, why, and what to do: sentences for people, as the dashboard shows them. */
  explanation: string
  reported?: ReportedStatus
}

export type EventType = "message" | "connected" | "disconnected" | "typing" | "presence" | "poll_vote" | "event_response" | "call_incoming" | "call_terminated" | "offline_sync_preview" | "offline_sync_completed" | "profile_picture_updated" | "group" | "message_status" | "message_lost" | "media_stored" | "channel_post"

/** How slowly it sends; null: as fast as it is asked to. */
export type Pacing = {
  /** How many chats with people it may begin in a day (UTC). */
  new_chats_a_day?: number
  /** The least time from one message to the next; up to half as much is added at random. */
  gap_ms?: number
  /** For how long it is shown as typing before each message. */
  typing_ms?: number
} | null

/** Your own S3, in which the files of messages are put; null: they are not. */
export type ShownMediaStore = MediaStore & {
  /** `***`. */
  secret_access_key?: string
} | null

export interface MediaStore {
  /** An https URL without a path, as `webhook_url` at a public address; absent: Amazon's own. */
  endpoint?: string
  bucket: string
  region?: string
  /** What each key begins with, such as `shop/media/`; `""`: nothing. */
  prefix?: string
  /** `presigned`: events bring a `url` that is good for seven days. `key`: they bring none. */
  link?: "presigned" | "key"
  access_key_id: string
  /** Answers show `***`. */
  secret_access_key: string
}

export interface Manager {
  /** The health of the process that runs the session; `status` says whether the session is connected. `starting`: there was no process yet. `unhealthy`: another process takes over from one that failed (seconds; calls are 503). `stopped`: the bridge is paused or suspended, or has moved. */
  health: "healthy" | "starting" | "unhealthy" | "stopped"
  /** When the session last started, also by a restart, ISO 8601; empty before its first start. */
  started_at: string
  /** How often the process failed since its last ten healthy minutes. */
  fail_count: number
}

/** The last report of the bridge's session about itself. It stays while no session can be asked, and is absent before the first. `unpaired` with a `phone`: that phone is no longer linked. */
export interface ReportedStatus {
  /** `unpaired`: no phone is linked. `connecting`: the session starts. `connected`: it is up. `disconnected`: a phone is linked, the connection is lost, and the session connects again by itself. `replaced`: another login took its place. `passkey_required`: the account is linked with a passkey only; `passkey` has the request. */
  status: "unpaired" | "connecting" | "connected" | "disconnected" | "replaced" | "passkey_required"
  /** Since when it is so, Unix seconds. */
  since: number
  /** The number that is linked, or was last; `""` before the first. */
  phone: string
  objection?: "locked" | "banned" | "temporarily_banned" | "outdated" | "device_untrusted" | "device_unknown" | "addresses_changed" | "proxy_unreachable" | "proxy_refused" | "unanswered" | "former_gateway"
}

export type BridgeAfterPatch = Bridge & {
  /** The types of events that are sent: all but `message_status`, `message_lost`, `group` and `channel_post`, unless you chose some. */
  events: EventType[]
  /** Chats whose events are not sent: `status` (what people post as their status), `groups`. */
  ignore: ("status" | "groups")[]
  /** What events of the type `message_status` say of a message to a group: `counts`, or also which `participants`. */
  message_status: "counts" | "participants"
  /** Whether the session appears as available for some minutes a day, so that the phone does not take it for inactive. */
  daily_presence: boolean
  /** Whether a text is sent with a preview of its first link, where the call does not say. */
  link_previews: boolean
  pacing: Pacing
  /** `***`: the session goes through a proxy; null: it does not. */
  proxy_url: string | null
  /** For how many days messages are kept, to be listed; null: they are not. */
  keep: 7 | 30 | 90 | null
  media_store: ShownMediaStore
  /** Whether what the phone tells of earlier messages when it is linked is kept as well. */
  history: boolean
  /** Whether its events go to the hosted inbox. */
  inbox: boolean
}

export interface SessionStatus {
  /** `unpaired`: no phone is linked. `connecting`: the session starts. `connected`: it is up. `disconnected`: a phone is linked, the connection is lost, and the session connects again by itself. `replaced`: another login took its place. `passkey_required`: the account is linked with a passkey only; `passkey` has the request. */
  status: "unpaired" | "connecting" | "connected" | "disconnected" | "replaced" | "passkey_required"
  jid: string
  lid: string
  name: string
  phone: string
  /** With `passkey_required`, while the network waits: what a browser has to answer on https://web.whatsapp.com. Absent when it waits no more: then ask for a new code. */
  passkey?: {
    options: PasskeyOptions
    /** Unix seconds. */
    expires_at: number
  }
  /** Absent without one: why the network rejected the last login. `locked`, `banned`: it has unlinked the session, and the phone says what can be done. `device_untrusted`, `device_unknown`, `addresses_changed`: it has unlinked this session alone; link it again. `temporarily_banned`, `outdated` (the version of its protocol that is spoken here): the session connects again by itself. `proxy_unreachable`: the bridge's proxy does not answer; `proxy_refused`: it wants another password, or leads nowhere; the session goes on trying. `unanswered`: the connection was open, and the network answered nothing on it for two minutes; the session connects again by itself. `former_gateway`, while the `status` is `replaced`: the gateway that the number was taken over from still runs. It ends with the next connection. */
  objection?: "locked" | "banned" | "temporarily_banned" | "outdated" | "device_untrusted" | "device_unknown" | "addresses_changed" | "proxy_unreachable" | "proxy_refused" | "unanswered" | "former_gateway"
  /** With `temporarily_banned`: when the session tries again, Unix seconds. */
  objection_until?: number
  /** With a limit of `pacing`: how many chats the bridge may still begin today. */
  new_chats_left?: number
  /** Absent without one: a limit that the network has put on the account. `new_chats`: it may not start chats (a message that would is rejected with `network_code` 463). `new_chats_quota`: it may not start any more chats than it has started. */
  restriction?: "new_chats" | "new_chats_quota"
  /** When the limit ends, Unix seconds; 0 if the network does not say. */
  restricted_until?: number
}

export interface PasskeyOptions {
  challenge: string
  rpId?: string
  /** Milliseconds. */
  timeout?: number
  allowCredentials?: ({
    id: string
    type: string
    [more: string]: unknown
  })[]
  userVerification?: string
  [more: string]: unknown
}

export interface Ok {
  ok: true
}

export interface PasskeyAssertion {
  id: string
  rawId: string
  type: "public-key"
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null
  }
}

export interface LinkSession {
  url: string
  /** Unix seconds. */
  expires_at: number
}

export interface SendResult {
  message_id: string
  /** The chat to which it went, as in events: the network may know a number by another spelling. */
  chat_id: string
  /** Unix seconds, by the network's clock. Of a planned message: when it is to go. */
  timestamp: number
  /** With `send_at`: it goes later. */
  state?: "planned"
}

export interface Upload {
  /** An uploaded file, as `createUpload` gave it. */
  file: string
  /** Where the form goes, and its fields before the file. */
  upload: {
    url: string
    fields: Record<string, string>
  }
  /** Until when the form may be sent: Unix seconds. */
  expires_at: number
}

export interface Message {
  message_id: string
  /** As in events. */
  chat_id: string
  /** Who wrote it, as in events. */
  contact_id: string
  from_me: boolean
  /** As of a message event; `""` for what only changes another message. */
  type: "text" | "media" | "reaction" | "poll" | "location" | "event" | "contact" | "unknown" | ""
  media_type: "" | "image" | "video" | "audio" | "voice" | "document" | "sticker"
  /** Its text: the caption of media, the question of a poll. */
  body: string
  /** `edit`: it was edited since, and is given as it is now. `revoke`: it was revoked, so its `type`, `media_type` and `body` are `""`. */
  edit?: "edit" | "revoke"
  /** `received`: somebody else wrote it. `pending`: it may have left, and the network has not acknowledged it; the same request with the same `Idempotency-Key` sends it again under the same id. The others are those of the event `message_status`; `delivered`, `read` and `played` are known only if `events` of the bridge named that type when it was sent. In a group: how far all recipients have come. */
  status: "pending" | "sent" | "delivered" | "read" | "played" | "failed" | "received"
  /** When the network had it. Unix seconds. */
  sent_at?: number
  /** When it was delivered, in a group last. Unix seconds. */
  delivered_at?: number
  /** When it was read, in a group last. Unix seconds. */
  read_at?: number
  /** When it was played, in a group last. Unix seconds. */
  played_at?: number
  /** When the network rejected it. Unix seconds. */
  failed_at?: number
  /** When it came. Unix seconds. */
  received_at?: number
  /** In a group: how many recipients have come as far, those who have come further included. */
  counts?: {
    /** The members to whom it was sent, without this session. */
    recipients: number
    delivered: number
    read: number
    played: number
  }
  /** Of `getMessage`, `findMessage` and `listSent`, while it is not recorded whether the message is delivered and read: why, and how to change that, in a sentence for people. */
  untracked?: string
  /** Of `failed`: a sentence for people. */
  reason?: string
  /** Of `failed`: the network's number. */
  network_code?: number
  /** Of a message that the API sent: when it was asked for, Unix seconds. */
  asked_at?: number
  /** Of a message that the API sent: the call that first asked for it, as its `X-Request-Id` said. */
  request_id?: string
}

export type SentMessage = Message & {
  /** When it was asked for, Unix seconds. */
  asked_at: number
  /** How many events the bridge had had by then: the order of messages and events within one second. */
  events_before?: number
}

export interface PlannedSend {
  /** Of a message that was planned alone: its `message_id`. */
  id: string
  /** The id that the message gets on the network. */
  message_id: string
  /** As it was asked for; `""`: a status. */
  chat: string
  /** The send's path: `text`, `media`, `poll` ... */
  kind: string
  /** Its text, caption or question: the beginning, of at most 1,000 characters. */
  text: string
  /** Unix seconds. */
  send_at: number
  /** Unix seconds. */
  valid_until: number
  /** `sent`: the network has it; the rest is said of the message `message_id`. `failed`: it was refused, or no phone is linked any more. `expired`: it could not go by `valid_until`. */
  state: "planned" | "sent" | "failed" | "expired" | "cancelled"
  /** The job that it is of. */
  job?: string
  /** Of `sent`: when the network had it. Unix seconds. */
  sent_at?: number
  /** Of `failed` and `expired`: why, as a code of errors; of a job also `blocked`. */
  code?: string
  /** The same, in a sentence for people. */
  reason?: string
}

export interface Job {
  id: string
  name: string
  /** `running`: it sends, or waits for its time. `stopped` and `expired`: what is left never goes. `done`: nothing is left. */
  state: "running" | "paused" | "stopped" | "expired" | "done"
  /** Why it has paused or stopped by itself, in a sentence for people. */
  reason?: string
  /** The beginning of its first message. */
  text: string
  /** Unix seconds. */
  created_at: number
  /** Unix seconds. */
  send_at: number
  /** Unix seconds. */
  valid_until: number
  gap_ms: number
  total: number
  sent: number
  failed: number
  cancelled: number
  /** How many have not gone, and did not fail. */
  left: number
}

export interface Chat {
  /** As in events. */
  chat_id: string
  /** The name of the person as in `listContacts`, or of the group, which may be a day old; `""`: not known. */
  name: string
  is_group: boolean
  /** How many messages of others have come since somebody of the account has written in the chat, or read it on the phone or by `readMessage`. */
  unread: number
  /** It was marked as unread by hand. */
  marked_unread: boolean
  archived: boolean
  pinned: boolean
  muted: boolean
  /** Unix seconds; 0: it is not muted, or without an end. */
  muted_until: number
  /** Unix seconds; 0: there is none yet. */
  last_message_at: number
  /** Until when a person answers in it (`setHandover`), Unix seconds; 0: your program does. */
  handover_until: number
}

export interface ChatTimer {
  /** As in events. */
  chat_id: string
  /** After how many seconds its messages disappear; 0: they stay. */
  disappearing: number
}

/** A message that is kept, as its event has it, and as it is now: one that was edited has its new words and `edit` `edit`, one that was revoked `edit` `revoke`, no content and `text` as its `type`, each with its own id as `target_id`. A pin and a reaction are messages of their own, with the `target_id` of the one that they are about. */
export interface KeptMessage {
  message_id: string
  /** JID of the person: the phone number's where known, else the LID. */
  contact_id: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`. */
  chat_id: string
  /** In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this. */
  chat_lid?: string
  /** The sender's display name, as the network gives it. */
  name: string
  /** The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown. */
  username?: string
  /** Its text: the caption of media, the question of a poll, the names on contact cards, the lines of a business's message. */
  body: string
  /** `unknown`: this release cannot read it, or only the phone shows it (`placeholderMessage`). `unknown_kind` names its kind, and `body` has its text, as far as one can be found. `target_id` is there if it is about another message. Once a later release can read it, an event with `edit` follows. */
  type: "text" | "media" | "reaction" | "poll" | "location" | "event" | "contact" | "unknown"
  /** The name of the kind in the network's protocol, if `type` is `unknown`; of any other message: that of a part which this release does not read beside the rest. */
  unknown_kind?: string
  /** The kind of `media`. `""`: the message may be viewed once, on the phone. The network gives linked devices neither its file nor its caption, so `messages/{id}/media` answers 404. */
  media_type: "" | "image" | "video" | "audio" | "voice" | "document" | "sticker"
  is_group: boolean
  /** The session's own account wrote it: through this API, on its phone or on another of its devices. */
  from_me: boolean
  /** Unix seconds. */
  timestamp: number
  /** The caption of media. */
  caption?: string
  /** The file of media, as its sender describes it. */
  file?: {
    /** The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\`; `""` without one. */
    name: string
    content_type: string
    /** Bytes; 0: the sender did not say. */
    size: number
    /** How long an audio or a video plays. */
    seconds?: number
    /** In pixels. */
    width?: number
    /** In pixels. */
    height?: number
    /** How many pages a document has. */
    pages?: number
    /** How loud a voice note is over its time: mostly 64 values from 0 to 100. */
    waveform?: number[]
    /** A video that plays by itself, again and again, without sound. */
    gif?: true
    /** Where the file will be in your own S3 (`media_store` of the bridge): it is there once an event `media_stored` says so. */
    stored_as?: {
      bucket: string
      key: string
      /** Of `link` `presigned`: good for seven days. */
      url?: string
    }
    /** A video that phones show as a circle. */
    video_note?: true
  }
  /** The message may be viewed once. */
  view_once?: true
  /** The message that this one replies to. */
  quoted?: {
    message_id: string
    /** Where it was written: `status@broadcast` where somebody answers a status. */
    chat_id: string
    /** Who wrote it. */
    contact_id: string
    /** The first 4,096 characters of its text, as quoted by the sender of the reply. */
    body: string
    /** As `type` of a message; `""` for every other kind. */
    type: string
  }
  /** JIDs of the people whom the text mentions. */
  mentions?: string[]
  /** The groups that the text mentions, each as `@` and its JID. */
  mentioned_groups?: ({
    jid: string
    /** As the sender gives it. */
    name: string
  })[]
  /** The text mentions everybody in the group. */
  mentions_all?: true
  forwarded?: true
  reaction?: {
    /** `""`: the reaction was removed. */
    emoji: string
    /** The message that it reacts to. */
    message_id: string
    /** Where that message was written: `status@broadcast` if it is a status. */
    chat_id: string
    /** Who wrote that message. */
    contact_id: string
  }
  /** This is not a new message. `edit`: the message `target_id` now has this text. `revoke`: it is revoked. `pin`: it is pinned in the chat (unpinning gives no event). Where `target_id` is the message's own id, this is that message, as it is now. */
  edit?: "edit" | "revoke" | "pin"
  /** The message that an edit, revoke, pin, reaction or `unknown` message refers to. */
  target_id?: string
  /** What the sender's phone shows of a link in the text. */
  preview?: {
    /** The link, as it stands in the text. */
    url: string
    title: string
    description: string
  }
  location?: {
    lat: number
    lng: number
    name: string
    address: string
    /** The sender shares where they are for some time: the place moves. */
    live?: true
    /** How exact a live place is, in metres. */
    accuracy_m?: number
  }
  /** The options of a poll. */
  options?: string[]
  /** How many options of a poll one person may choose; 0: any number. */
  max_answers?: number
  /** The right answer of a quiz. */
  correct_option?: string
  /** The results of a poll, where it shows them. */
  results?: ({
    option: string
    votes: number
  })[]
  event_details?: {
    name: string
    description: string
    /** Unix seconds. */
    start_time: number
    /** Unix seconds; 0: none was given. */
    end_time: number
    join_link: string
    location?: {
      lat: number
      lng: number
      name: string
      address: string
    }
    is_canceled?: true
  }
  contacts?: ({
    name: string
    /** Its numbers, as they are written on the card. */
    phones: string[]
    /** Those of its numbers that the sender's phone has found on the network, as digits: a `chat`. */
    on_whatsapp?: string[]
    /** The whole card (RFC 6350). */
    vcard: string
  })[]
  /** What people can tap in a business's message, and what surrounds its text. */
  interactive?: {
    /** The line above the text. */
    title?: string
    /** The line below the text. */
    footer?: string
    buttons?: ({
      /** The `tapped.id` of the message that comes when a person taps it; `""` if none comes. */
      id: string
      text: string
      /** Opens this address. */
      url?: string
      /** Calls this number. */
      phone?: string
      /** Copies this text, such as a one-time code. */
      code?: string
    })[]
    /** The rows of a list to choose from. */
    sections?: ({
      title: string
      rows: ({
        id: string
        title: string
        description: string
      })[]
    })[]
    /** The cards of a carousel. */
    cards?: ({
      title: string
      body: string
      footer: string
      buttons: ({
        /** The `tapped.id` of the message that comes when a person taps it; `""` if none comes. */
        id: string
        text: string
        /** Opens this address. */
        url?: string
        /** Calls this number. */
        phone?: string
        /** Copies this text, such as a one-time code. */
        code?: string
      })[]
      /** Its picture, video or document: `messages/{id}/media` gives it for `card`. */
      file?: {
        /** The name that the sender gave it, without invisible characters, and with `_` for each `/` and `\`; `""` without one. */
        name: string
        content_type: string
        /** Bytes; 0: the sender did not say. */
        size: number
      }
    })[]
    /** An offer that ends. */
    offer?: {
      text: string
      /** What is to be named for it. */
      code?: string
      url?: string
      /** Unix seconds. */
      expires_at?: number
    }
  }
  /** This message is somebody's choice in an earlier one, which `quoted` names. */
  tapped?: {
    /** The id of the button or row. */
    id: string
    /** The label of the button or row. */
    text: string
    description?: string
    /** What a form was filled in with, by the names of its fields. */
    answers?: Record<string, unknown>
  }
  order?: {
    id: string
    /** The network's token of the order. */
    token: string
    title: string
    item_count: number
    /** How far it is, as the network gives it, such as `shipped`. */
    status?: string
    /** What the business writes about that. */
    description?: string
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  product?: {
    /** `""`: the message shows a whole catalogue. */
    id: string
    title: string
    description: string
    /** The seller's own number of it. */
    retailer_id: string
    url: string
    /** JID of the business that sells it. */
    seller_id: string
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  invitation?: {
    to: "group" | "channel" | "event"
    /** JID of the group or channel, id of the event. */
    id: string
    name: string
    /** With it, `groups/join` joins the group; `""` for others. */
    code: string
    /** Unix seconds. */
    expires_at?: number
  }
  payment?: {
    /** `details`: how the sender wants to be paid. */
    kind: "request" | "sent" | "declined" | "cancelled" | "invitation" | "reminder" | "split" | "details"
    /** Of `details`. */
    methods?: ({
      /** As the network gives it, such as `pix_static_code`. */
      type: string
      /** What is paid with: a Pix key or code, the line of a boleto, a link. */
      code: string
      /** Of a Pix key, as the network gives it, such as `EMAIL`. */
      key_type?: string
      /** Who is paid; `""`: the sender does not say. */
      name: string
    })[]
    /** The message id of the request that it answers. */
    request_id?: string
    /** Unix seconds. */
    expires_at?: number
    /** In the unit of `currency`, as 12.5. */
    amount?: number
    /** ISO 4217. */
    currency?: string
  }
  /** The ad or post that brought the sender here. */
  ad?: {
    title: string
    body: string
    /** As the network gives it: `ad`, `post`. */
    source_type: string
    /** The id of the ad or post. */
    source_id: string
    source_url: string
    /** Meta's id of the click (`ctwa_clid`). */
    click_id: string
    /** Where the chat was begun, as the network gives it, such as `ctwa_ad`. */
    entry_point: string
    /** The app in which it was seen, such as `instagram`. */
    app: string
    utm_source?: string
    utm_campaign?: string
  }
  part_of?: {
    /** The message to which it belongs; the pictures of an album share one. */
    message_id: string
    /** `hd`: the same picture or video once more, in high definition. */
    as: "album" | "hd" | "event_cover" | "poll_option" | "motion_photo" | "status" | "other"
  }
  /** The message is too large for an event: its longest texts are cut, its longest lists end early. */
  cut?: true
  /** The chat's timer, in seconds, when it was written. */
  disappears_after?: number
  /** The message was written to be sent at this time. Unix seconds. */
  scheduled_for?: number
  /** Sent to a broadcast list, or posted as a status. */
  is_broadcast?: true
  /** Posted as a status of the group. */
  is_group_status?: true
  /** The sender is a business whose name the network has verified. */
  verified_business?: true
  /** Of a message that was sent through this API, for 30 days: as `getMessage` has it, which also has the times. */
  status?: "pending" | "sent" | "delivered" | "read" | "played"
}

export interface Handover {
  /** As in events. */
  chat_id: string
  /** Until when a person answers in this chat, Unix seconds; 0: your program answers. */
  until: number
}

/** A label, as the phone has it. */
export interface Label {
  id: string
  name: string
  color: number
}

export interface Labelled {
  /** As in events. */
  chat_id: string
  /** Absent: the whole chat has the label. */
  message_id?: string
}

export interface Contact {
  about: string
  business_address: string
  business_email: string
  business_name: string
  first_name: string
  full_name: string
  is_business: boolean
  jid: string
  name: string
  phone: string
  redacted_phone: string
  /** Whether the person is on the network. Contacts count as registered until `contacts/check` or `contacts/{jid}`, which ask the network, find that one is not. */
  registered: boolean
  /** Without its `@`; `""` if none is known. */
  username: string
  verified_name: string
}

export interface ContactCheck {
  is_business: boolean
  is_on_whatsapp: boolean
  jid: string
  phone: string
  registered: boolean
  verified_name: string
}

export interface Group {
  /** Unix seconds. */
  created: number
  jid: string
  name: string
  /** How many. */
  participants: number
  topic: string
  /** JID of the person who made it; `""` if the network does not say. */
  owner: string
  /** The role of the session's account; `""`: it is not in the group. */
  role: "" | "member" | "admin" | "owner"
  /** Who may write. */
  write: "all" | "admins"
  /** Who may change name, topic, picture and disappearing messages. */
  edit: "all" | "admins"
  /** Who may add members. */
  add_members: "all" | "admins"
  /** Whether admins decide about those who come by the link. */
  approval: boolean
  /** After how many seconds messages disappear; 0: they do not. */
  disappearing: number
  /** It is a community: a group of groups, in which nobody writes. */
  is_community: boolean
  /** JID of the community that the group belongs to; `""`: none. */
  community: string
  /** It is the group for its community's announcements, which has all its members. */
  is_announcements: boolean
}

export interface MemberOutcome {
  /** By phone number where known, else the LID. */
  jid: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** `invited`: their privacy settings forbid adding them, so they got an invitation as a message. `refused`: nothing has changed for this person. */
  outcome: "added" | "removed" | "promoted" | "demoted" | "approved" | "rejected" | "invited" | "refused"
  /** Why it was refused. `privacy`: only their contacts may add them: ask again with `invite`, or send them the group's link. `not_found`: they are not on the network, not in the group, or have not asked to join. `already`: they are in the group. `recently_left`: they left it within the last days: send them the link. `blocked`: they have blocked this account. `full`: the group has 1,024 members. `not_allowed`: nobody may do this to who made the group. `unknown`: see `network_code`. */
  reason?: "privacy" | "not_found" | "already" | "recently_left" | "blocked" | "full" | "not_allowed" | "unknown"
  /** The network's own code. */
  network_code?: number
}

export interface GroupWithMembers {
  /** Unix seconds. */
  created: number
  jid: string
  name: string
  /** How many. */
  participants: number
  topic: string
  /** JID of the person who made it; `""` if the network does not say. */
  owner: string
  /** The role of the session's account; `""`: it is not in the group. */
  role: "" | "member" | "admin" | "owner"
  /** Who may write. */
  write: "all" | "admins"
  /** Who may change name, topic, picture and disappearing messages. */
  edit: "all" | "admins"
  /** Who may add members. */
  add_members: "all" | "admins"
  /** Whether admins decide about those who come by the link. */
  approval: boolean
  /** After how many seconds messages disappear; 0: they do not. */
  disappearing: number
  /** It is a community: a group of groups, in which nobody writes. */
  is_community: boolean
  /** JID of the community that the group belongs to; `""`: none. */
  community: string
  /** It is the group for its community's announcements, which has all its members. */
  is_announcements: boolean
  members: ({
    /** By phone number where known, else the LID. */
    jid: string
    /** Digits; `""` where the number is not known. */
    phone: string
    role: "member" | "admin" | "owner"
  })[]
}

export interface GroupInvite {
  /** Whoever has it may join, or ask to. */
  link: string
}

export interface JoinRequest {
  /** By phone number where known, else the LID. */
  jid: string
  /** Digits; `""` where the number is not known. */
  phone: string
  /** Unix seconds. */
  requested_at: number
}

export interface Channel {
  jid: string
  name: string
  description: string
  /** Whoever has it may follow the channel. */
  link: string
  /** Of the session's account. `owner` and `admin` may post. */
  role: "owner" | "admin" | "follower" | "none"
  /** How many, as far as the network says; else 0. */
  followers: number
  verified: boolean
  /** Whether the account is told of no new posts. */
  muted: boolean
  /** Unix seconds. */
  created: number
}

export interface Profile {
  about: string
  jid: string
  name: string
  phone: string
}

export interface StatusPrivacy {
  is_default: boolean
  list: string[]
  type: string
}

/** What the network says. A word that it adds is shown as it is; `""`: it says nothing of it. */
export interface Privacy {
  /** Who sees when the account was last online: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`. */
  last_seen: string
  /** Who sees that it is online: `all`, or `match_last_seen`: as `last_seen`. */
  online: string
  /** Who sees its picture: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`. */
  profile_picture: string
  /** Who sees its About text: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`. */
  about: string
  /** Whether people see that it has read their messages, and it sees theirs. */
  read_receipts: boolean
  /** Who may add it to groups: `all`, `contacts`, `contact_blacklist` (contacts but those excepted on the phone), or `none`. */
  groups: string
  /** Whose calls ring: `all`, or `known`: those of people whom it knows. */
  calls: string
  /** Who may write to it: `all` or `contacts`. */
  messages: string
  /** After how many seconds messages disappear in chats that begin from now on; 0: never. */
  disappearing: number
}

export interface DeliveryAttempt {
  /** The number of this attempt at the event, from 1. */
  attempt: number
  /** `""` on success. With an answer: `redirect`, `client_error` (4xx), `rate_limited` (429), `server_error` (5xx). Without one: `timeout`, `refused`, `unreachable`, `reset`, `dns`, `tls`, `bad_response`, `network`, or `blocked`: not a public address. */
  error: string
  event: string
  event_id: string
  latency_ms: number
  /** 0 if there was no answer. */
  status_code: number
  success: boolean
  /** ISO 8601. */
  timestamp: string
}

export interface StoredEvent {
  event_id: string
  state: "pending" | "delivered" | "undelivered" | "inbox"
  /** Unix seconds. */
  created_at: number
  event: MessageEvent | MessageLostEvent | ConnectedEvent | DisconnectedEvent | TypingEvent | PresenceEvent | PollVoteEvent | EventResponseEvent | CallIncomingEvent | CallTerminatedEvent | OfflineSyncPreviewEvent | OfflineSyncCompletedEvent | ProfilePictureUpdatedEvent | GroupEvent | MessageStatusEvent | MediaStoredEvent | ChannelPostEvent | TestEvent
}

export interface Deliveries {
  /** How many events wait for delivery. */
  waiting: number
  /** How many more were asked to be sent again. */
  resending: number
  /** The id of the event whose turn it is. */
  head?: string
  /** When that event happened. Unix seconds. */
  oldest_at?: number
  /** When it is tried again, if it waits for that. Unix seconds. */
  next_attempt_at?: number
  /** Since when each attempt has failed. Unix seconds. */
  failing_since?: number
  /** What it got again by itself when its receiver was last back. */
  recovered?: {
    /** When the first of the events was taken again. Unix seconds. */
    at: number
    /** How many were taken. */
    events: number
    /** How many failed again while others were taken, and stay undelivered. */
    left: number
    /** How long it took, in milliseconds. */
    took_ms: number
  }
  /** The latest attempts, newest first. */
  attempts: DeliveryAttempt[]
}

export interface DeliveryOfEvent {
  event_id: string
  state: "pending" | "delivered" | "undelivered" | "inbox"
  /** Unix seconds. */
  created_at: number
  /** The headers of the last known attempt; the secret and your own headers are left out. Empty if no attempt is known. */
  headers: Record<string, string>
  /** The body that is sent, byte for byte. */
  body: string
  /** If the bridge has further webhooks: what became of the event at each. `not_wanted`: its filters, as they are now, leave it out, or the event is from before the webhook. */
  webhooks?: ({
    id: string
    state: "pending" | "delivered" | "undelivered" | "inbox" | "not_wanted"
  })[]
  /** Oldest first: failures of the last 7 days, and all of the latest 200 of the bridge. */
  attempts: DeliveryAttemptInFull[]
}

export type DeliveryAttemptInFull = DeliveryAttempt & {
  /** It was made because you asked for it. */
  resend: boolean
  /** Where it went, if it failed; else `""`. */
  url: string
  /** The first 1,024 bytes of the answer's body, if the attempt failed. */
  answer: string
  /** The first 1,024 bytes of the answer's headers, if the attempt failed; without cookies. */
  answer_headers: Record<string, string>
}

export interface Webhook {
  /** `first` is `webhook_url`. */
  id: string
  /** Of `first`, `""` is the hosted inbox. */
  url: string
  /** Authenticates its deliveries: see "Receive". `""` for a key that may only read. */
  secret: string
  /** The secret was replaced: until then the one before signs as well. Unix seconds. */
  secret_overlap_until?: number
  /** The types of events that it gets, of those that the bridge gets. */
  events: EventType[]
  ignore: ("status" | "groups")[]
  /** JIDs; null is all. */
  chats: string[] | null
  /** Each value is `***`. */
  headers: Record<string, string>
  batch: number | null
  /** Null: our own. */
  format: "evolution" | "waha" | null
  /** The `hmac_key` is `***`. */
  format_options: {
    /** The events that it gets, by the names that they have in this format; by default all. */
    events?: string[]
    /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
    media?: boolean
    /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
    path_per_event?: boolean
    /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
    hmac_key?: string
  }
  /** Whether what was given up is sent again by itself, once the receiver answers again. */
  healing: boolean
  state: "active" | "paused"
  /** Unix seconds. */
  created_at: number
  /** Since when each attempt has failed. Unix seconds. */
  failing_since?: number
  /** What it got again by itself when its receiver was last back. */
  recovered?: {
    /** When the first of the events was taken again. Unix seconds. */
    at: number
    /** How many were taken. */
    events: number
    /** How many failed again while others were taken, and stay undelivered. */
    left: number
    /** How long it took, in milliseconds. */
    took_ms: number
  }
  /** The events that had waited for longer than seven days, and are not sent. */
  missed?: {
    /** How many events of the bridge, whichever they were. */
    events: number
    /** The id of the first; `""` if it was kept no more. */
    first: string
    /** When it last passed over some. Unix seconds. */
    at: number
  }
}

export interface AccountWebhook {
  /** `first` is `webhook_url`. */
  id: string
  /** Of `first`, `""` is the hosted inbox. */
  url: string
  /** Authenticates its deliveries: see "Receive". `""` for a key that may only read. */
  secret: string
  /** The secret was replaced: until then the one before signs as well. Unix seconds. */
  secret_overlap_until?: number
  /** The types of events that it gets, of those that the bridge gets. */
  events: EventType[]
  ignore: ("status" | "groups")[]
  /** JIDs; null is all. */
  chats: string[] | null
  /** Each value is `***`. */
  headers: Record<string, string>
  batch: number | null
  /** Null: our own. */
  format: "evolution" | "waha" | null
  /** The `hmac_key` is `***`. */
  format_options: {
    /** The events that it gets, by the names that they have in this format; by default all. */
    events?: string[]
    /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
    media?: boolean
    /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
    path_per_event?: boolean
    /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
    hmac_key?: string
  }
  /** Whether what was given up is sent again by itself, once the receiver answers again. */
  healing: boolean
  state: "active" | "paused"
  /** Unix seconds. */
  created_at: number
}

export interface Account {
  id: string
  /** As its owners chose it in the dashboard. Before that, the e-mail address of the person who signed up. */
  name: string
  /** `active` and `trialing` may create bridges; while `unpaid` or `canceled`, existing bridges do not run. */
  subscription: "none" | "trialing" | "active" | "past_due" | "unpaid" | "canceled"
  /** How many there are; the sandbox does not count. */
  bridges: number
  /** How many there may be. */
  bridge_limit: number
  /** Unix seconds. */
  created_at: number
}

export interface Usage {
  /** In UTC. */
  date: string
  customer_ref: string
  /** Delivered, or put into the inbox. */
  events: number
  /** How many of these were of the type `message`. */
  messages: number
  /** Incoming messages, except those switched off by `events` or `ignore`: each counts when it comes, whether or not a webhook takes it. */
  messages_in: number
  /** Messages that were sent through the API, or written on the phone; up to ten minutes late here. A send that was answered with 504 is counted once the network has acknowledged it. */
  messages_out: number
  /** Given up, without those that were sent again and delivered on the same day. */
  undelivered: number
  /** POSTs of events, also of those that were sent again. */
  attempts: number
  /** The share of attempts that succeeded; 1 without attempts. */
  success: number
  /** What 95 of 100 attempts did not exceed, rounded up to 25, 50, 100, 200, 400, 800, 1,600, 3,200, 6,400 or 10,000. */
  p95_ms: number
}

export interface ApiRequest {
  /** As `X-Request-Id` of the answer said it. */
  request_id: string
  /** When it was answered. */
  timestamp: string
  method: string
  /** Without its query; at most 300 characters of it. */
  path: string
  status: number
  /** The error's code, if the call was refused. */
  code?: string
  /** The error's sentence, if the call was refused. */
  error?: string
  /** The key, as `listKeys` gives it. */
  key_id: string
  /** Its name; absent once it is revoked. */
  key_name?: string
  /** How long the answer took. */
  ms: number
  /** How many calls just before it were left out, since there were too many; usually 0. */
  left_out: number
}

export interface ApiKey {
  /** The key's characters 5 to 16. */
  id: string
  name: string
  /** `all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone. */
  scope: "all" | "read"
  /** The bridges of a key for some. */
  customer_refs?: string[]
  /** The chats of a key for some: their JIDs. */
  chats?: string[]
  file_hosts?: string[]
  /** Unix seconds. */
  created_at: number
  /** The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's. */
  created_by?: string
  /** When it stops working by itself, Unix seconds; absent if it does not. */
  expires_at?: number
  /** To the hour, Unix seconds; absent before its first use. */
  last_used_at?: number
}

export interface DebugStats {
  /** When the network will reject the version of its protocol that this process speaks, in Unix seconds; 0: it has named no day. */
  client_expires_at: number
  /** Garbage collections since the process started. */
  gc_cycles: number
  /** Its open sockets, timers and requests; the name comes from another runtime. */
  goroutines: number
  /** Heap in use. */
  heap_alloc_mb: number
  /** Entries in this session's caches. */
  heap_objects: number
  /** Heap reserved. */
  heap_sys_mb: number
  /** Files of this bridge that this process has cached in the last three hours. */
  media_cache_size: number
  /** The limit of the heap. */
  next_gc_mb: number
  /** All memory that the process occupies. */
  total_alloc_mb: number
}

/** Any event. Its first field, `event`, says of which type it is. */
export type Event = StoredEvent["event"]

/** The calls about the account of the key. */
export interface AccountCalls {
  /** Create a bridge */
  createBridge(input: {
    /** Your own name for the bridge: 1 to 64 letters, digits, dashes and underscores, not `default`. */
    customer_ref: string
    /** An https URL (or http where the service is not in production) of at most 2,048 characters, without spaces, fragment, user name and password, at a public address unless the operator allows others. `""` or null is the hosted inbox. */
    webhook_url?: string | null
  }, options?: CallOptions): Promise<Bridge>

  /** List bridges. Without `limit` and `after`: all, in the order of creation, the sandbox last. An account with more than 10,000 is then refused: it asks for pages, which are in the order of the references. */
  listBridges(input?: {
    /** With `after` alone: 1000. */
    limit?: number
    /** The `X-Next-After` of the page before, or any reference: the bridges behind it. */
    after?: string
  }, options?: CallOptions): Listing<BridgeInList>

  /** Deliver once more what was given up in a span of time, of all bridges and at all of their webhooks. As `resendSince` does for each. The answer says what was requested. If it has `next`, not all bridges were looked at: ask again with it as `after`. */
  resendEverywhere(input: {
    /** Events that were given up at this time or later, Unix seconds. */
    since: number
    /** And at this time or before; by default until now. */
    until?: number
    /** Go on behind the bridge of this reference. */
    after?: string
  }, options?: CallOptions): Promise<{
    ok: true
    /** How many will be sent, in all. */
    count: number
    requested: ({
      customer_ref: string
      /** The id of the webhook; `first` is `webhook_url`. */
      webhook: string
      count: number
      /** False: there are more than 10,000, or too many requests wait there. Ask again once these were sent. */
      all: boolean
    })[]
    /** There are more bridges: behind this one. */
    next?: string
  }>

  /** The webhooks of the account, which get the events of all its bridges */
  listAccountWebhooks(options?: CallOptions): Promise<AccountWebhook[]>

  /** Add a webhook to the account: it gets each event of each bridge from now on. Also of bridges that are made later, besides the webhooks of each. Each event ends with `customer_ref`, the bridge that it is of. The events of a bridge come in order and at least once. Those of different bridges come side by side: one that fails holds up no other bridge, and no webhook of a bridge. The sandbox is left out. A URL that a webhook of the account has already is answered with that one, unchanged. A key that is limited to some bridges may not see these webhooks. */
  createAccountWebhook(input: {
    /** As `webhook_url` of a bridge, but never empty. */
    url: string
    /** The types of events that it gets, of those that the bridge gets; null is all, including those of later releases. */
    events?: EventType[] | null
    /** Chats whose events it does not get: `status`, `groups`; `[]` is none. */
    ignore?: ("status" | "groups")[]
    /** The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. */
    chats?: string[] | null
    /** Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`. */
    headers?: Record<string, string> | null
    /** Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form. */
    batch?: number | null
    /** Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`. */
    format?: "evolution" | "waha" | null
    /** What that format leaves open; it replaces the options of before, and null ends them. Only with `format`. */
    format_options?: {
      /** The events that it gets, by the names that they have in this format; by default all. */
      events?: string[]
      /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
      media?: boolean
      /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
      path_per_event?: boolean
      /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
      hmac_key?: string
    } | null
    /** Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false. */
    healing?: boolean
  }, options?: CallOptions): Promise<AccountWebhook>

  /** Get a webhook of the account */
  getAccountWebhook(input: {
    /** As `listAccountWebhooks` gives it. */
    webhook_id: string
  }, options?: CallOptions): Promise<AccountWebhook>

  /** Change a webhook of the account, pause it, or let it go on, for all bridges at once. A field that is not given stays as it is. A change holds for attempts that begin a second later, also of events that wait. A paused webhook keeps its place at each bridge for seven days. When it goes on, what waits follows at once or, of very many bridges, within three minutes. */
  updateAccountWebhook(input: {
    /** As `listAccountWebhooks` gives it. */
    webhook_id: string
    /** As `webhook_url` of a bridge, but never empty. */
    url?: string
    /** The types of events that it gets, of those that the bridge gets; null is all, including those of later releases. */
    events?: EventType[] | null
    /** Chats whose events it does not get: `status`, `groups`; `[]` is none. */
    ignore?: ("status" | "groups")[]
    /** The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. */
    chats?: string[] | null
    /** Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`. */
    headers?: Record<string, string> | null
    /** Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form. */
    batch?: number | null
    /** Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`. */
    format?: "evolution" | "waha" | null
    /** What that format leaves open; it replaces the options of before, and null ends them. Only with `format`. */
    format_options?: {
      /** The events that it gets, by the names that they have in this format; by default all. */
      events?: string[]
      /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
      media?: boolean
      /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
      path_per_event?: boolean
      /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
      hmac_key?: string
    } | null
    /** Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false. */
    healing?: boolean
    state?: "active" | "paused"
  }, options?: CallOptions): Promise<AccountWebhook>

  /** Delete a webhook of the account: what waits for it is not sent */
  removeAccountWebhook(input: {
    /** As `listAccountWebhooks` gives it. */
    webhook_id: string
  }, options?: CallOptions): Promise<void>

  /** Replace the secret of a webhook of the account; for 24 hours both sign. As `rollSecret` does for a webhook of a bridge. */
  rollAccountSecret(input: {
    /** As `listAccountWebhooks` gives it. */
    webhook_id: string
  }, options?: CallOptions): Promise<{
    /** The webhook's secret from now on. */
    webhook_secret: string
    /** Until then the secret that it replaces signs as well. Unix seconds. */
    overlap_until: number
  }>

  /** Stop signing with the replaced secret of a webhook of the account now */
  finishAccountSecret(input: {
    /** As `listAccountWebhooks` gives it. */
    webhook_id: string
  }, options?: CallOptions): Promise<Ok>

  /** Get the account that the key belongs to */
  getAccount(options?: CallOptions): Promise<Account>

  /** What the bridges of the account delivered, day by day */
  getUsage(input?: {
    /** The first day; 30 days before `to`, unless you say otherwise. */
    from?: string
    /** The last day; today, unless you say otherwise. */
    to?: string
  }, options?: CallOptions): Promise<Usage[]>

  /** List calls of the account's programs: those that were refused, and those that changed something. Newest first, for 7 days, without bodies. A call that only read is not here, nor one to a session that succeeded: `listSent` has what was sent. A call with a key that has expired, or was revoked in the last 30 days, is here; one with any other wrong key belongs to no account. After a hundred calls at once one in five seconds is kept, and says how many were left out. */
  listRequests(input?: {
    /** Only refused ones, or only others. */
    refused?: "true" | "false"
    /** The `X-Next-After` of the page before. */
    after?: string
    limit?: number
  }, options?: CallOptions): Listing<ApiRequest>

  /** Create an API key */
  createKey(input: {
    /** What it is for. */
    name: string
    /** `all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone. */
    scope?: "all" | "read"
    /** The bridges that it is for; without it, every bridge and the account. */
    customer_refs?: string[]
    /** The only chats in which it reads and writes, at whichever bridge, named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. It may do nothing that is not in a chat. */
    chats?: string[]
    /** For an agent: the hosts whose files it sends without asking a person. Calls of the API are not held to it. */
    file_hosts?: string[]
    /** When it stops working, Unix seconds: calls with it are then 401. Absent: not before it is revoked. A key that is made with one that expires does so with it, if not before. */
    expires_at?: number
  }, options?: CallOptions): Promise<{
    /** The key's characters 5 to 16. */
    id: string
    name: string
    /** `all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone. */
    scope: "all" | "read"
    /** The bridges of a key for some. */
    customer_refs?: string[]
    /** The chats of a key for some: their JIDs. */
    chats?: string[]
    file_hosts?: string[]
    /** Unix seconds. */
    created_at: number
    /** The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's. */
    created_by?: string
    /** When it stops working by itself, Unix seconds; absent if it does not. */
    expires_at?: number
    /** Send it as `Authorization: Bearer`. */
    key: string
  }>

  /** List the API keys of the account */
  listKeys(options?: CallOptions): Promise<ApiKey[]>

  /** Revoke an API key. It stops working within 30 seconds, and so do the keys that it made. */
  removeKey(input: {
    /** As `listKeys` gives it. */
    id: string
  }, options?: CallOptions): Promise<void>
}

/** The calls about one bridge. */
export interface BridgeCalls {
  /** Get a bridge */
  getBridge(options?: CallOptions): Promise<BridgeWithManager>

  /** Choose where a bridge's events go, and which are sent. `webhook_url` is required unless another field is given; a field that is not given stays as it is. Messages that `events` and `ignore` switch off are taken from the network and forgotten: they give no event, and cannot be replied to or downloaded. A change of all but the address and the proxy restarts nothing, and takes effect within half a minute. A new address restarts the session, which takes a few seconds; the phone stays linked. After five logins in a row that did not last, restarts included, the session waits up to a minute before the next. The current address restarts nothing, unless another place has taken over the session (`status` is `replaced`): then the session connects again, and the other place is replaced. */
  updateBridge(input?: {
    /** An https URL (or http where the service is not in production) of at most 2,048 characters, without spaces, fragment, user name and password, at a public address unless the operator allows others. `""` or null is the hosted inbox. */
    webhook_url?: string | null
    /** The types of events to send; null is all of them, including those of later releases, but not `message_status`, `message_lost`, `group` and `channel_post`, which are sent only if you name them. */
    events?: EventType[] | null
    /** Chats whose events are not sent: `status`, `groups`; `[]` is none. */
    ignore?: ("status" | "groups")[]
    /** What events of the type `message_status` say of a message to a group. `counts`: how many members have received, read and played it. `participants`: also who, in an event for each receipt that comes by itself. */
    message_status?: "counts" | "participants"
    /** Whether the session appears as available for some minutes a day; it does unless you say false. A phone warns its owner of a linked device that was not available for about two weeks, and offers to log it out. */
    daily_presence?: boolean
    /** Whether `sendText` fetches the page of a text's first link, where the call says neither `link_preview` nor `preview`; it does not unless you say true. */
    link_previews?: boolean
    /** How slowly the bridge sends; it replaces the pacing of before, and null ends it. A message that would have to wait for longer than five seconds is refused with 429 `pacing`. */
    pacing?: {
      /** How many chats with people it may begin in a day (UTC). */
      new_chats_a_day?: number
      /** The least time from one message to the next; up to half as much is added at random. */
      gap_ms?: number
      /** For how long it is shown as typing before each message. */
      typing_ms?: number
    } | null
    /** A proxy for the session: `http://`, `https://` or `socks5://`, with a user name and password if it wants them, at a public address unless the operator allows others. Socket, files and look-ups of names go through it, and the session connects anew. No answer shows it again. null is none. */
    proxy_url?: string | null
    /** Your own S3, or a store that speaks its protocol: the file of each message from now on is put into it, and its event says where. It replaces the one before; null is none. */
    media_store?: {
      /** An https URL without a path, as `webhook_url` at a public address; absent: Amazon's own. */
      endpoint?: string
      bucket: string
      region?: string
      /** What each key begins with, such as `shop/media/`; `""`: nothing. */
      prefix?: string
      /** `presigned`: events bring a `url` that is good for seven days. `key`: they bring none. */
      link?: "presigned" | "key"
      access_key_id: string
      /** Answers show `***`. */
      secret_access_key: string
    } | null
    /** For how many days messages are kept, those that come in and those that are sent, so that `listMessages` has them: from now on, and those of the events and sends that are still known; null keeps no more of them. Those in chats that `ignore` names are not kept. */
    keep?: 7 | 30 | 90 | null
    /** With `keep`: whether a phone that is linked from now on is asked for what was said before. It tells what it chooses, some minutes long; of that the messages of the last `keep` days are kept, at most 500 of a chat and 20,000 in all. They are no events. */
    history?: boolean
  }, options?: CallOptions): Promise<BridgeAfterPatch>

  /** Delete a bridge: unlink it, destroy its keys, free its reference */
  removeBridge(options?: CallOptions): Promise<void>

  /** The state of the session */
  status(options?: CallOptions): Promise<SessionStatus>

  /** The current QR code for linking the session: ask again when it has expired */
  qr(options?: CallOptions): Promise<Response>

  /** Link with a code that is typed on the phone */
  pair(input: {
    /** 7 to 15 digits; a leading `+` is dropped. */
    phone: string
  }, options?: CallOptions): Promise<{
    code: string
  }>

  /** Answer the network's request for a passkey. The body is a browser's answer to `status.passkey.options`, made on https://web.whatsapp.com: the JSON of `navigator.credentials.get`. After a refusal `status` has the request to answer next. */
  passkey(input: {
    id: string
    rawId: string
    type: "public-key"
    response: {
      clientDataJSON: string
      authenticatorData: string
      signature: string
      userHandle?: string | null
    }
  }, options?: CallOptions): Promise<Ok>

  /** Unlink the session, or turn away a phone that wants a passkey */
  logout(options?: CallOptions): Promise<Ok>

  /** Make a page on which somebody links their phone, without an account of their own. Give the URL to the person whose number it is. It works for an hour, or until a phone is linked; a lasting one until another is made. Anyone who has it can link a phone to this bridge, so treat it as a secret. */
  createLinkSession(input?: {
    /** The number that has to be linked; another one is refused on the page. */
    expected_phone?: string
    /** Where the page leads when a phone is linked. */
    return_url?: string
    /** The page stays: it shows whether the phone is linked, and links it again when it is not. */
    lasting?: boolean
    /** The origin of the site that may show the page in a frame; none, unless you say one. */
    embed_at?: string
  }, options?: CallOptions): Promise<LinkSession>

  /** Send a text message */
  sendText(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    body: string
    /** What is shown of a link, in your words: nothing is fetched. */
    preview?: {
      /** The link, as it stands in `body`. */
      url: string
      title: string
      description?: string
      /** In base64 (RFC 4648, with padding): a JPEG, PNG or WebP of at most 256 KiB. It is sent small; anything else is `media_type_mismatch`. */
      image?: string
    }
    /** Whether the service fetches the page of the text's first link, and shows its title, description and picture. By default as `link_previews` of the bridge says. The text goes without where that cannot be had within seven seconds. */
    link_preview?: boolean
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Send an image, video, audio, document or sticker */
  sendMedia(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    /** The service fetches it. (A small file may stand in `data` instead, in base64; a larger one is uploaded, and named in `file`.) Its first bytes decide how it is sent, whatever its server says: JPEG, PNG and WebP are sent as an image, Ogg as a voice note, other sounds as audio, a video as video, an animated GIF as a video that plays like one (without ffmpeg at the service `conversion_unavailable`), everything else as a document. At most 16 MB, or 100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. What is said to be an image, a video or a sound and does not begin like one, or an image that cannot be decoded, is `media_type_mismatch`, and so is an empty file. */
    url?: string
    /** An uploaded file, as `createUpload` gave it. */
    file?: string
    /** In base64 (RFC 4648, with padding): a small file itself, of at most 350 KB. */
    data?: string
    /** Required with `data`, as `image/png`. With `url` it counts in place of what that server says. `application/octet-stream`: whatever it is. Where the first bytes show something else, it is `media_type_mismatch`. */
    content_type?: string
    /** Sends a WebP as a sticker as it is, a JPEG or PNG as one of 512 by 512 pixels; any other file is `media_type_mismatch`. */
    as_sticker?: boolean
    /** Makes any sound, or that of a video, a voice note with its waveform: at most 15 minutes, of a file of at most 100 MB. Without ffmpeg at the service it is `conversion_unavailable`. */
    as_voice?: boolean
    /** Sends any file as it is, also a picture, a video or a sound, as a document of at most 100 MB. */
    as_document?: boolean
    /** Sends a video as phones send a GIF: it plays by itself, again and again, without sound. Any other file but an animated GIF, which is always sent so, is `media_type_mismatch`. */
    gif_playback?: boolean
    /** Sends a video as phones record a video note: round, without a text. Any other file is `media_type_mismatch`. */
    video_note?: boolean
    /** An image, a video or a voice note that can be opened once; any other file is `media_type_mismatch`. */
    view_once?: boolean
    /** The text beside an image, a video or a document; any other file is then `media_type_mismatch`. */
    caption?: string
    /** The name of a document; by default that of the upload, or that in the Content-Disposition of the URL's answer, or the last part of the URL's path. It goes without invisible characters, and with `_` for each `/` and `\`. */
    filename?: string
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Upload a file, to send it. Then POST `multipart/form-data` to `upload.url`: each of `upload.fields`, and the file itself as `file`, which comes last. No API key goes with it. 204 says that the file is there. It can be sent for 24 hours, as often as you like, by `file` of `sendMedia` and `sendStatus`. It takes up to 100 MB; a byte more is 413, or 400 from Amazon S3, where that is the place. */
  createUpload(input: {
    content_type: string
    filename?: string
    /** In bytes. A file of another size is then refused. */
    size?: number
  }, options?: CallOptions): Promise<Upload>

  /** React to a message */
  sendReaction(input: {
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
    /** `""` removes the reaction. */
    emoji: string
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    message_id: string
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Send a poll */
  sendPoll(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    question: string
    options: string[]
    /** How many options one person may choose; 0: any number; by default 1. */
    max_answers?: number
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Send a location */
  sendLocation(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    lat: number
    lng: number
    name?: string
    address?: string
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Send an event message, which recipients can answer */
  sendEvent(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    name: string
    description?: string
    /** Unix seconds. */
    start_time: number
    /** Unix seconds; not before the start. */
    end_time?: number
    /** The link for joining a call. */
    join_link?: string
    has_reminder?: boolean
    is_schedule_call?: boolean
    /** How long before the start the phone shows a reminder. */
    reminder_offset_sec?: number
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Send contact cards */
  sendContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** The message that this one replies to, of the same chat. */
    quoted_message_id?: string
    /** The people whom the text mentions. */
    mentions?: string[]
    /** `refuse`: where this message would begin a chat with a person, it is 409 `new_chat`, and nothing is sent. `allow`: it is sent, and the person is known from then on. */
    new_chat?: "refuse" | "allow"
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    contacts: ({
      name: string
      /** 7 to 15 digits; a leading `+` is dropped. */
      phone?: string
      organization?: string
      email?: string
      /** The whole card, in place of the fields above but the name. */
      vcard?: string
    })[]
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Forward a message */
  sendForward(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    message_id: string
    /** The chat that the message is in; needed only if messages of several chats have this id. */
    from_chat?: string
    /** A message of this chat that is marked as read just before this one leaves, as a phone does. If it is unknown, or that fails, this message is sent all the same. A replay under an Idempotency-Key marks nothing. */
    read?: string
    /** For how long you are shown as typing before this message, which the call takes longer. It replaces that of the bridge's `pacing`. */
    typing_ms?: number
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Post a status: a text, a picture, a video or a sound */
  sendStatus(input?: {
    /** The text, or the one beside the picture or the video. */
    body?: string
    /** The service fetches it. (A small file may stand in `data` instead, in base64; a larger one is uploaded, and named in `file`.) Its first bytes decide how it is sent, whatever its server says: JPEG, PNG and WebP are sent as an image, Ogg as a voice note, other sounds as audio, a video as video, an animated GIF as a video that plays like one (without ffmpeg at the service `conversion_unavailable`), everything else as a document. At most 16 MB, or 100 MB for a document. A picture may have 25 megapixels, or 200 if it is a JPEG that is not progressive. What is said to be an image, a video or a sound and does not begin like one, or an image that cannot be decoded, is `media_type_mismatch`, and so is an empty file. */
    url?: string
    /** An uploaded file, as `createUpload` gave it. */
    file?: string
    /** In base64 (RFC 4648, with padding): a small file itself, of at most 350 KB. */
    data?: string
    /** Required with `data`, as `image/png`. With `url` it counts in place of what that server says. `application/octet-stream`: whatever it is. Where the first bytes show something else, it is `media_type_mismatch`. */
    content_type?: string
    /** The colour behind a text or a sound. */
    background?: string
    /** Plans the message for this time, Unix seconds, at most 366 days ahead. The call answers at once, with `state` `planned`; what needs the network or a URL is looked at when it is due. Not with `file` or a large `data`: give a `url`. */
    send_at?: number
    /** With `send_at`: for how many seconds after that it may still go, as when the number is away at its time; by default 600. */
    valid_for?: number
  }, options?: SendOptions): Promise<SendResult>

  /** Show that you are typing or recording */
  sendTyping(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
    state: "composing" | "recording" | "paused"
  }, options?: CallOptions): Promise<Ok>

  /** A message that was sent or received, and what has become of it. As it is now: edited, or revoked. For 30 days, whether or not a phone is linked now, unless `chat` is a username, which is asked of the network. Events that `events` and `ignore` switch off leave nothing to look up. */
  getMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
  }, options?: CallOptions): Promise<Message>

  /** Revoke a message for everyone. One that the session's account has sent, or another member's in a group of which it is an admin. One that is revoked already is revoked once more, which phones do not show. */
  revokeMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
  }, options?: SendOptions): Promise<SendResult>

  /** The message that was sent under an Idempotency-Key, and what has become of it. For the 24 hours of the key. Unlike a repetition of the request, this never sends anything. */
  findMessage(input: {
    /** As in the header of the request that sent it. */
    idempotency_key: string
  }, options?: CallOptions): Promise<Message>

  /** The messages that were sent through the API, newest first, and what has become of each. Of the last 30 days, the latest 10,000. It needs no connection, unless `chat` is a username. A call that was refused sent nothing: `listRequests` says why. */
  listSent(input?: {
    /** Only messages to this chat. */
    chat?: string
    limit?: number
    /** Only messages behind this one: the `X-Next-After` of the page before. */
    after?: string
  }, options?: CallOptions): Listing<SentMessage>

  /** Remove a message from the account's own devices. From the phone, all other devices of the account, and the messages that are kept here. Others still have it: `revokeMessage` removes it for everyone. Its event stays, and `getMessage` still finds it. */
  deleteForMe(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
  }, options?: CallOptions): Promise<Ok>

  /** Change the text or the caption of a sent message. Phones offer this for 15 minutes, and ignore an edit of a message that is older than 20. */
  editMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
    body: string
  }, options?: SendOptions): Promise<SendResult>

  /** Pin a message in its chat, for everyone */
  pinMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
    /** For how many seconds; by default 604,800, a week. */
    duration?: 86400 | 604800 | 2592000
  }, options?: SendOptions): Promise<SendResult>

  /** Unpin a message */
  unpinMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
  }, options?: SendOptions): Promise<SendResult>

  /** Send a read receipt */
  readMessage(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
  }, options?: CallOptions): Promise<Ok>

  /** The file of a received message. Of a revoked message it is `media_expired`. */
  messageMedia(input: {
    /** A message id, as an event or a send result gave it; in a path percent-encoded. */
    id: string
    /** The chat of the message; needed only if messages of several chats have this id. */
    chat?: string
    /** The place of a card in `interactive.cards`, from 0: its file in place of the message's own. */
    card?: number
  }, options?: CallOptions): Promise<Response>

  /** The messages that are planned, and what became of those that were. Those that were planned alone, or those of a job. What is over is kept for 7 days. It needs no connection. */
  listPlanned(input?: {
    /** `planned`: what is still to go, the next one first. `over`: all else, in no order. */
    state?: "planned" | "over"
    /** Those of this job, in its order. */
    job?: string
    /** Only those to this chat. */
    chat?: string
    limit?: number
    /** The `X-Next-After` of the page before. */
    after?: string
  }, options?: CallOptions): Listing<PlannedSend>

  /** A planned message, and what has become of it */
  getPlanned(input: {
    id: string
    /** Its chat; one to another chat is then `not_found`. */
    chat?: string
  }, options?: CallOptions): Promise<PlannedSend>

  /** Plan a message for another time. Of a job, the job's own time holds: `not_planned`. */
  changePlanned(input: {
    id: string
    /** Its chat; one to another chat is then `not_found`. */
    chat?: string
    /** Unix seconds. A time that has passed: now. */
    send_at: number
    /** By default as it was. */
    valid_for?: number
  }, options?: CallOptions): Promise<PlannedSend>

  /** Cancel a planned message. It is certain that it does not go. One whose sending has begun is `not_planned`. */
  cancelPlanned(input: {
    id: string
    /** Its chat; one to another chat is then `not_found`. */
    chat?: string
  }, options?: CallOptions): Promise<Ok>

  /** Send a text to many, slowly. One message to each chat, in the order of the list: `body`, or the `template` with the message's `fields` in place of `{{name}}`. All or none are taken. The body may have 4 MB. */
  createJob(input: {
    /** For people. */
    name?: string
    template?: string
    /** A chat that is named twice is `invalid_request`. */
    messages: ({
      /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
      chat: string
      body?: string
      fields?: Record<string, string>
    })[]
    /** When it begins, Unix seconds; by default now. */
    send_at?: number
    /** For how many seconds after its time messages may still go. What is left then never goes. */
    valid_for?: number
    /** The least time from one of its messages to the next; up to half as much is added at random. At least twice the gap of the bridge's `pacing` is kept. */
    gap_ms?: number
    /** As of a send. */
    new_chat?: "refuse" | "allow"
  }, options?: SendOptions): Promise<Job>

  /** The jobs of the last 30 days, the newest first */
  listJobs(options?: CallOptions): Promise<Job[]>

  /** A job, and how far it has come. What became of each message: `listPlanned` with `job`. */
  getJob(input: {
    id: string
  }, options?: CallOptions): Promise<Job>

  /** Pause a job, let it go on, or stop it for good. When this has answered, no message of a paused or stopped job begins to be sent; one that has begun may still arrive. */
  changeJob(input: {
    id: string
    state: "running" | "paused" | "stopped"
  }, options?: CallOptions): Promise<Job>

  /** The chats of the session, the one with the latest message first. Those with messages that are kept (`keep` of the bridge), and those that the phone has archived, pinned or muted. Where it has done so before `keep` was set is known after the session's next login. It needs no connection. */
  listChats(input?: {
    limit?: number
    /** The `X-Next-After` of the page before, of the same bridge and chat. */
    after?: string
  }, options?: CallOptions): Listing<Chat>

  /** Archive, pin or mute a chat, or mark it as read or unread. On the phone and all other devices of the account. Nobody else hears of it: `readMessage` sends a read receipt. Archiving ends a pin. If a change fails after others, the error names those that were made. */
  updateChat(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    archived?: boolean
    pinned?: boolean
    muted?: boolean
    /** With `muted`: until when, Unix seconds; without it there is no end. */
    muted_until?: number
    /** False marks it as read. */
    unread?: boolean
  }, options?: CallOptions): Promise<Chat>

  /** Delete a chat with its messages. On the phone and all other devices of the account, and among the messages that are kept here; nobody else hears of it. Events that have been made stay, and single messages are still found by their ids. A new message begins it anew. A group is not left. */
  deleteChat(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
  }, options?: CallOptions): Promise<Ok>

  /** Clear a chat: remove its messages. On the phone and all other devices of the account, and among the messages that are kept here; nobody else hears of it. Events that have been made stay, and single messages are still found by their ids. Starred messages go, too. */
  clearChat(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
  }, options?: CallOptions): Promise<Ok>

  /** The messages of a chat that are kept, newest first. Those that came in or were sent in the last `keep` days of the bridge; of the time before `keep` was set, those of the events and sends that were still known then. It needs no connection. */
  listMessages(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    /** Only messages from this time on, Unix seconds. */
    since?: number
    /** Only messages before this time, Unix seconds. */
    until?: number
    /** Only messages that this person wrote. */
    person?: string
    /** Only messages of this type. */
    type?: "text" | "media" | "reaction" | "poll" | "location" | "event" | "contact" | "unknown"
    limit?: number
    /** The `X-Next-After` of the page before, of the same bridge and chat. */
    after?: string
  }, options?: CallOptions): Listing<KeptMessage>

  /** After what time the messages of a chat disappear. For a chat between two people: as its devices have told since the phone was linked. */
  getChatTimer(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
  }, options?: CallOptions): Promise<ChatTimer>

  /** Let the messages of a chat disappear after some time, or stay. It holds for everybody in the chat, whose phones show who changed it, and for the messages that are sent from then on. Of a group it is the `disappearing` of `updateGroup`. */
  setChatTimer(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    /** After how many seconds messages disappear: a day, a week, 90 days; 0: never. */
    seconds: 0 | 86400 | 604800 | 7776000
  }, options?: CallOptions): Promise<ChatTimer>

  /** The messages that are kept and have these words, in one chat or in all. The words are found as they stand together in a message, its file's name, its cards or its people's names and numbers, in whichever case, without accents, and with letters that look alike as one. Without `chat`, the chat with the latest message is searched first, then the next one, and each from its newest message on. It needs no connection. */
  searchMessages(input: {
    /** What the messages have. */
    words: string
    /** Only messages of this chat. */
    chat?: string
    limit?: number
    /** The `X-Next-After` of the page before, of the same bridge and chat. */
    after?: string
  }, options?: CallOptions): Listing<KeptMessage>

  /** Ask the phone for older messages of a chat. The account's phone has what was said before it was linked here. It answers only while it is online. No event comes of these messages. */
  askForOlder(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    count?: number
    /** The message of the chat before which they are; by default the oldest that is kept. */
    before?: string
  }, options?: CallOptions): Promise<{
    /** `asked`: the phone has not answered within 20 seconds, as when it is off. Once it is online it answers, and what is kept is then in `listMessages`. */
    state: "came" | "asked"
    /** Newest first. */
    messages: KeptMessage[]
    /** The phone has none that are older. */
    is_end: boolean
  }>

  /** Hand a chat over to a person, or take it back. An answer that is written on the dashboard hands the chat over, too. A handover informs your program, which can still send. Each call starts the time again. */
  setHandover(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    /** For how long a person answers; 0: your program answers from now on. */
    seconds?: number
  }, options?: CallOptions): Promise<Handover>

  /** The chats in which a person answers. Where somebody answers by hand, your program should be silent: its events of messages there have `handover`. It needs no connection, and nothing that is kept. */
  listHandovers(input?: {
    /** Only this chat. */
    chat?: string
  }, options?: CallOptions): Promise<Handover[]>

  /** The labels of a business */
  listLabels(input?: {
    /** Only those that this chat has. */
    chat?: string
  }, options?: CallOptions): Promise<Label[]>

  /** Make a label. If there is one of this name, that one is answered. */
  createLabel(input: {
    name: string
    /** One of WhatsApp's twenty colours, by its number. */
    color?: number
  }, options?: CallOptions): Promise<Label>

  /** Change the name or the colour of a label */
  updateLabel(input: {
    /** The id of a label. */
    id: string
    name?: string
    /** One of WhatsApp's twenty colours, by its number. */
    color?: number
  }, options?: CallOptions): Promise<Label>

  /** Delete a label; the chats that have it stay */
  removeLabel(input: {
    /** The id of a label. */
    id: string
  }, options?: CallOptions): Promise<Ok>

  /** The chats and messages that have a label */
  listLabelled(input: {
    /** The id of a label. */
    id: string
  }, options?: CallOptions): Promise<Labelled[]>

  /** Put a label on a chat or a message */
  labelChat(input: {
    /** The id of a label. */
    id: string
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    /** A message of this chat that is meant, in place of the chat itself. */
    message_id?: string
  }, options?: CallOptions): Promise<Ok>

  /** Take a label off a chat or a message */
  unlabelChat(input: {
    /** The id of a label. */
    id: string
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a group's (`…@g.us`). */
    chat: string
    /** A message of this chat that is meant, in place of the chat itself. */
    message_id?: string
  }, options?: CallOptions): Promise<Ok>

  /** Decline a call */
  rejectCall(input: {
    /** A call id, as `call_incoming` gave it; percent-encoded. */
    id: string
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), or a person's JID: `…@s.whatsapp.net`, `…@lid`. */
    contact_id: string
  }, options?: CallOptions): Promise<Ok>

  /** The contacts of the session, by JID */
  listContacts(input?: {
    limit?: number
    /** The last JID of the previous page. */
    after?: string
  }, options?: CallOptions): Listing<Contact>

  /** Which phone numbers are on the network */
  checkContacts(input: {
    phones: string[]
  }, options?: CallOptions): Promise<ContactCheck[]>

  /** The people whom the account has blocked */
  listBlocked(options?: CallOptions): Promise<({
    jid: string
    phone: string
  })[]>

  /** One contact */
  getContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
  }, options?: CallOptions): Promise<Contact>

  /** Put somebody into the account's address book, or change their name there. On the phone and all other devices of the account. */
  saveContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
    full_name: string
    /** By default the first word of `full_name`. */
    first_name?: string
  }, options?: CallOptions): Promise<Contact>

  /** Remove somebody from the account's address book. They stay a contact here, without the names that they had there. */
  forgetContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** A contact's picture */
  contactAvatar(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
  }, options?: CallOptions): Promise<Response>

  /** Block somebody: the network takes no more messages and calls of theirs */
  blockContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** Unblock somebody */
  unblockContact(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a person's JID (`…@s.whatsapp.net`, `…@lid`), or a username: `@ada`, or `@ada:1234`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** The groups that the session's account is in, by JID */
  listGroups(input?: {
    /** By default 100. */
    limit?: number
    /** The last JID of the previous page. For a minute after a page without `after`, the pages that follow show the groups as they were then. */
    after?: string
  }, options?: CallOptions): Listing<Group>

  /** Create a group. Without an Idempotency-Key a repeated call creates another group. With one, a retry after a lost answer looks for the group among the account's own, and creates it only if it is not there: should the network create the first one after that, there are two. */
  createGroup(input: {
    name: string
    /** The first members, besides the session's account. */
    members?: string[]
    /** What the group is about; `""` removes it. */
    topic?: string
    /** Who may write. */
    write?: "all" | "admins"
    /** Who may change name, topic, picture and disappearing messages. */
    edit?: "all" | "admins"
    /** Who may add members. */
    add_members?: "all" | "admins"
    /** Whether admins decide about those who come by the link. */
    approval?: boolean
    /** After how many seconds messages disappear: a day, a week, 90 days; 0: never. */
    disappearing?: 0 | 86400 | 604800 | 7776000
  }, options?: SendOptions): Promise<{
    group: Group
    members: MemberOutcome[]
  }>

  /** The group that a link leads to, without joining it */
  lookAtInvite(input: {
    /** The link of a group, or the code at its end. */
    link: string
  }, options?: CallOptions): Promise<Group>

  /** Join a group by its link */
  joinGroup(input: {
    /** The link of a group, or the code at its end. */
    link: string
  }, options?: CallOptions): Promise<{
    jid: string
    /** `false`: the group's admins decide, and were asked. An event of the type `group` says if they let the account in. */
    joined: boolean
  }>

  /** One group, with its members */
  getGroup(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<GroupWithMembers>

  /** Change a group's name, topic or settings */
  updateGroup(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    name?: string
    /** What the group is about; `""` removes it. */
    topic?: string
    /** Who may write. */
    write?: "all" | "admins"
    /** Who may change name, topic, picture and disappearing messages. */
    edit?: "all" | "admins"
    /** Who may add members. */
    add_members?: "all" | "admins"
    /** Whether admins decide about those who come by the link. */
    approval?: boolean
    /** After how many seconds messages disappear: a day, a week, 90 days; 0: never. */
    disappearing?: 0 | 86400 | 604800 | 7776000
  }, options?: CallOptions): Promise<Group>

  /** Leave a group */
  leaveGroup(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** A group's picture */
  groupAvatar(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<Response>

  /** Change a group's picture: to the middle of a JPEG, at most 640 by 640 pixels */
  setGroupAvatar(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    /** The service fetches it: a JPEG of at most 16 MB and 200 megapixels, or 25 if it is progressive. Anything else is `media_type_mismatch`. */
    url: string
  }, options?: CallOptions): Promise<{
    picture_id: string
  }>

  /** Remove a group's picture */
  removeGroupAvatar(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** Add members. A retry under the same Idempotency-Key sends nobody a second invitation. If the first answer is not known, it asks the network again: whoever was added before is then `refused` as `already`. */
  addMembers(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
    /** Sends an invitation as a message to those whom only their contacts may add, under the bridge's pacing. */
    invite?: boolean
  }, options?: SendOptions): Promise<MemberOutcome[]>

  /** Remove members */
  removeMembers(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
  }, options?: CallOptions): Promise<MemberOutcome[]>

  /** Make members admins */
  promoteMembers(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
  }, options?: CallOptions): Promise<MemberOutcome[]>

  /** Make admins members */
  demoteMembers(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
  }, options?: CallOptions): Promise<MemberOutcome[]>

  /** The link by which people join a group */
  getInvite(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<GroupInvite>

  /** Revoke the link of a group, which gets another. A repeated call revokes the new link, too. After a lost answer, ask for the link that holds now. */
  revokeInvite(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<GroupInvite>

  /** The people who ask to join a group */
  listJoinRequests(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
  }, options?: CallOptions): Promise<JoinRequest[]>

  /** Let people in who ask to join */
  approveRequests(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
  }, options?: CallOptions): Promise<MemberOutcome[]>

  /** Turn away people who ask to join */
  rejectRequests(input: {
    /** A group's JID: `…@g.us`. */
    jid: string
    members: string[]
  }, options?: CallOptions): Promise<MemberOutcome[]>

  /** The channels that the account follows or has */
  listChannels(options?: CallOptions): Promise<Channel[]>

  /** The channel that a link leads to, without following it */
  findChannel(input: {
    /** `https://whatsapp.com/channel/…`, or what stands behind the last `/`. */
    link: string
  }, options?: CallOptions): Promise<Channel>

  /** One channel */
  getChannel(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
  }, options?: CallOptions): Promise<Channel>

  /** Follow a channel. One that is followed already stays so. Its posts are events if `events` of the bridge names `channel_post`. */
  followChannel(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** Follow a channel no more */
  unfollowChannel(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
  }, options?: CallOptions): Promise<Ok>

  /** The posts of a channel, newest first, whether or not it is followed */
  listPosts(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
    limit?: number
    /** Only posts before this one, by its `number`. */
    before?: number
  }, options?: CallOptions): Promise<(ChannelPost & {
    /** How often it was seen, as the network counts. */
    views: number
  })[]>

  /** Post a text in a channel that the account has or administers */
  createPost(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
    body: string
  }, options?: SendOptions): Promise<SendResult>

  /** React to a post of a channel */
  reactToPost(input: {
    /** A channel's JID: `…@newsletter`. */
    jid: string
    number: string
    /** `""` removes the reaction. */
    emoji: string
  }, options?: CallOptions): Promise<Ok>

  /** The session's own profile */
  getProfile(options?: CallOptions): Promise<Profile>

  /** Change the About text */
  setAbout(input: {
    status: string
  }, options?: CallOptions): Promise<Ok>

  /** Change the account's name. People see it who have not saved the number. The phone and all other devices have it, too. */
  setName(input: {
    name: string
  }, options?: CallOptions): Promise<Ok>

  /** The session's own picture */
  ownAvatar(options?: CallOptions): Promise<Response>

  /** Change the picture: to the middle of a JPEG, at most 640 by 640 pixels */
  setAvatar(input: {
    /** The service fetches it: a JPEG of at most 16 MB and 200 megapixels, or 25 if it is progressive. Anything else is `media_type_mismatch`. */
    url: string
  }, options?: CallOptions): Promise<{
    picture_id: string
  }>

  /** Remove the picture */
  removeAvatar(options?: CallOptions): Promise<Ok>

  /** The link of the personal QR code */
  profileQr(options?: CallOptions): Promise<{
    link: string
  }>

  /** Who sees status updates */
  statusPrivacy(options?: CallOptions): Promise<StatusPrivacy[]>

  /** Who sees what of the account, and may write, call and add it to groups */
  getPrivacy(options?: CallOptions): Promise<Privacy>

  /** Change who sees what of the account, and may write, call and add it to groups. If a change fails after others, the error names those that were made. */
  updatePrivacy(input?: {
    last_seen?: "all" | "contacts" | "contact_blacklist" | "none"
    online?: "all" | "match_last_seen"
    profile_picture?: "all" | "contacts" | "contact_blacklist" | "none"
    about?: "all" | "contacts" | "contact_blacklist" | "none"
    groups?: "all" | "contacts" | "contact_blacklist" | "none"
    calls?: "all" | "known"
    messages?: "all" | "contacts"
    read_receipts?: boolean
    /** After how many seconds messages disappear: a day, a week, 90 days; 0: never. */
    disappearing?: 0 | 86400 | 604800 | 7776000
  }, options?: CallOptions): Promise<Privacy>

  /** Appear as available or not */
  setPresence(input: {
    state: "available" | "unavailable"
  }, options?: CallOptions): Promise<Ok>

  /** Get a contact's presence and typing as events, for a few minutes. Your own presence must be `available`. A group has no presence, and typing in it is sent without a subscription. */
  subscribePresence(input: {
    /** A phone number of 7 to 15 digits (a leading `+` is dropped), a JID (`…@s.whatsapp.net`, `…@lid`, `…@g.us` for a group), or a username: `@ada`, or `@ada:1234` with the four digits that its owner may ask for. */
    chat: string
  }, options?: CallOptions): Promise<Ok>

  /** The latest delivery attempts, newest first */
  webhookLogs(options?: CallOptions): Promise<DeliveryAttempt[]>

  /** The events of a bridge, as a list or as they happen. With `state`, only those that wait, were given up, or went to the hosted inbox. With `Accept: text/event-stream` the answer is a stream of new events. Each has its event id as `id`, so a reader that comes back with `Last-Event-ID` misses nothing. A stream begins now, or at `since`, and takes only `type`, `chat`, `direction`, `search` and `since`. It begins with an `id` alone, its place; each comment has one, too, so that also a reader who wants few events can go on where it was. If events behind `Last-Event-ID` are no longer kept, a message `event: missed` says how many there were, of all types and chats: `{"missed": 94}`. At most 5 streams of a bridge and 20 of an account are open at once. Beyond that the answer is 429 until one has ended. */
  listEvents(input?: {
    /** Without it, every event that is kept, delivered ones included. */
    state?: "inbox" | "undelivered" | "pending"
    /** With `state`: the webhook at which it is so, by its id; `first` unless you say another. Of another, `pending` has also what its filters let through. */
    webhook?: string
    /** Only events of these types, with commas in between. */
    type?: EventType[]
    /** Only events with this `chat_id`; digits, or a JID. */
    chat?: string
    /** `in`: only what others wrote, and calls. `out`: only what was written on the phone or another of its devices. */
    direction?: "in" | "out"
    /** Only events in which this text is, in whichever case. */
    search?: string
    /** Only events from this time on, Unix seconds. */
    since?: number
    /** The last event id of the previous page. */
    after?: string
    /** Which comes first. */
    order?: "oldest" | "newest"
    limit?: number
  }, options?: CallOptions): Listing<StoredEvent>

  /** Deliver an event once more, under the same id. At most 100 events can wait to be sent again to a webhook. Beyond that the answer is 429 until some have been sent. */
  resendEvent(input: {
    /** As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it. */
    event_id: string
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<Ok>

  /** Send a signed `test` event to the webhook, or an example of another, and say what it answered. Sent at once, ahead of what waits, with `X-Webhook-Test: true`. It is not kept. */
  testWebhook(input?: {
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
    /** The type of the example: what it says has not happened. `test` by default, and of a webhook with a `format` always. */
    event?: EventType
  }, options?: CallOptions): Promise<DeliveryAttempt>

  /** How far delivery has come: what waits, until when, since when it fails, and the latest attempts */
  listDeliveries(input?: {
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<Deliveries>

  /** What was sent of an event, and what each attempt met with */
  getDelivery(input: {
    /** As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it. */
    event_id: string
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<DeliveryOfEvent>

  /** Try the event whose turn it is now, instead of at the end of its wait. The attempt counts among the event's five. Events behind it keep their turn. */
  retryDelivery(input: {
    /** As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it. */
    event_id: string
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<Ok>

  /** Give up the event whose turn it is, and go on with the next. The event is undelivered: `listEvents` lists it, and `resendEvent` sends it again. An attempt that is under way is waited for, up to 12 s. */
  skipDelivery(input: {
    /** As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it. */
    event_id: string
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<Ok>

  /** Deliver once more what was given up since a time. Oldest first. Where three in a row fail, the rest is not tried. If the answer has `next`, there are more than 10,000: ask again with it as `after`. While 100 such requests wait, the answer is 429. */
  resendSince(input: {
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
    /** Events that were given up at this time or later, Unix seconds. */
    since: number
    /** And at this time or before; by default until now. */
    until?: number
    /** Go on behind this event. */
    after?: string
  }, options?: CallOptions): Promise<{
    ok: true
    /** How many will be sent. */
    count: number
    /** There are more: behind this event. */
    next?: string
  }>

  /** The webhooks of a bridge, `webhook_url` first */
  listWebhooks(options?: CallOptions): Promise<Webhook[]>

  /** Add a webhook: it gets each event from now on, besides the others. A bridge has up to five. Each is delivered in order and at least once by itself, so one that is slow or dead delays no other. A URL that a webhook of the bridge has already is answered with that one, unchanged. */
  createWebhook(input: {
    /** As `webhook_url` of a bridge, but never empty. */
    url: string
    /** The types of events that it gets, of those that the bridge gets; null is all, including those of later releases. */
    events?: EventType[] | null
    /** Chats whose events it does not get: `status`, `groups`; `[]` is none. */
    ignore?: ("status" | "groups")[]
    /** The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. */
    chats?: string[] | null
    /** Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`. */
    headers?: Record<string, string> | null
    /** Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form. */
    batch?: number | null
    /** Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`. */
    format?: "evolution" | "waha" | null
    /** What that format leaves open; it replaces the options of before, and null ends them. Only with `format`. */
    format_options?: {
      /** The events that it gets, by the names that they have in this format; by default all. */
      events?: string[]
      /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
      media?: boolean
      /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
      path_per_event?: boolean
      /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
      hmac_key?: string
    } | null
    /** Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false. */
    healing?: boolean
  }, options?: CallOptions): Promise<Webhook>

  /** Get a webhook */
  getWebhook(input: {
    /** As `listWebhooks` gives it; `first` is `webhook_url`. */
    webhook_id: string
  }, options?: CallOptions): Promise<Webhook>

  /** Change a webhook, pause it, or let it go on. A field that is not given stays as it is. A change holds from the next attempt on, also for events that wait. A paused webhook keeps its place for seven days: it then goes on with what is younger, and `missed` says how much is not sent. `first` takes `headers`, `batch`, `format`, `format_options` and `healing` alone: what it gets is what the bridge gets, and its URL is the bridge's `webhook_url`. The URL of another webhook of the bridge is refused. */
  updateWebhook(input: {
    /** As `listWebhooks` gives it; `first` is `webhook_url`. */
    webhook_id: string
    /** As `webhook_url` of a bridge, but never empty. */
    url?: string
    /** The types of events that it gets, of those that the bridge gets; null is all, including those of later releases. */
    events?: EventType[] | null
    /** Chats whose events it does not get: `status`, `groups`; `[]` is none. */
    ignore?: ("status" | "groups")[]
    /** The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a person by their phone number, and by their LID only where the number is unknown. */
    chats?: string[] | null
    /** Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`. */
    headers?: Record<string, string> | null
    /** Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form. */
    batch?: number | null
    /** Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart there is not sent. Not with `batch`. */
    format?: "evolution" | "waha" | null
    /** What that format leaves open; it replaces the options of before, and null ends them. Only with `format`. */
    format_options?: {
      /** The events that it gets, by the names that they have in this format; by default all. */
      events?: string[]
      /** Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always. */
      media?: boolean
      /** Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`. */
      path_per_event?: boolean
      /** The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`. */
      hmac_key?: string
    } | null
    /** Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you say false. */
    healing?: boolean
    state?: "active" | "paused"
  }, options?: CallOptions): Promise<Webhook>

  /** Delete a webhook: what waits for it is not sent, and the others lose nothing */
  removeWebhook(input: {
    /** As `listWebhooks` gives it; `first` is `webhook_url`. */
    webhook_id: string
  }, options?: CallOptions): Promise<void>

  /** Replace the webhook secret; for 24 hours both sign. `X-Webhook-Signature` then has two `v1=`, and `webhook-signature` two signatures, the new secret's first: a receiver that accepts either misses nothing. `Authorization` carries the new secret at once. */
  rollSecret(input?: {
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<{
    /** The webhook's secret from now on. */
    webhook_secret: string
    /** Until then the secret that it replaces signs as well. Unix seconds. */
    overlap_until: number
  }>

  /** Stop signing with the replaced secret now */
  finishSecret(input?: {
    /** The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries. */
    webhook?: string
  }, options?: CallOptions): Promise<Ok>

  /** Whether the session's process is up */
  healthz(options?: CallOptions): Promise<{
    ok: true
  }>

  /** Figures of the process that holds the session */
  debugStats(options?: CallOptions): Promise<DebugStats>
}

/** How each call is made: method, path, and what its fields, its key and its answer are. */
export const operations = {
  createBridge: {"method":"POST","path":"/api/instances","body":true,"answer":"json"},
  listBridges: {"method":"GET","path":"/api/instances","query":["limit","after"],"answer":"list"},
  getBridge: {"method":"GET","path":"/api/instances/{customer_ref}","answer":"json"},
  updateBridge: {"method":"PATCH","path":"/api/instances/{customer_ref}","body":true,"answer":"json"},
  removeBridge: {"method":"DELETE","path":"/api/instances/{customer_ref}","answer":"nothing"},
  status: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/status","answer":"json"},
  qr: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/qr","answer":"bytes"},
  pair: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/pair","body":true,"answer":"json"},
  passkey: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/passkey","body":true,"answer":"json"},
  logout: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/logout","answer":"json"},
  createLinkSession: {"method":"POST","path":"/api/instances/{customer_ref}/link-sessions","body":true,"answer":"json"},
  sendText: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/text","body":true,"takesKey":true,"answer":"json"},
  sendMedia: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/media","body":true,"takesKey":true,"answer":"json"},
  createUpload: {"method":"POST","path":"/api/instances/{customer_ref}/files","body":true,"answer":"json"},
  sendReaction: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/reaction","body":true,"takesKey":true,"answer":"json"},
  sendPoll: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/poll","body":true,"takesKey":true,"answer":"json"},
  sendLocation: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/location","body":true,"takesKey":true,"answer":"json"},
  sendEvent: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/event","body":true,"takesKey":true,"answer":"json"},
  sendContact: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/contact","body":true,"takesKey":true,"answer":"json"},
  sendForward: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/forward","body":true,"takesKey":true,"answer":"json"},
  sendStatus: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/status","body":true,"takesKey":true,"answer":"json"},
  sendTyping: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/send/typing","body":true,"answer":"json"},
  getMessage: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/messages/{id}","query":["chat"],"answer":"json"},
  revokeMessage: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/messages/{id}","query":["chat"],"takesKey":true,"answer":"json"},
  findMessage: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/messages","query":["idempotency_key"],"answer":"json"},
  listSent: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/sent","query":["chat","limit","after"],"answer":"list"},
  deleteForMe: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/messages/{id}/for-me","query":["chat"],"answer":"json"},
  editMessage: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/messages/{id}/edit","body":true,"takesKey":true,"answer":"json"},
  pinMessage: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/messages/{id}/pin","body":true,"takesKey":true,"answer":"json"},
  unpinMessage: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/messages/{id}/pin","query":["chat"],"takesKey":true,"answer":"json"},
  readMessage: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/messages/{id}/read","body":true,"answer":"json"},
  messageMedia: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/messages/{id}/media","query":["chat","card"],"answer":"bytes"},
  listPlanned: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/planned","query":["state","job","chat","limit","after"],"answer":"list"},
  getPlanned: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/planned/{id}","query":["chat"],"answer":"json"},
  changePlanned: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/planned/{id}","query":["chat"],"body":true,"answer":"json"},
  cancelPlanned: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/planned/{id}","query":["chat"],"answer":"json"},
  createJob: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/jobs","body":true,"takesKey":true,"answer":"json"},
  listJobs: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/jobs","answer":"json"},
  getJob: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/jobs/{id}","answer":"json"},
  changeJob: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/jobs/{id}","body":true,"answer":"json"},
  listChats: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/chats","query":["limit","after"],"answer":"list"},
  updateChat: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/chats/{chat}","body":true,"answer":"json"},
  deleteChat: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/chats/{chat}","answer":"json"},
  clearChat: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/messages","answer":"json"},
  listMessages: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/messages","query":["since","until","person","type","limit","after"],"answer":"list"},
  getChatTimer: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/disappearing","answer":"json"},
  setChatTimer: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/disappearing","body":true,"answer":"json"},
  searchMessages: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/search","query":["words","chat","limit","after"],"answer":"list"},
  askForOlder: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/history","body":true,"answer":"json"},
  setHandover: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/chats/{chat}/handover","body":true,"answer":"json"},
  listHandovers: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/handovers","query":["chat"],"answer":"json"},
  listLabels: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/labels","query":["chat"],"answer":"json"},
  createLabel: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/labels","body":true,"answer":"json"},
  updateLabel: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/labels/{id}","body":true,"answer":"json"},
  removeLabel: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/labels/{id}","answer":"json"},
  listLabelled: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/labels/{id}/chats","answer":"json"},
  labelChat: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/labels/{id}/chats/{chat}","query":["message_id"],"answer":"json"},
  unlabelChat: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/labels/{id}/chats/{chat}","query":["message_id"],"answer":"json"},
  rejectCall: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/calls/{id}/reject","body":true,"answer":"json"},
  listContacts: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/contacts","query":["limit","after"],"answer":"list"},
  checkContacts: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/contacts/check","body":true,"answer":"json"},
  listBlocked: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/contacts/blocked","answer":"json"},
  getContact: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}","answer":"json"},
  saveContact: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}","body":true,"answer":"json"},
  forgetContact: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}","answer":"json"},
  contactAvatar: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}/avatar","answer":"bytes"},
  blockContact: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}/block","answer":"json"},
  unblockContact: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/contacts/{jid}/block","answer":"json"},
  listGroups: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups","query":["limit","after"],"answer":"list"},
  createGroup: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups","body":true,"takesKey":true,"answer":"json"},
  lookAtInvite: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups/invite","query":["link"],"answer":"json"},
  joinGroup: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/join","body":true,"answer":"json"},
  getGroup: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups/{jid}","answer":"json"},
  updateGroup: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/groups/{jid}","body":true,"answer":"json"},
  leaveGroup: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/leave","answer":"json"},
  groupAvatar: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/avatar","answer":"bytes"},
  setGroupAvatar: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/avatar","body":true,"answer":"json"},
  removeGroupAvatar: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/avatar","answer":"json"},
  addMembers: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/members/add","body":true,"takesKey":true,"answer":"json"},
  removeMembers: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/members/remove","body":true,"answer":"json"},
  promoteMembers: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/members/promote","body":true,"answer":"json"},
  demoteMembers: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/members/demote","body":true,"answer":"json"},
  getInvite: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/invite","answer":"json"},
  revokeInvite: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/invite/revoke","answer":"json"},
  listJoinRequests: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/requests","answer":"json"},
  approveRequests: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/requests/approve","body":true,"answer":"json"},
  rejectRequests: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/groups/{jid}/requests/reject","body":true,"answer":"json"},
  listChannels: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/channels","answer":"json"},
  findChannel: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/channels/invite","query":["link"],"answer":"json"},
  getChannel: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/channels/{jid}","answer":"json"},
  followChannel: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/channels/{jid}/follow","answer":"json"},
  unfollowChannel: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/channels/{jid}/follow","answer":"json"},
  listPosts: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/channels/{jid}/posts","query":["limit","before"],"answer":"json"},
  createPost: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/channels/{jid}/posts","body":true,"takesKey":true,"answer":"json"},
  reactToPost: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/channels/{jid}/posts/{number}/reaction","body":true,"answer":"json"},
  getProfile: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/profile","answer":"json"},
  setAbout: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/profile/status","body":true,"answer":"json"},
  setName: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/profile/name","body":true,"answer":"json"},
  ownAvatar: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/profile/avatar","answer":"bytes"},
  setAvatar: {"method":"PUT","path":"/api/instances/{customer_ref}/proxy/profile/avatar","body":true,"answer":"json"},
  removeAvatar: {"method":"DELETE","path":"/api/instances/{customer_ref}/proxy/profile/avatar","answer":"json"},
  profileQr: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/profile/qr","answer":"json"},
  statusPrivacy: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/status/privacy","answer":"json"},
  getPrivacy: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/privacy","answer":"json"},
  updatePrivacy: {"method":"PATCH","path":"/api/instances/{customer_ref}/proxy/privacy","body":true,"answer":"json"},
  setPresence: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/presence","body":true,"answer":"json"},
  subscribePresence: {"method":"POST","path":"/api/instances/{customer_ref}/proxy/presence/subscribe","body":true,"answer":"json"},
  webhookLogs: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/webhook-logs","answer":"json"},
  listEvents: {"method":"GET","path":"/api/instances/{customer_ref}/events","query":["state","webhook","type","chat","direction","search","since","after","order","limit"],"answer":"list"},
  resendEvent: {"method":"POST","path":"/api/instances/{customer_ref}/events/{event_id}/resend","query":["webhook"],"answer":"json"},
  testWebhook: {"method":"POST","path":"/api/instances/{customer_ref}/webhook-test","query":["webhook","event"],"answer":"json"},
  listDeliveries: {"method":"GET","path":"/api/instances/{customer_ref}/deliveries","query":["webhook"],"answer":"json"},
  getDelivery: {"method":"GET","path":"/api/instances/{customer_ref}/deliveries/{event_id}","query":["webhook"],"answer":"json"},
  retryDelivery: {"method":"POST","path":"/api/instances/{customer_ref}/deliveries/{event_id}/retry","query":["webhook"],"answer":"json"},
  skipDelivery: {"method":"POST","path":"/api/instances/{customer_ref}/deliveries/{event_id}/skip","query":["webhook"],"answer":"json"},
  resendSince: {"method":"POST","path":"/api/instances/{customer_ref}/deliveries/resend","query":["webhook"],"body":true,"answer":"json"},
  resendEverywhere: {"method":"POST","path":"/api/deliveries/resend","body":true,"answer":"json"},
  listWebhooks: {"method":"GET","path":"/api/instances/{customer_ref}/webhooks","answer":"json"},
  createWebhook: {"method":"POST","path":"/api/instances/{customer_ref}/webhooks","body":true,"answer":"json"},
  getWebhook: {"method":"GET","path":"/api/instances/{customer_ref}/webhooks/{webhook_id}","answer":"json"},
  updateWebhook: {"method":"PATCH","path":"/api/instances/{customer_ref}/webhooks/{webhook_id}","body":true,"answer":"json"},
  removeWebhook: {"method":"DELETE","path":"/api/instances/{customer_ref}/webhooks/{webhook_id}","answer":"nothing"},
  rollSecret: {"method":"POST","path":"/api/instances/{customer_ref}/webhook-secret/roll","query":["webhook"],"answer":"json"},
  finishSecret: {"method":"POST","path":"/api/instances/{customer_ref}/webhook-secret/finish","query":["webhook"],"answer":"json"},
  listAccountWebhooks: {"method":"GET","path":"/api/webhooks","answer":"json"},
  createAccountWebhook: {"method":"POST","path":"/api/webhooks","body":true,"answer":"json"},
  getAccountWebhook: {"method":"GET","path":"/api/webhooks/{webhook_id}","answer":"json"},
  updateAccountWebhook: {"method":"PATCH","path":"/api/webhooks/{webhook_id}","body":true,"answer":"json"},
  removeAccountWebhook: {"method":"DELETE","path":"/api/webhooks/{webhook_id}","answer":"nothing"},
  rollAccountSecret: {"method":"POST","path":"/api/webhooks/{webhook_id}/secret/roll","answer":"json"},
  finishAccountSecret: {"method":"POST","path":"/api/webhooks/{webhook_id}/secret/finish","answer":"json"},
  getAccount: {"method":"GET","path":"/api/account","answer":"json"},
  getUsage: {"method":"GET","path":"/api/usage","query":["from","to"],"answer":"json"},
  listRequests: {"method":"GET","path":"/api/requests","query":["refused","after","limit"],"answer":"list"},
  createKey: {"method":"POST","path":"/api/keys","body":true,"answer":"json"},
  listKeys: {"method":"GET","path":"/api/keys","answer":"json"},
  removeKey: {"method":"DELETE","path":"/api/keys/{id}","answer":"nothing"},
  healthz: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/healthz","answer":"json"},
  debugStats: {"method":"GET","path":"/api/instances/{customer_ref}/proxy/debug/stats","answer":"json"},
} as const
