type Kind = [kind: string, content: object, fields: string[]]

const text = { conversation: "Hello" }
const file = { mimetype: "application/x-demo", fileLength: 9 }
const poll = {
  name: "Lunch?",
  options: [{ optionName: "soup" }, { optionName: "salad" }],
  selectableOptionsCount: 1,
}
const place = { degreesLatitude: 52.5, degreesLongitude: 13.4 }
const card = { displayName: "Bo", vcard: "BEGIN:VCARD\nFN:Bo\nTEL:+49 30 1\nEND:VCARD" }
const price = { currencyCode: "EUR" }

/** Messages of most kinds, as `raw` or as `bytes`, with the fields that their events must have. */
export const received: Kind[] = [
  ["text", text, ["body"]],
  ["text behind a spoiler", { bytes: bytesOf(118, part(1, part(1, "Hello"))) }, ["body"]],
  ["text from an ad", fromAnAd(), ["ad", "mentions_all", "disappears_after"]],
  [
    "forwarded text",
    { extendedTextMessage: { text: "Hi", contextInfo: { isForwarded: true } } },
    ["forwarded"],
  ],
  ["image", { imageMessage: { ...file, caption: "Look" } }, ["file", "caption"]],
  ["image to be viewed once", { imageMessage: { ...file, viewOnce: true } }, ["view_once"]],
  ["video", { videoMessage: { ...file, seconds: 3 } }, ["file"]],
  ["audio", { audioMessage: { ...file, seconds: 3 } }, ["file"]],
  ["voice note", { audioMessage: { ...file, ptt: true } }, ["file"]],
  ["document", { documentMessage: { ...file, fileName: "a.pdf", pageCount: 2 } }, ["file"]],
  ["sticker", { stickerMessage: file }, ["file"]],
  ["poll", { pollCreationMessageV3: poll }, ["options", "max_answers"]],
  ["poll of the sixth version", { bytes: bytesOf(119, newerPoll()) }, ["options", "max_answers"]],
  [
    "results of a poll",
    {
      pollResultSnapshotMessage: { name: "Lunch?", pollVotes: [{ optionName: "soup", optionVoteCount: 2 }] },
    },
    ["results"],
  ],
  ["location", { locationMessage: place }, ["location"]],
  ["live location", { liveLocationMessage: place }, ["location"]],
  ["event", { eventMessage: { name: "Party", startTime: 1_900_000_000 } }, ["event_details"]],
  ["contact card", { contactMessage: card }, ["contacts"]],
  ["contact cards", { contactsArrayMessage: { contacts: [card, card] } }, ["contacts"]],
  [
    "buttons",
    {
      buttonsMessage: {
        contentText: "Hungry?",
        buttons: [{ buttonId: "y", buttonText: { displayText: "Yes" } }],
      },
    },
    ["interactive"],
  ],
  [
    "list",
    { listMessage: { title: "Menu", sections: [{ title: "Hot", rows: [{ rowId: "s", title: "Soup" }] }] } },
    ["interactive"],
  ],
  [
    "tapped button",
    { buttonsResponseMessage: { selectedButtonId: "y", selectedDisplayText: "Yes" } },
    ["tapped"],
  ],
  [
    "order",
    {
      orderMessage: {
        orderId: "O",
        token: "T",
        itemCount: 2,
        totalAmount1000: 12_500,
        totalCurrencyCode: "EUR",
      },
    },
    ["order"],
  ],
  [
    "product",
    { productMessage: { product: { productId: "P", title: "Shoe", priceAmount1000: 1000, ...price } } },
    ["product"],
  ],
  [
    "invitation",
    { groupInviteMessage: { groupJid: "1@g.us", inviteCode: "C", groupName: "Us" } },
    ["invitation"],
  ],
  ["payment", { requestPaymentMessage: { amount1000: 5000, currencyCodeIso4217: "EUR" } }, ["payment"]],
  ["unknown kind", { stickerPackMessage: { name: "Cats" } }, ["unknown_kind"]],
]

function fromAnAd(): object {
  const externalAdReply = { title: "Sale", sourceType: "ad", sourceId: "1" }
  return {
    extendedTextMessage: {
      text: "Hi @all",
      contextInfo: { nonJidMentions: 1, expiration: 86_400, externalAdReply },
    },
  }
}

/** The simulated network's protocol is too old for the versions after the fifth. */
function newerPoll(): Buffer {
  const options = poll.options.map(({ optionName }) => part(3, part(1, optionName)))
  const oneAnswer = Buffer.from([0x20, 1])
  return Buffer.concat([part(2, poll.name), ...options, oneAnswer])
}

function bytesOf(field: number, content: Buffer): string {
  return part(field, content).toString("base64")
}

/** One field of a protobuf message. Its content is shorter than 128 bytes, so that its length is one byte. */
function part(field: number, content: string | Buffer): Buffer {
  const tag = (field << 3) | 2
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  return Buffer.concat([
    Buffer.from(tag < 128 ? [tag, bytes.length] : [(tag & 127) | 128, tag >> 7, bytes.length]),
    bytes,
  ])
}
