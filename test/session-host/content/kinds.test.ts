import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { phonesIn } from "#session-host/content/chat-and-sender.ts"
import { fromMessage } from "#session-host/content/message.ts"
import type { MessageContent } from "#session-host/network/connection.ts"
import { decodeBare, encodeBare } from "#session-host/network/decode.ts"

const { EPHEMERAL_SETTING, MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type

const own = { jid: "491719999999@s.whatsapp.net", lid: "99@lid" }
const bob = "491710000001@s.whatsapp.net"
const eve = "491710000002@s.whatsapp.net"
const group = { from: "120@g.us", participant: "77@lid", participant_pn: bob }

function map(attrs: Record<string, string>, content: MessageContent, verified = false) {
  const all = { id: "ABC", from: bob, t: "1800000000", notify: "Bob", ...attrs }
  return fromMessage({ attrs: all, content, own, phones: phonesIn(all, own), verified })
}

const text = { conversation: "hello" }
const image = { caption: "see", mimetype: "image/jpeg" }
const poll = {
  name: "Lunch?",
  options: [{ optionName: "a" }, { optionName: "b" }],
  selectableOptionsCount: 1,
}
const context = {
  stanzaId: "Q",
  participant: eve,
  quotedMessage: { pollCreationMessageV3: poll },
  mentionedJid: ["99@lid"],
  isForwarded: true,
}
const referring = {
  quoted: { message_id: "Q", contact_id: eve, body: "Lunch?", type: "poll" },
  mentions: [own.jid],
  forwarded: true,
}

const aFile = { mimetype: "image/jpeg", directPath: "/v/1", mediaKey: Buffer.alloc(32, 1), fileLength: 9 }

const media = (media_type: string, caption?: string) => ({
  type: "media",
  media_type,
  body: caption ?? "",
  ...(caption && { caption }),
})

/** A business's message with one button. */
function flow(name: string, params: object): MessageContent {
  const buttons = [{ name, buttonParamsJson: JSON.stringify(params) }]
  return { interactiveMessage: { nativeFlowMessage: { buttons } } }
}

test.for<[string, MessageContent, Record<string, unknown>]>([
  ["an image", { imageMessage: image }, media("image", "see")],
  ["a video", { videoMessage: { caption: "look" } }, media("video", "look")],
  ["a round video", { ptvMessage: {} }, { ...media("video"), file: { video_note: true } }],
  ["music", { audioMessage: { ptt: false } }, media("audio")],
  ["a voice note", { audioMessage: { ptt: true } }, media("voice")],
  ["a document", { documentMessage: { fileName: "a.pdf" } }, media("document")],
  [
    "a document with a caption",
    { documentWithCaptionMessage: { message: { documentMessage: { caption: "plan" } } } },
    media("document", "plan"),
  ],
  ["a sticker", { stickerMessage: {} }, media("sticker")],
  ["a moving sticker", { lottieStickerMessage: { message: { stickerMessage: {} } } }, media("sticker")],
  ["an image to be seen once", { viewOnceMessageV2: { message: { imageMessage: {} } } }, media("image")],
  ["an image of an album", { associatedChildMessage: { message: { imageMessage: {} } } }, media("image")],
  ["a poll", { pollCreationMessage: { ...poll, selectableOptionsCount: 0 } }, { max_answers: 0 }],
  [
    "a poll of one answer",
    { pollCreationMessageV3: poll },
    { type: "poll", body: "Lunch?", options: ["a", "b"], max_answers: 1 },
  ],
  ["a poll of an announcement group", { pollCreationMessageV2: poll }, { options: ["a", "b"] }],
  [
    "a poll in a wrapper",
    { pollCreationMessageV4: { message: { pollCreationMessageV3: poll } } },
    { type: "poll" },
  ],
  [
    "a place",
    { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Berlin", address: "Mitte" } },
    {
      type: "location",
      body: "Berlin",
      location: { lat: 52.5, lng: 13.4, name: "Berlin", address: "Mitte" },
    },
  ],
  [
    "a place that moves",
    { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "on my way" } },
    { type: "location", body: "on my way", location: { lat: 1, lng: 2, name: "on my way", address: "" } },
  ],
  [
    "an event message",
    {
      eventMessage: {
        name: "Party",
        description: "at home",
        startTime: 10,
        endTime: 20,
        joinLink: "https://x",
      },
    },
    {
      type: "event",
      body: "Party",
      event_details: {
        name: "Party",
        description: "at home",
        start_time: 10,
        end_time: 20,
        join_link: "https://x",
      },
    },
  ],
  [
    "an event message without an end",
    { eventMessage: { name: "Party", startTime: 10 } },
    { event_details: { name: "Party", description: "", start_time: 10, end_time: 0, join_link: "" } },
  ],
  [
    "a reaction to a message of ours",
    { reactionMessage: { key: { id: "T", fromMe: false }, text: "👍" } },
    {
      type: "reaction",
      body: "👍",
      target_id: "T",
      reaction: { emoji: "👍", message_id: "T", contact_id: own.jid },
    },
  ],
  [
    "a reaction to a message of their own",
    { reactionMessage: { key: { id: "T", fromMe: true }, text: "👍" } },
    { reaction: { emoji: "👍", message_id: "T", contact_id: bob } },
  ],
  [
    "a reaction that is taken back",
    { reactionMessage: { key: { id: "T", fromMe: false }, text: "" } },
    { type: "reaction", reaction: { emoji: "", message_id: "T", contact_id: own.jid } },
  ],
  [
    "an edit",
    {
      editedMessage: {
        message: { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: text } },
      },
    },
    { type: "text", body: "hello", edit: "edit", target_id: "T" },
  ],
  [
    "an edit without its wrapper, of a caption",
    { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: { imageMessage: image } } },
    { ...media("image", "see"), edit: "edit", target_id: "T" },
  ],
  [
    "a revocation",
    { protocolMessage: { key: { id: "T" }, type: REVOKE } },
    { type: "text", body: "", edit: "revoke", target_id: "T" },
  ],
  [
    "a pin",
    { pinInChatMessage: { key: { id: "T" }, type: PIN_FOR_ALL } },
    { type: "text", body: "", edit: "pin", target_id: "T" },
  ],
  ["a quote, a mention, a forward: of an image", { imageMessage: { contextInfo: context } }, referring],
  ["of a poll", { pollCreationMessageV3: { ...poll, contextInfo: context } }, referring],
  ["of a place", { locationMessage: { contextInfo: context } }, referring],
  ["of an event message", { eventMessage: { contextInfo: context } }, referring],
  [
    "a contact card, with a folded line",
    {
      contactMessage: {
        displayName: "Ada",
        vcard:
          "BEGIN:VCARD\r\nFN:Ada L.\r\nitem1.TEL;type=CELL;waid=491:+49 171\r\n  1\r\nTEL:030\r\nEND:VCARD",
      },
    },
    { type: "contact", body: "Ada", contacts: [{ name: "Ada", phones: ["+49 171 1", "030"] }] },
  ],
  [
    "contact cards, one that names itself",
    { contactsArrayMessage: { contacts: [{ vcard: "FN:Bo\\, Ko\nTEL:1" }, { displayName: "Cy" }] } },
    { type: "contact", body: "Bo, Ko\nCy", contacts: [{ name: "Bo, Ko", phones: ["1"] }, { phones: [] }] },
  ],
  [
    "a poll of the sixth kind",
    { pollCreationMessageV6: poll },
    { type: "poll", body: "Lunch?", options: ["a", "b"] },
  ],
  [
    "a poll's results",
    { pollResultSnapshotMessage: { name: "Lunch?", pollVotes: [{ optionName: "a", optionVoteCount: 3 }] } },
    { type: "poll", body: "Lunch?", options: ["a"], results: [{ option: "a", votes: 3 }] },
  ],
  ["a text behind a spoiler", { spoilerMessage: { message: text } }, { type: "text", body: "hello" }],
  ["a sticker with a sound", { audioStickerMessage: { message: { stickerMessage: {} } } }, media("sticker")],
  [
    "a video's file, played as a GIF",
    {
      videoMessage: {
        mimetype: "video/mp4",
        fileLength: 1000,
        seconds: 3,
        width: 4,
        height: 2,
        gifPlayback: true,
      },
    },
    { file: { name: "", content_type: "video/mp4", size: 1000, seconds: 3, width: 4, height: 2, gif: true } },
  ],
  [
    "a document's file",
    { documentMessage: { title: "a.pdf", mimetype: "application/pdf", pageCount: 2 } },
    { file: { name: "a.pdf", content_type: "application/pdf", size: 0, pages: 2 } },
  ],
  ["an image to be seen once, told as such", { imageMessage: { viewOnce: true } }, { view_once: true }],
  [
    "an event message that was cancelled, with its place",
    { eventMessage: { name: "Party", isCanceled: true, location: { degreesLatitude: 1, name: "Home" } } },
    { event_details: { is_canceled: true, location: { lat: 1, lng: 0, name: "Home" } } },
  ],
  [
    "a place that moves, with how exact it is",
    { liveLocationMessage: { degreesLatitude: 1, accuracyInMeters: 8 } },
    { location: { live: true, accuracy_m: 8 } },
  ],
  [
    "an image in high definition belongs to the one before",
    {
      associatedChildMessage: {
        message: {
          imageMessage: {},
          messageContextInfo: {
            messageAssociation: { associationType: 10, parentMessageKey: { id: "SD" } },
          },
        },
      },
    },
    { part_of: { message_id: "SD", as: "hd" } },
  ],
  [
    "an answer to a status",
    { extendedTextMessage: { text: "nice", contextInfo: { ...context, remoteJid: "status@broadcast" } } },
    { quoted: { chat_id: "status@broadcast" } },
  ],
  [
    "a text from an ad, that mentions everybody and disappears",
    {
      extendedTextMessage: {
        text: "hi",
        contextInfo: {
          nonJidMentions: 1,
          expiration: 86_400,
          entryPointConversionSource: "ctwa_ad",
          externalAdReply: { title: "Sale", sourceId: "12", sourceType: "ad", ctwaClid: "Aff" },
        },
      },
    },
    {
      mentions_all: true,
      disappears_after: 86_400,
      ad: { title: "Sale", source_id: "12", source_type: "ad", click_id: "Aff", entry_point: "ctwa_ad" },
    },
  ],
  [
    "a template of an interactive message",
    { templateMessage: { interactiveMessageTemplate: { body: { text: "hi" } } } },
    { type: "text", body: "hi" },
  ],
  [
    "a template with a document",
    {
      templateMessage: {
        hydratedTemplate: {
          documentMessage: { ...aFile, fileName: "invoice.pdf" },
          hydratedContentText: "Your invoice",
          hydratedFooterText: "Shop",
          hydratedButtons: [
            { quickReplyButton: { id: "ok", displayText: "OK" } },
            { urlButton: { displayText: "Look", url: "https://x.test" } },
            { callButton: { displayText: "Call", phoneNumber: "+49" } },
          ],
        },
      },
    },
    {
      ...media("document", "Your invoice\nShop"),
      file: { name: "invoice.pdf", size: 9 },
      interactive: {
        footer: "Shop",
        buttons: [
          { id: "ok", text: "OK" },
          { id: "", text: "Look", url: "https://x.test" },
          { id: "", text: "Call", phone: "+49" },
        ],
      },
    },
  ],
  [
    "buttons below a picture",
    {
      buttonsMessage: {
        imageMessage: aFile,
        contentText: "Choose",
        footerText: "now",
        buttons: [{ buttonId: "1", buttonText: { displayText: "Yes" } }],
      },
    },
    { ...media("image", "Choose\nnow"), interactive: { buttons: [{ id: "1", text: "Yes" }] } },
  ],
  [
    "a list",
    {
      listMessage: {
        title: "Menu",
        description: "What would you like?",
        buttonText: "Look",
        sections: [{ title: "Hot", rows: [{ rowId: "s", title: "Soup", description: "of the day" }] }],
      },
    },
    {
      body: "Menu\nWhat would you like?",
      interactive: {
        title: "Menu",
        buttons: [{ id: "", text: "Look" }],
        sections: [{ title: "Hot", rows: [{ id: "s", title: "Soup", description: "of the day" }] }],
      },
    },
  ],
  [
    "a one-time code that stands in a button alone",
    {
      interactiveMessage: {
        body: { text: "Your code" },
        nativeFlowMessage: {
          buttons: [{ name: "cta_copy", buttonParamsJson: '{"display_text":"Copy","copy_code":"123456"}' }],
        },
      },
    },
    { body: "Your code", interactive: { buttons: [{ id: "", text: "Copy", code: "123456" }] } },
  ],
  [
    "a carousel with a picture in its header, and JSON that is none",
    {
      interactiveMessage: {
        header: { title: "New", imageMessage: aFile },
        body: { text: "Look" },
        carouselMessage: {
          cards: [
            {
              header: { title: "Shoe", imageMessage: aFile },
              body: { text: "red" },
              nativeFlowMessage: { buttons: [{ name: "quick_reply", buttonParamsJson: "{" }] },
            },
          ],
        },
      },
    },
    {
      type: "media",
      media_type: "image",
      body: "New\nLook\nShoe\nred",
      interactive: {
        title: "New",
        cards: [
          {
            title: "Shoe",
            body: "red",
            footer: "",
            buttons: [{ id: "", text: "quick_reply" }],
            file: { name: "", content_type: "image/jpeg", size: 9 },
          },
        ],
      },
    },
  ],
  [
    "an order to look at and pay",
    {
      interactiveMessage: {
        body: { text: "Your order" },
        nativeFlowMessage: {
          buttons: [
            {
              name: "review_and_pay",
              buttonParamsJson: JSON.stringify({
                reference_id: "R1",
                currency: "INR",
                total_amount: { value: 12_500, offset: 100 },
                order: { items: [{ quantity: 2 }, { quantity: 1 }] },
              }),
            },
          ],
        },
      },
    },
    { order: { id: "R1", item_count: 3, amount: 125, currency: "INR" } },
  ],
  [
    "a choice of a list",
    {
      listResponseMessage: {
        title: "Soup",
        description: "of the day",
        singleSelectReply: { selectedRowId: "s" },
      },
    },
    { type: "text", body: "Soup", tapped: { id: "s", text: "Soup", description: "of the day" } },
  ],
  [
    "a pressed button",
    { buttonsResponseMessage: { selectedButtonId: "1", selectedDisplayText: "Yes" } },
    { body: "Yes", tapped: { id: "1", text: "Yes" } },
  ],
  [
    "a pressed button of a template",
    { templateButtonReplyMessage: { selectedId: "ok", selectedDisplayText: "OK" } },
    { body: "OK", tapped: { id: "ok", text: "OK" } },
  ],
  [
    "a form that was filled in",
    {
      interactiveResponseMessage: {
        body: { text: "Sent" },
        nativeFlowResponseMessage: { name: "flow", paramsJson: '{"date":"2026-12-01","guests":2}' },
      },
    },
    { body: "Sent", tapped: { id: "flow", text: "Sent", answers: { date: "2026-12-01", guests: 2 } } },
  ],
  [
    "an invitation to a group",
    { groupInviteMessage: { groupJid: "1@g.us", inviteCode: "C", groupName: "Us", caption: "join us" } },
    {
      type: "text",
      body: "Us\njoin us",
      invitation: { to: "group", id: "1@g.us", name: "Us", code: "C" },
    },
  ],
  [
    "an order from a catalogue",
    {
      orderMessage: {
        orderId: "O",
        token: "T",
        itemCount: 2,
        totalAmount1000: 12_500,
        totalCurrencyCode: "EUR",
        message: "please",
      },
    },
    { body: "please", order: { id: "O", token: "T", item_count: 2, amount: 12.5, currency: "EUR" } },
  ],
  [
    "a product with its picture",
    {
      productMessage: {
        product: {
          productId: "P",
          title: "Shoe",
          productImage: aFile,
          priceAmount1000: 9_990,
          currencyCode: "EUR",
        },
        businessOwnerJid: bob,
        body: "back again",
      },
    },
    {
      ...media("image", "Shoe\nback again"),
      product: { id: "P", title: "Shoe", seller_id: bob, amount: 9.99, currency: "EUR" },
    },
  ],
  [
    "a request for money",
    {
      requestPaymentMessage: {
        noteMessage: { extendedTextMessage: { text: "for lunch" } },
        amount1000: 5_000,
        currencyCodeIso4217: "BRL",
      },
    },
    { body: "for lunch", payment: { kind: "request", amount: 5, currency: "BRL" } },
  ],
  [
    "a request for money that was declined",
    { declinePaymentRequestMessage: { key: { id: "R" } } },
    { body: "", payment: { kind: "declined", request_id: "R" } },
  ],
  [
    "an invoice",
    { invoiceMessage: { note: "pay", attachmentType: 1, attachmentDirectPath: "/v/2" } },
    media("document", "pay"),
  ],
  [
    "a text by its name in a catalogue",
    { highlyStructuredMessage: { params: ["a", "b"] } },
    { body: "a\nb" },
  ],
  ["an answer to a question", { questionResponseMessage: { text: "yes" } }, { type: "text", body: "yes" }],
  ["a comment", { commentMessage: { message: text } }, { type: "text", body: "hello" }],
  [
    "a pack of stickers",
    {
      stickerPackMessage: { name: "Cats", publisher: "Ada", stickers: [{ fileName: "ABCDEFABCDEFABCDEF" }] },
    },
    { type: "unknown", unknown_kind: "stickerPackMessage", body: "Cats\nAda" },
  ],
  [
    "a song",
    { musicMessage: { embeddedMusic: { title: "Help!" }, songUri: "https://x.test/1" } },
    { type: "unknown", unknown_kind: "musicMessage", body: "Help!" },
  ],
  [
    "a status that mentions us",
    { statusMentionMessage: { message: { protocolMessage: { type: 25 } } } },
    { type: "unknown", unknown_kind: "statusMentionMessage" },
  ],
  [
    "an edit into a kind that nobody knows",
    {
      protocolMessage: {
        key: { id: "T" },
        type: MESSAGE_EDIT,
        editedMessage: { stickerPackMessage: { name: "Cats" } },
      },
    },
    { type: "unknown", unknown_kind: "stickerPackMessage", body: "Cats", edit: "edit", target_id: "T" },
  ],
  [
    "an edit with a quote and a mention",
    {
      protocolMessage: {
        key: { id: "T" },
        type: MESSAGE_EDIT,
        editedMessage: { extendedTextMessage: { text: "hi @99", contextInfo: context } },
      },
    },
    { body: "hi @491719999999", edit: "edit", ...referring },
  ],
  [
    "an answer to a kind that nobody knows",
    {
      imageMessage: { contextInfo: { ...context, quotedMessage: { stickerPackMessage: { name: "Cats" } } } },
    },
    { quoted: { message_id: "Q", body: "Cats", type: "unknown" } },
  ],
  [
    "an answer to a mention, by its own people",
    {
      extendedTextMessage: {
        text: "x",
        contextInfo: {
          stanzaId: "Q",
          mentionedJid: ["", "x", bob],
          quotedMessage: { extendedTextMessage: { text: "@99", contextInfo: { mentionedJid: ["99@lid"] } } },
        },
      },
    },
    { quoted: { body: "@491719999999" }, mentions: [bob] },
  ],
  [
    "a mention in an event's description",
    { eventMessage: { name: "P", description: "with @99", contextInfo: { mentionedJid: ["99@lid"] } } },
    { event_details: { description: "with @491719999999" } },
  ],
  ...["templateMessage", "listMessage", "buttonsMessage", "interactiveMessage", "extendedTextMessage"].map(
    (field): [string, MessageContent, Record<string, unknown>] => [
      `a ${field} that says nothing`,
      { [field]: {} },
      { type: "unknown", unknown_kind: field, body: "" },
    ],
  ),
  [
    "a shop's collection",
    { interactiveMessage: { collectionMessage: { bizJid: bob, id: "1" } } },
    { type: "unknown", unknown_kind: "interactiveMessage" },
  ],
  [
    "a text by its name in a catalogue alone",
    { highlyStructuredMessage: { elementName: "shipping_update" } },
    { type: "unknown", body: "shipping_update" },
  ],
  [
    "a reaction to nothing",
    { reactionMessage: { text: "👍" } },
    { type: "unknown", unknown_kind: "reactionMessage" },
  ],
  [
    "a bot's answer with code, a table and a formula",
    {
      richResponseMessage: {
        submessages: [
          { messageText: "See:" },
          { codeMetadata: { codeBlocks: [{ codeContent: "let " }, { codeContent: "x = 1" }] } },
          { tableMetadata: { title: "Costs", rows: [{ items: ["soup", "3"] }] } },
          { latexMetadata: { text: "x^2" } },
          { imageMetadata: { imageText: "a cat" } },
          { mapMetadata: { annotations: [{ title: "Home", body: "Mitte" }] } },
        ],
      },
    },
    { type: "text", body: "See:\nlet x = 1\nCosts\nsoup | 3\nx^2\na cat\nHome\nMitte" },
  ],
  [
    "a text and a picture in one message",
    { conversation: "hi", imageMessage: image },
    { type: "text", body: "hi", unknown_kind: "imageMessage" },
  ],
  [
    "a reaction and a text in one message",
    { conversation: "hi", reactionMessage: { key: { id: "T" }, text: "👍" } },
    { type: "reaction", body: "👍", unknown_kind: "conversation" },
  ],
  [
    "a revocation and a text in one message",
    { conversation: "hi", protocolMessage: { key: { id: "T" }, type: 0 } },
    { edit: "revoke", target_id: "T", unknown_kind: "conversation" },
  ],
  [
    "what the phone alone shows",
    { placeholderMessage: { type: 0 } },
    { type: "unknown", unknown_kind: "placeholderMessage" },
  ],
  [
    "a view-once message that the phone alone shows",
    { viewOnceMessage: { message: { placeholderMessage: { type: 0 } } } },
    { type: "media", media_type: "", view_once: true },
  ],
  [
    "our own picture to be seen once",
    { deviceSentMessage: { message: { viewOnceMessageV2: { message: { imageMessage: {} } } } } },
    { media_type: "image", view_once: true },
  ],
  [
    "a status of the group",
    { groupStatusMessageV2: { message: text } },
    { body: "hello", is_group_status: true },
  ],
  [
    "a reaction to a status",
    { reactionMessage: { key: { id: "T", remoteJid: "status@broadcast", participant: bob }, text: "👍" } },
    { reaction: { chat_id: "status@broadcast", contact_id: bob } },
  ],
  [
    "a Pix key",
    flow("payment_info", {
      currency: "BRL",
      total_amount: { value: 0, offset: 100 },
      reference_id: "4P",
      order: { status: "pending", items: [{ quantity: 0 }] },
      payment_settings: [
        {
          type: "pix_static_code",
          pix_static_code: { merchant_name: "Maria", key: "maria@example.com", key_type: "EMAIL" },
        },
        { type: "cards", cards: { enabled: false } },
      ],
    }),
    {
      body: "Maria\nmaria@example.com",
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
    { order: { id: "R", item_count: 0, status: "shipped", description: "on its way" } },
  ],
  [
    "an offer that ends",
    {
      interactiveMessage: {
        body: { text: "Hi" },
        nativeFlowMessage: {
          messageParamsJson: JSON.stringify({
            limited_time_offer: { text: "Sale", copy_code: "X1", expiration_time: 1_900_000_000_000 },
          }),
        },
      },
    },
    { body: "Hi\nSale", interactive: { offer: { text: "Sale", code: "X1", expires_at: 1_900_000_000 } } },
  ],
  [
    "a contact card of an Android phone",
    {
      contactMessage: {
        vcard:
          "BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg=20=\r\nM\r\nTEL;CELL;waid=49171:0171\r\nEND:VCARD",
      },
    },
    { body: "Jörg M", contacts: [{ name: "Jörg M", phones: ["0171"], on_whatsapp: ["49171"] }] },
  ],
  [
    "a contact card with a name in parts alone",
    { contactMessage: { vcard: "BEGIN:VCARD\nN:Çelik;Ayşe;Su;Dr.;\nTEL:1\nEND:VCARD" } },
    { body: "Ayşe Su Çelik", contacts: [{ name: "Ayşe Su Çelik", phones: ["1"] }] },
  ],
  [
    "a lead that names its campaign alone",
    {
      extendedTextMessage: {
        text: "hi",
        contextInfo: { conversionSource: "FB_Ads", utm: { utmSource: "s", utmCampaign: "c" } },
      },
    },
    { ad: { entry_point: "FB_Ads", utm_source: "s", utm_campaign: "c" } },
  ],
  [
    "a quiz",
    { pollCreationMessageV5: { ...poll, correctAnswer: { optionName: "a" } } },
    { type: "poll", correct_option: "a" },
  ],
  [
    "a link with its preview",
    { extendedTextMessage: { text: "see https://x.test", matchedText: "https://x.test", title: "Shop" } },
    { type: "text", preview: { url: "https://x.test", title: "Shop", description: "" } },
  ],
  [
    "a request for money with a picture",
    { requestPaymentMessage: { noteMessage: { imageMessage: image }, amount1000: 5_000 } },
    { body: "see" },
  ],
  [
    "a call at some time",
    { scheduledCallCreationMessage: { title: "Call", scheduledTimestampMs: 1_900_000_000_123 } },
    { type: "event", body: "Call", event_details: { name: "Call", start_time: 1_900_000_000 } },
  ],
  ["wrappers without end", nested(50), { type: "unknown", unknown_kind: "ephemeralMessage" }],
])("%s", ([, content, expected]) => {
  const [mapped] = map({}, content)
  expect(mapped!.event).toMatchObject(expected)
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

function reactionInGroup(participant?: string) {
  const key = { id: "T", fromMe: false, participant }
  return map(group, { reactionMessage: { key, text: "👍" } })[0]!.event
}

test("in a group a reaction says whose message it is about, if the key does", () => {
  expect(reactionInGroup(eve)).toMatchObject({ reaction: { contact_id: eve }, contact_id: bob })
  expect(reactionInGroup()).toMatchObject({ reaction: { contact_id: "" } })
})

test("a reaction that was given on our phone is about the other's message", () => {
  const [mapped] = map(
    { from: own.jid, recipient: bob },
    { deviceSentMessage: { message: { reactionMessage: { key: { id: "T", fromMe: false }, text: "x" } } } },
  )
  expect(mapped!.event).toMatchObject({ from_me: true, chat_id: bob, reaction: { contact_id: bob } })
})

test.for<[string, Record<string, string>, Record<string, unknown>]>([
  [
    "a status",
    { from: "status@broadcast", participant: "77@lid", participant_pn: bob },
    { chat_id: "status@broadcast", contact_id: bob, is_broadcast: true, is_group: false },
  ],
  [
    "a message to a list of people is in the chat with its author",
    { from: "123@broadcast", participant: bob },
    { chat_id: bob, contact_id: bob, is_broadcast: true },
  ],
  [
    "our own message to a list",
    { from: "123@broadcast", participant: own.jid },
    { chat_id: "123@broadcast", from_me: true, is_broadcast: true },
  ],
])("%s", ([, attrs, expected]) => {
  const [mapped] = map(attrs, text)
  expect(mapped!.event).toMatchObject(expected)
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

test("a business whose name the network has verified is told as such", () => {
  expect(map({}, text, true)[0]!.event).toMatchObject({ verified_business: true })
  expect(map({}, text)[0]!.event).not.toHaveProperty("verified_business")
})

test.for<[string, MessageContent]>([
  [
    "a timer for disappearing messages",
    { protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 60 } },
  ],
  ["an unpinned message", { pinInChatMessage: { key: { id: "T" }, type: UNPIN_FOR_ALL } }],
  ["the frame of an album", { albumMessage: { expectedImageCount: 2 } }],
  [
    "a sender key in a message to our other devices",
    { deviceSentMessage: { message: { senderKeyDistributionMessage: {} } } },
  ],
  ["a vote that nobody can open", { pollUpdateMessage: { pollCreationMessageKey: { id: "P" } } }],
])("%s gives no event", ([, content]) => {
  expect(map({}, content)).toEqual([])
})

/** The field of this number, which holds these bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes])
}

test("a mention has the digits of the number where the text has those of its private id, and no others", () => {
  const phones = new Map([["7@lid", bob]])
  const contextInfo = { mentionedJid: ["7@lid", "(.*@lid"] }
  const content = { extendedTextMessage: { text: "@7 and @77 (.* @", contextInfo } }
  const attrs = { id: "ABC", from: eve, t: "1800000000" }
  const [mapped] = fromMessage({ attrs, content, own, phones })
  expect(mapped!.event).toMatchObject({ body: "@491710000001 and @77 (.* @", mentions: [bob, "(.*@lid"] })
})

function mapBytes(bytes: Uint8Array) {
  const attrs = { id: "ABC", from: bob, t: "1800000000" }
  return fromMessage({ attrs, content: decodeBare(bytes), bytes, own, phones: new Map() })
}

test("a field that no release knows yet is an event with its number and its words", () => {
  const poem = Buffer.from("Roses are red, violets are blue, and this line is long")
  const inner = Buffer.concat([
    field(1, poem),
    field(2, Buffer.from("image/webp")),
    field(3, field(9, Buffer.from("Grüße"))),
  ])
  const [mapped] = mapBytes(field(177, inner))
  expect(mapped!.event).toMatchObject({
    type: "unknown",
    unknown_kind: "field 177",
    body: `${poem.toString()}\nGrüße`,
  })
  expect(mapped).toMatchObject({ unread: "field 177", remember: { unknown: { kind: "field 177" } } })
})

test("a wrapper that no release knows yet is opened, also within one that is known", () => {
  const wrapped = field(178, field(1, encodeBare({ imageMessage: image })))
  expect(mapBytes(wrapped)[0]!.event).toMatchObject(media("image", "see"))
  expect(mapBytes(field(40, field(1, wrapped)))[0]!.event).toMatchObject(media("image", "see"))
})

test("what only begins like a wrapper is unknown, with all its words", () => {
  const inner = Buffer.concat([
    field(1, encodeBare({ conversation: "inner words" })),
    field(2, Buffer.from("outer words")),
  ])
  expect(mapBytes(field(177, inner))[0]).toMatchObject({
    event: { type: "unknown", unknown_kind: "field 177", body: "inner words\nouter words" },
    unread: "field 177",
  })
})

test("a part that no release knows, beside a text or in an edit, is named and kept aside", () => {
  const beside = Buffer.concat([encodeBare(text), field(177, Buffer.from("more"))])
  const expected = { event: { type: "text", body: "hello", unknown_kind: "field 177" }, unread: "field 177" }
  expect(mapBytes(beside)[0]).toMatchObject(expected)
  expect(mapBytes(field(40, field(1, beside)))[0]).toMatchObject(expected)
  // A new fact that has no words is nothing that people see.
  const [mapped] = mapBytes(Buffer.concat([encodeBare(text), field(178, field(1, Buffer.of(1)))]))
  expect(mapped!.event).not.toHaveProperty("unknown_kind")
  expect(mapped!.unread).toBeUndefined()
  const key = encodeBare({ protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT } }).subarray(2)
  const edit = field(12, Buffer.concat([key, field(14, field(177, Buffer.from("new words")))]))
  expect(mapBytes(edit)[0]!.event).toMatchObject({
    type: "unknown",
    unknown_kind: "field 177",
    body: "new words",
    edit: "edit",
    target_id: "T",
  })
})

function nested(depth: number): MessageContent {
  return depth === 0 ? text : { ephemeralMessage: { message: nested(depth - 1) } }
}

test("a message is remembered as far as a forward, a vote or a download needs it, and no further", () => {
  const bytes = Buffer.alloc(32, 1)
  const [image] = map(group, {
    imageMessage: {
      caption: "see",
      mediaKey: bytes,
      jpegThumbnail: Buffer.alloc(9000),
      contextInfo: context,
    },
    messageContextInfo: { messageSecret: bytes, deviceListMetadata: {} },
  })
  expect(image!.remember).toEqual({
    id: "ABC",
    chat: "120@g.us",
    sender: "77@lid",
    fromMe: false,
    time: 1_800_000_000,
    content: {
      imageMessage: { caption: "see", mediaKey: bytes },
      messageContextInfo: { messageSecret: bytes },
    },
  })
  const [long] = map({}, { extendedTextMessage: { text: "x".repeat(70_000) } })
  expect(long!.remember!.content.conversation).toHaveLength(65_537)
  const cards = [1, 2].map((n) => ({
    displayName: `${n}`,
    vcard: `BEGIN:VCARD ${"x".repeat(9000)}`,
    contextInfo: context,
  }))
  const [contacts] = map(
    {},
    { contactsArrayMessage: { displayName: "both", contacts: cards, contextInfo: context } },
  )
  expect(contacts!.remember!.content.contactsArrayMessage).toEqual({
    displayName: "both",
    contacts: cards.map(({ displayName, vcard }) => ({ displayName, vcard })),
  })
  const [edited] = map({}, { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: text } })
  expect(edited!.remember!.content).toEqual({})
})
