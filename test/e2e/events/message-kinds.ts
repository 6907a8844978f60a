import type { Event } from "#contract/event.ts"
import type { MessageContent } from "#session-host/network/connection.ts"
import { encodeBare } from "#session-host/network/decode.ts"

type Message = Extract<Event, { event: "message" }>
type Kind = [what: string, content: Record<string, unknown>, expected: Partial<Message>]

const place = {
  degreesLatitude: 1,
  degreesLongitude: 2,
  name: "Home",
  address: "Mitte",
  accuracyInMeters: 8,
}

const card = {
  header: {
    title: "Shoe",
    documentMessage: {
      mimetype: "application/pdf",
      fileName: "a.pdf",
      fileLength: 9,
      directPath: "/v/1",
    },
  },
  body: { text: "red" },
  footer: { text: "new" },
  nativeFlowMessage: {
    buttons: ["quick_reply", "cta_url", "cta_call", "cta_copy"].map((name) => ({
      name,
      buttonParamsJson:
        '{"id":"1","display_text":"Look","url":"https://x.test","phone_number":"+49","copy_code":"123"}',
    })),
  },
}

/** `MessageAssociation.AssociationType` */
const associations = [
  [1, "album"],
  [10, "hd"],
  [3, "event_cover"],
  [7, "poll_option"],
  [12, "motion_photo"],
  [8, "status"],
  [99, "other"],
] as const

const amount = { value: 5000, offset: 1000, currencyCode: "BRL" }
const payments: [string, MessageContent][] = [
  ["declined", { declinePaymentRequestMessage: { key: { id: "R" } } }],
  ["cancelled", { cancelPaymentRequestMessage: { key: { id: "R" } } }],
  ["sent", { sendPaymentMessage: { requestMessageKey: { id: "R" } } }],
  ["invitation", { paymentInviteMessage: { expiryTimestamp: 1_900_000_000 } }],
  ["reminder", { paymentReminderMessage: { description: "rent", amount } }],
  ["split", { splitPaymentMessage: { description: "dinner", totalAmount: amount } }],
]

/** A file, as a phone attaches it. */
const media = (kind: string, more: Record<string, unknown> = {}) => ({
  media: { kind, data: "AAAA", mimetype: "application/x-test", ...more },
})

/** A business's message with one button, and what is said beside the buttons. */
const flow = (name: string, params: object, beside: object = {}) => ({
  raw: {
    interactiveMessage: {
      nativeFlowMessage: {
        buttons: [{ name, buttonParamsJson: JSON.stringify(params) }],
        messageParamsJson: JSON.stringify(beside),
      },
    },
  },
})

/** What a phone can write, and what its event says. */
export const kinds: Kind[] = [
  ["a text", { text: "hello" }, { type: "text", media_type: "", body: "hello", name: "Ada" }],
  ["an image", media("image", { caption: "see" }), { type: "media", media_type: "image", caption: "see" }],
  ["a video", media("video"), { type: "media", media_type: "video" }],
  ["music", media("audio"), { type: "media", media_type: "audio" }],
  ["a voice note", media("audio", { voice: true }), { type: "media", media_type: "voice" }],
  ["a document", media("document", { filename: "a.pdf" }), { type: "media", media_type: "document" }],
  ["a sticker", media("sticker"), { type: "media", media_type: "sticker" }],
  [
    "a poll",
    { poll: { question: "Lunch?", options: ["soup", "salad"], selectable: 1 } },
    { type: "poll", body: "Lunch?", options: ["soup", "salad"], max_answers: 1 },
  ],
  [
    "a place",
    {
      raw: {
        locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Berlin", address: "Mitte" },
      },
    },
    { type: "location", location: { lat: 52.5, lng: 13.4, name: "Berlin", address: "Mitte" } },
  ],
  [
    "an event message",
    {
      raw: {
        eventMessage: {
          name: "Party",
          description: "at home",
          startTime: 1_900_000_000,
          endTime: 1_900_003_600,
          joinLink: "https://call.example/1",
        },
      },
    },
    {
      type: "event",
      event_details: {
        name: "Party",
        description: "at home",
        start_time: 1_900_000_000,
        end_time: 1_900_003_600,
        join_link: "https://call.example/1",
      },
    },
  ],
  [
    "a place that moves",
    { raw: { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, accuracyInMeters: 8 } } },
    { type: "location", location: { lat: 1, lng: 2, name: "", address: "", live: true, accuracy_m: 8 } },
  ],
  [
    "an event that was cancelled",
    { raw: { eventMessage: { name: "Party", isCanceled: true, location: place } } },
    { type: "event" },
  ],
  [
    "a contact card",
    { contact: { name: "Bo", vcard: "BEGIN:VCARD\nFN:Bo\nTEL:+49 30 1\nEND:VCARD" } },
    { type: "contact", body: "Bo" },
  ],
  [
    "a poll's results",
    {
      raw: {
        pollResultSnapshotMessage: {
          name: "Lunch?",
          pollVotes: [{ optionName: "soup", optionVoteCount: 2 }],
        },
      },
    },
    { type: "poll", results: [{ option: "soup", votes: 2 }] },
  ],
  [
    "a GIF, with its size",
    { raw: { videoMessage: { mimetype: "video/mp4", width: 4, height: 2, seconds: 3, gifPlayback: true } } },
    {
      media_type: "video",
      file: { name: "", content_type: "video/mp4", size: 0, seconds: 3, width: 4, height: 2, gif: true },
    },
  ],
  [
    "a video note",
    { raw: { ptvMessage: { mimetype: "video/mp4", seconds: 3 } } },
    {
      media_type: "video",
      file: { name: "", content_type: "video/mp4", size: 0, seconds: 3, video_note: true },
    },
  ],
  [
    "a voice note's waveform",
    { raw: { audioMessage: { ptt: true, seconds: 2, waveform: Buffer.of(0, 50, 100).toString("base64") } } },
    {
      media_type: "voice",
      file: { name: "", content_type: "", size: 0, seconds: 2, waveform: [0, 50, 100] },
    },
  ],
  ["a document's pages", { raw: { documentMessage: { pageCount: 2 } } }, { media_type: "document" }],
  ["an image to be seen once", { raw: { imageMessage: { viewOnce: true } } }, { view_once: true }],
  [
    "a list to choose from, with links",
    {
      raw: {
        templateMessage: {
          hydratedTemplate: {
            hydratedTitleText: "Menu",
            hydratedContentText: "Hungry?",
            hydratedFooterText: "Shop",
            hydratedButtons: [
              { quickReplyButton: { id: "y", displayText: "Yes" } },
              { urlButton: { displayText: "Look", url: "https://x.test" } },
              { callButton: { displayText: "Call", phoneNumber: "+49" } },
            ],
          },
        },
      },
    },
    { type: "text", body: "Menu\nHungry?\nShop" },
  ],
  [
    "a carousel, and a code to copy",
    {
      raw: {
        interactiveMessage: {
          body: { text: "Look" },
          nativeFlowMessage: {
            buttons: [
              { name: "cta_copy", buttonParamsJson: '{"display_text":"Copy","copy_code":"123"}' },
              {
                name: "single_select",
                buttonParamsJson:
                  '{"title":"Menu","sections":[{"title":"Hot","rows":[{"id":"s","title":"Soup","description":"of the day"}]}]}',
              },
            ],
          },
          carouselMessage: { cards: [card] },
        },
      },
    },
    { type: "text" },
  ],
  [
    "a form that was filled in",
    {
      raw: {
        interactiveResponseMessage: {
          body: { text: "Sent" },
          nativeFlowResponseMessage: { name: "flow", paramsJson: '{"day":"Monday","description":"soon"}' },
        },
      },
    },
    {
      body: "Sent",
      tapped: {
        id: "flow",
        text: "Sent",
        description: "soon",
        answers: { day: "Monday", description: "soon" },
      },
    },
  ],
  [
    "an order",
    {
      raw: {
        orderMessage: {
          orderId: "O",
          orderTitle: "Lunch",
          token: "T",
          itemCount: 2,
          totalAmount1000: 12_500,
          totalCurrencyCode: "EUR",
        },
      },
    },
    { order: { id: "O", token: "T", title: "Lunch", item_count: 2, amount: 12.5, currency: "EUR" } },
  ],
  [
    "a product",
    {
      raw: {
        productMessage: {
          businessOwnerJid: "491711111111@s.whatsapp.net",
          product: {
            productId: "P",
            title: "Shoe",
            description: "red",
            retailerId: "R",
            url: "https://x.test",
            priceAmount1000: 1000,
            currencyCode: "EUR",
          },
        },
      },
    },
    { body: "Shoe\nred" },
  ],
  [
    "an invitation",
    {
      raw: {
        groupInviteMessage: {
          groupJid: "1@g.us",
          inviteCode: "C",
          groupName: "Us",
          inviteExpiration: 1_900_000_000,
        },
      },
    },
    { invitation: { to: "group", id: "1@g.us", name: "Us", code: "C", expires_at: 1_900_000_000 } },
  ],
  [
    "a request for money",
    {
      raw: {
        requestPaymentMessage: {
          amount1000: 5000,
          currencyCodeIso4217: "BRL",
          expiryTimestamp: 1_900_000_000,
        },
      },
    },
    { payment: { kind: "request", amount: 5, currency: "BRL", expires_at: 1_900_000_000 } },
  ],
  [
    "a lead from an ad, in a chat whose messages disappear",
    {
      raw: {
        extendedTextMessage: {
          text: "hi @all",
          contextInfo: {
            nonJidMentions: 1,
            groupMentions: [{ groupJid: "1@g.us", groupSubject: "Choir" }, { groupSubject: "Nobody's" }],
            expiration: 86_400,
            entryPointConversionSource: "ctwa_ad",
            externalAdReply: {
              title: "Sale",
              body: "today",
              sourceType: "ad",
              sourceId: "1",
              sourceUrl: "https://x.test",
              sourceApp: "instagram",
              ctwaClid: "A",
            },
          },
        },
      },
    },
    { mentions_all: true, mentioned_groups: [{ jid: "1@g.us", name: "Choir" }], disappears_after: 86_400 },
  ],
  ...associations.map(([type, as]): Kind => [
    `a picture that belongs to another message (${as})`,
    {
      raw: {
        imageMessage: { caption: "1" },
        messageContextInfo: {
          messageAssociation: { associationType: type, parentMessageKey: { id: "PARENT" } },
        },
      },
    },
    { part_of: { message_id: "PARENT", as } },
  ]),
  ...payments.map(([kind, content]): Kind => [
    `a payment: ${kind}`,
    { bytes: Buffer.from(encodeBare(content)).toString("base64") },
    { type: "text" },
  ]),
  [
    "an invitation to a channel",
    { raw: { newsletterAdminInviteMessage: { newsletterJid: "1@newsletter", newsletterName: "News" } } },
    { invitation: { to: "channel", id: "1@newsletter", name: "News", code: "" } },
  ],
  [
    "an invitation to an event",
    {
      bytes: Buffer.from(encodeBare({ eventInviteMessage: { eventId: "E", eventTitle: "Party" } })).toString(
        "base64",
      ),
    },
    { body: "Party", type: "text" },
  ],
  [
    "a kind that no release knows",
    { raw: { stickerPackMessage: { name: "Cats" } } },
    { type: "unknown", unknown_kind: "stickerPackMessage", body: "Cats" },
  ],
  [
    "a bank's code that the phone alone shows",
    { raw: { placeholderMessage: { type: 0 } } },
    { type: "unknown", unknown_kind: "placeholderMessage" },
  ],
  [
    "a text that is larger than an event",
    { raw: { conversation: "x".repeat(400_000) } },
    { type: "text", body: "x".repeat(65_536), cut: true },
  ],
  [
    "a status of a group",
    { raw: { groupStatusMessageV2: { message: { extendedTextMessage: { text: "hello" } } } } },
    { body: "hello", is_group_status: true },
  ],
  [
    "a quiz",
    {
      raw: {
        pollCreationMessageV5: {
          name: "2 + 2?",
          options: [{ optionName: "4" }, { optionName: "5" }],
          selectableOptionsCount: 1,
          correctAnswer: { optionName: "4" },
        },
      },
    },
    { type: "poll", correct_option: "4" },
  ],
  [
    "a link with its preview",
    {
      raw: {
        extendedTextMessage: {
          text: "https://x.test",
          matchedText: "https://x.test",
          title: "Shop",
          description: "shoes",
        },
      },
    },
    { preview: { url: "https://x.test", title: "Shop", description: "shoes" } },
  ],
  [
    "a contact card whose number the sender's phone has found",
    { contact: { name: "Bo", vcard: "BEGIN:VCARD\nFN:Bo\nTEL;waid=49301:030 1\nEND:VCARD" } },
    { type: "contact", body: "Bo" },
  ],
  [
    "a Pix key",
    flow("payment_info", {
      currency: "BRL",
      payment_settings: [
        {
          type: "pix_static_code",
          pix_static_code: { merchant_name: "Maria", key: "maria@example.com", key_type: "EMAIL" },
        },
      ],
    }),
    {
      payment: {
        kind: "details",
        currency: "BRL",
        methods: [{ type: "pix_static_code", code: "maria@example.com", key_type: "EMAIL", name: "Maria" }],
      },
    },
  ],
  [
    "how far an order is",
    flow("review_order", { reference_id: "R", order: { status: "shipped", description: "on its way" } }),
    {
      order: { id: "R", token: "", title: "", item_count: 0, status: "shipped", description: "on its way" },
    },
  ],
  [
    "an offer that ends",
    flow(
      "quick_reply",
      { display_text: "Yes" },
      {
        limited_time_offer: {
          text: "Sale",
          copy_code: "X1",
          url: "https://x.test",
          expiration_time: 1_900_000_000,
        },
      },
    ),
    { body: "Sale" },
  ],
  [
    "a lead that names its campaign alone",
    {
      raw: {
        extendedTextMessage: {
          text: "hi",
          contextInfo: { conversionSource: "FB_Ads", utm: { utmSource: "s", utmCampaign: "c" } },
        },
      },
    },
    { body: "hi" },
  ],
  [
    "something passed on",
    { raw: { extendedTextMessage: { text: "news", contextInfo: { isForwarded: true } } } },
    { body: "news", forwarded: true },
  ],
]
