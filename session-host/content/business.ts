import type { Event } from "#contract/event.ts"
import { withoutDevice } from "#core/message/jid.ts"
import type { MessageContent, MediaKind } from "../network/connection.ts"
import type {
  HydratedTemplateButton,
  Message_InteractiveMessage,
  Message_InteractiveMessage_NativeFlowMessage_NativeFlowButton,
  Message_TemplateMessage,
  Message_TemplateMessage_FourRowTemplate,
  Message_TemplateMessage_HydratedFourRowTemplate,
  Money,
  TemplateButton,
} from "../network/message-proto/types.ts"
import * as everyday from "./everyday.ts"
import { wholeNumber } from "./mapped.ts"
import { fileIn } from "./media.ts"
import type { Reading } from "./reading.ts"
import { unwrap } from "./unwrap.ts"

const { lines } = everyday

// What businesses send: templates, buttons, lists, carousels, orders, payments; and what people tap in them.

type Fields = Extract<Event, { event: "message" }>
type Interactive = NonNullable<Fields["interactive"]>
type Button = NonNullable<Interactive["buttons"]>[number]
type Part<Field extends keyof MessageContent> = NonNullable<MessageContent[Field]>
type Text = string | null | undefined

export const readers = {
  templateMessage: template,
  highlyStructuredMessage: (part: Part<"highlyStructuredMessage">) => structured(part),
  buttonsMessage: (part: Part<"buttonsMessage">) =>
    written({
      title: part.text,
      body: part.contentText,
      footer: part.footerText,
      file: part,
      buttons: (part.buttons ?? []).map(({ buttonId, buttonText, nativeFlowInfo }) =>
        nativeFlowInfo
          ? flowButton(
              { name: nativeFlowInfo.name, buttonParamsJson: nativeFlowInfo.paramsJson },
              buttonText?.displayText,
            )
          : button(buttonId, buttonText?.displayText),
      ),
    }),
  listMessage: (part: Part<"listMessage">) =>
    written({
      title: part.title,
      body: part.description,
      footer: part.footerText,
      buttons: part.buttonText ? [button("", part.buttonText)] : [],
      sections: [
        ...(part.sections ?? []).map(({ title, rows }) => ({
          title: title ?? "",
          rows: (rows ?? []).map((row) => rowOf(row.rowId, row.title, row.description)),
        })),
        ...(part.productListInfo?.productSections ?? []).map(({ title, products }) => ({
          title: title ?? "",
          rows: (products ?? []).map(({ productId }) => rowOf(productId, "", "")),
        })),
      ],
    }),
  interactiveMessage: interactive,
  buttonsResponseMessage: ({ selectedButtonId, selectedDisplayText }: Part<"buttonsResponseMessage">) =>
    tapped({ id: selectedButtonId, text: selectedDisplayText }),
  templateButtonReplyMessage: ({ selectedId, selectedDisplayText }: Part<"templateButtonReplyMessage">) =>
    tapped({ id: selectedId, text: selectedDisplayText }),
  listResponseMessage: ({ title, description, singleSelectReply }: Part<"listResponseMessage">) =>
    tapped({ id: singleSelectReply?.selectedRowId, text: title, description }),
  interactiveResponseMessage: ({ body, nativeFlowResponseMessage }: Part<"interactiveResponseMessage">) => {
    const answers = objectIn(nativeFlowResponseMessage?.paramsJson)
    return tapped({
      id: textIn(answers, "id") || nativeFlowResponseMessage?.name,
      text: body?.text || textIn(answers, "title", "display_text"),
      description: textIn(answers, "description"),
      answers,
    })
  },
  orderMessage: (part: Part<"orderMessage">) =>
    worded(lines([part.orderTitle, part.message]), {
      order: {
        id: part.orderId ?? "",
        token: part.token ?? "",
        title: part.orderTitle ?? "",
        item_count: part.itemCount ?? 0,
        ...priceOf(part.totalAmount1000, 1000, part.totalCurrencyCode),
      },
    }),
  productMessage: product,
  groupInviteMessage: (part: Part<"groupInviteMessage">) =>
    worded(lines([part.groupName, part.caption]), {
      invitation: {
        to: "group",
        id: part.groupJid ?? "",
        name: part.groupName ?? "",
        code: part.inviteCode ?? "",
        ...expiry(part.inviteExpiration),
      },
    }),
  newsletterAdminInviteMessage: (part: Part<"newsletterAdminInviteMessage">) => channel(part),
  newsletterFollowerInviteMessageV2: (part: Part<"newsletterFollowerInviteMessageV2">) => channel(part),
  eventInviteMessage: (part: Part<"eventInviteMessage">) =>
    worded(lines([part.eventTitle, part.caption]), {
      invitation: { to: "event", id: part.eventId ?? "", name: part.eventTitle ?? "", code: "" },
      event_details: {
        name: part.eventTitle ?? "",
        description: part.caption ?? "",
        start_time: wholeNumber(part.startTime),
        end_time: wholeNumber(part.endTime),
        join_link: part.callLink ?? "",
        ...(part.isCanceled && { is_canceled: true as const }),
      },
    }),
  requestPaymentMessage: (part: Part<"requestPaymentMessage">) =>
    worded(noteIn(part.noteMessage), {
      payment: {
        kind: "request",
        ...(part.amount ? moneyOf(part.amount) : priceOf(part.amount1000, 1000, part.currencyCodeIso4217)),
        ...expiry(part.expiryTimestamp),
      },
    }),
  sendPaymentMessage: (part: Part<"sendPaymentMessage">) =>
    worded(noteIn(part.noteMessage), { payment: { kind: "sent", ...requestOf(part.requestMessageKey) } }),
  declinePaymentRequestMessage: ({ key }: Part<"declinePaymentRequestMessage">) =>
    worded("", { payment: { kind: "declined", ...requestOf(key) } }),
  cancelPaymentRequestMessage: ({ key }: Part<"cancelPaymentRequestMessage">) =>
    worded("", { payment: { kind: "cancelled", ...requestOf(key) } }),
  paymentInviteMessage: ({ expiryTimestamp }: Part<"paymentInviteMessage">) =>
    worded("", { payment: { kind: "invitation", ...expiry(expiryTimestamp) } }),
  paymentReminderMessage: ({ description, amount }: Part<"paymentReminderMessage">) =>
    worded(description ?? "", { payment: { kind: "reminder", ...moneyOf(amount) } }),
  splitPaymentMessage: ({ description, totalAmount }: Part<"splitPaymentMessage">) =>
    worded(description ?? "", { payment: { kind: "split", ...moneyOf(totalAmount) } }),
  invoiceMessage: invoice,
}

function worded(body: string, fields: Partial<Fields>): Reading {
  return { said: { body, type: "text", media_type: "", ...fields } }
}

interface Written extends Omit<Interactive, "title" | "footer" | "buttons"> {
  title: Text
  body: Text
  footer: Text
  buttons: Button[]
  /** The part of the message that has a picture, a video, a document or a place in its header. */
  file?: Header | null | undefined
}

type Header = Pick<
  MessageContent,
  "imageMessage" | "videoMessage" | "documentMessage" | "locationMessage" | "productMessage"
>

/**
 * Reads a text with what surrounds it: with a file in its header it counts as media, and a place in its
 * header is kept.
 */
function written({ title, body, footer, file, buttons, sections, cards }: Written): Reading {
  const header = file ? headerIn(file) : undefined
  const words = lines([title, header?.said.product && header.said.body, body, footer])
  const parts: Interactive = {
    ...(title && { title }),
    ...(footer && { footer }),
    ...(buttons.length > 0 && { buttons }),
    ...(sections && sections.length > 0 && { sections }),
    ...(cards && cards.length > 0 && { cards }),
  }
  const { location, product: shown, file: facts, media_type: kind = "" } = header?.said ?? {}
  return {
    said: {
      body: words,
      type: kind === "" ? "text" : "media",
      media_type: kind,
      ...(kind !== "" && words !== "" && { caption: words }),
      ...(facts && { file: facts }),
      ...(location && { location }),
      ...(shown && { product: shown }),
      ...(Object.keys(parts).length > 0 && { interactive: parts }),
    },
    ...(header?.media && { media: { ...header.media, caption: words } }),
  }
}

function headerIn({
  imageMessage,
  videoMessage,
  documentMessage,
  locationMessage,
  productMessage,
}: Header): Reading | undefined {
  if (imageMessage) return everyday.file("image", imageMessage)
  if (videoMessage) return everyday.file("video", videoMessage)
  if (documentMessage) return everyday.file("document", documentMessage)
  if (locationMessage) return everyday.place(locationMessage, false)
  return productMessage ? product(productMessage) : undefined
}

function button(id: Text, text: Text, does: Pick<Button, "url" | "phone" | "code"> = {}): Button {
  return { id: id ?? "", text: text ?? "", ...does }
}

function rowOf(id: Text, title: Text, description: Text) {
  return { id: id ?? "", title: title ?? "", description: description ?? "" }
}

function template(part: Message_TemplateMessage): Reading {
  const { interactiveMessageTemplate, hydratedTemplate, hydratedFourRowTemplate, fourRowTemplate } = part
  if (interactiveMessageTemplate) return interactive(interactiveMessageTemplate)
  const hydrated = hydratedTemplate ?? hydratedFourRowTemplate
  return hydrated ? hydratedRows(hydrated) : fourRows(fourRowTemplate ?? {})
}

function hydratedRows(part: Message_TemplateMessage_HydratedFourRowTemplate): Reading {
  return written({
    title: part.hydratedTitleText,
    body: part.hydratedContentText,
    footer: part.hydratedFooterText,
    file: part,
    buttons: (part.hydratedButtons ?? []).map(hydratedButton),
  })
}

function hydratedButton({ quickReplyButton, urlButton, callButton }: HydratedTemplateButton): Button {
  if (urlButton) return button("", urlButton.displayText, { url: urlButton.url ?? "" })
  if (callButton) return button("", callButton.displayText, { phone: callButton.phoneNumber ?? "" })
  return button(quickReplyButton?.id, quickReplyButton?.displayText)
}

/** Reads the form of old clients: texts by their names in a catalogue, with the values that are filled in. */
function fourRows(part: Message_TemplateMessage_FourRowTemplate): Reading {
  return written({
    title: part.highlyStructuredMessage && wordsOf(part.highlyStructuredMessage),
    body: part.content && wordsOf(part.content),
    footer: part.footer && wordsOf(part.footer),
    file: part,
    buttons: (part.buttons ?? []).map(templateButton),
  })
}

function templateButton({ quickReplyButton, urlButton, callButton }: TemplateButton): Button {
  if (urlButton)
    return button("", wordsOf(urlButton.displayText ?? {}), { url: wordsOf(urlButton.url ?? {}) })
  if (callButton)
    return button("", wordsOf(callButton.displayText ?? {}), { phone: wordsOf(callButton.phoneNumber ?? {}) })
  return button(quickReplyButton?.id, wordsOf(quickReplyButton?.displayText ?? {}))
}

function structured(part: Part<"highlyStructuredMessage">): Reading {
  return part.hydratedHsm ? template(part.hydratedHsm) : worded(wordsOf(part), {})
}

function wordsOf({ params, localizableParams }: Part<"highlyStructuredMessage">): string {
  return lines(params?.length ? params : (localizableParams ?? []).map((each) => each.default))
}

function interactive(part: Message_InteractiveMessage): Reading {
  const { header, body, footer, nativeFlowMessage, carouselMessage } = part
  const buttons = nativeFlowMessage?.buttons ?? []
  const carousel = (carouselMessage?.cards ?? []).map(cardOf)
  const reading = written({
    title: lines([header?.title, header?.subtitle]),
    body: body?.text,
    footer: footer?.text,
    file: header,
    buttons: buttons.map((each) => flowButton(each)),
    sections: buttons.flatMap(flowSections),
    cards: carousel.map(({ card }) => card),
  })
  const { cards = [] } = reading.said.interactive ?? {}
  const words = lines([
    reading.said.body,
    ...cards.map((card) => lines([card.title, card.body, card.footer])),
  ])
  const params = buttons.map(({ buttonParamsJson }) => objectIn(buttonParamsJson) ?? {})
  const order = params.map(orderIn).find((found) => found)
  const payment = params.map(paymentIn).find((found) => found)
  const offer = offerIn(nativeFlowMessage?.messageParamsJson)
  return {
    ...reading,
    ...(carousel.some(({ media }) => media) && { cards: carousel.map(({ media }) => media) }),
    said: {
      ...reading.said,
      body: lines([
        words,
        offer?.text,
        ...(payment?.methods ?? []).flatMap(({ name, code }) => [name, code]),
      ]),
      ...(offer && { interactive: { ...reading.said.interactive, offer } }),
      ...(order && { order }),
      ...(payment && { payment }),
    },
  }
}

function cardOf(card: Message_InteractiveMessage) {
  const { said, media } = written({
    title: lines([card.header?.title, card.header?.subtitle]),
    body: card.body?.text,
    footer: card.footer?.text,
    file: card.header,
    buttons: (card.nativeFlowMessage?.buttons ?? []).map((each) => flowButton(each)),
  })
  const { title = "", footer = "", buttons = [] } = said.interactive ?? {}
  const { name = "", content_type = "", size = 0 } = said.file ?? {}
  const file = said.file && { name, content_type, size }
  return { card: { title, body: card.body?.text ?? "", footer, buttons, ...(file && { file }) }, media }
}

type FlowButton = Message_InteractiveMessage_NativeFlowMessage_NativeFlowButton

/** A button whose kind and fields are JSON, by the names that WhatsApp's business API gives them. */
function flowButton({ name, buttonParamsJson }: FlowButton, label?: Text): Button {
  const params = objectIn(buttonParamsJson) ?? {}
  const [url, phone, code] = [
    textIn(params, "url"),
    textIn(params, "phone_number"),
    textIn(params, "copy_code", "otp_code"),
  ]
  return button(textIn(params, "id"), textIn(params, "display_text", "title", "flow_cta") || label || name, {
    ...(url && { url }),
    ...(phone && { phone }),
    ...(code && { code }),
  })
}

function flowSections({ buttonParamsJson }: FlowButton): NonNullable<Interactive["sections"]> {
  return listIn(objectIn(buttonParamsJson), "sections").map((section) => ({
    title: textIn(section, "title") ?? "",
    rows: listIn(section, "rows").map((row) =>
      rowOf(textIn(row, "id"), textIn(row, "title"), textIn(row, "description")),
    ),
  }))
}

/** An order to be paid or on its way, as `review_and_pay`, `review_order` and their like have it. */
function orderIn(params: Record<string, unknown>): Fields["order"] {
  const { order } = params
  if (!isObject(order)) return undefined
  const count = listIn(order, "items").reduce((sum, { quantity = 1 }) => sum + wholeNumber(quantity), 0)
  const price = totalOf(params)
  const [status, description] = [textIn(order, "status"), textIn(order, "description")]
  // A Pix key is sent beside an empty order.
  if (count === 0 && price.amount === undefined && !description && params.payment_settings) return undefined
  return {
    id: textIn(params, "reference_id") ?? "",
    token: "",
    title: "",
    item_count: count,
    ...(status && { status }),
    ...(description && { description }),
    ...price,
  }
}

function totalOf(params: Record<string, unknown>) {
  const total = isObject(params.total_amount) ? params.total_amount : {}
  const { amount, currency } = priceOf(total.value, Number(total.offset) || 1, textIn(params, "currency"))
  return { ...(amount && { amount }), ...(currency && { currency }) }
}

/** How a business wants to be paid: `payment_settings` has an object under the name of each `type`. */
function paymentIn(params: Record<string, unknown>): Fields["payment"] {
  const methods = listIn(params, "payment_settings").flatMap((setting) => {
    const type = textIn(setting, "type") ?? ""
    const detail = setting[type]
    const code = isObject(detail) ? textIn(detail, "code", "key", "digitable_line", "uri", "url") : undefined
    if (!code || !isObject(detail)) return []
    const keyType = detail.key === code ? textIn(detail, "key_type") : undefined
    return {
      type,
      code,
      name: textIn(detail, "merchant_name", "name") ?? "",
      ...(keyType && { key_type: keyType }),
    }
  })
  return methods.length > 0 ? { kind: "details", methods, ...totalOf(params) } : undefined
}

/** An offer for a limited time, with its code. */
function offerIn(json: Text): Interactive["offer"] {
  const offer = objectIn(json)?.limited_time_offer
  if (!isObject(offer)) return undefined
  const [text, code, url] = [textIn(offer, "text"), textIn(offer, "copy_code"), textIn(offer, "url")]
  const at = wholeNumber(offer.expiration_time ?? offer.expiration_time_ms)
  return {
    text: text ?? "",
    ...(code && { code }),
    ...(url && { url }),
    // Some senders give milliseconds.
    ...expiry(at > 100_000_000_000 ? Math.floor(at / 1000) : at),
  }
}

function product({
  product: shown,
  businessOwnerJid,
  catalog,
  body,
  footer,
}: Part<"productMessage">): Reading {
  const image = shown?.productImage ?? catalog?.catalogImage
  const title = shown?.title ?? catalog?.title ?? ""
  const description = shown?.description ?? catalog?.description ?? ""
  const reading = written({
    title: "",
    body: lines([title, description, body]),
    footer,
    buttons: [],
    file: image ? { imageMessage: image } : undefined,
  })
  return {
    ...reading,
    said: {
      ...reading.said,
      product: {
        id: shown?.productId ?? "",
        title,
        description,
        retailer_id: shown?.retailerId ?? "",
        url: shown?.url ?? shown?.signedUrl ?? "",
        seller_id: withoutDevice(businessOwnerJid ?? ""),
        ...priceOf(shown?.salePriceAmount1000 ?? shown?.priceAmount1000, 1000, shown?.currencyCode),
      },
    },
  }
}

function channel({
  newsletterJid,
  newsletterName,
  caption,
  ...rest
}: {
  newsletterJid?: Text
  newsletterName?: Text
  caption?: Text
  inviteExpiration?: unknown
}): Reading {
  return worded(lines([newsletterName, caption]), {
    invitation: {
      to: "channel",
      id: newsletterJid ?? "",
      name: newsletterName ?? "",
      code: "",
      ...expiry(rest.inviteExpiration),
    },
  })
}

/** `InvoiceMessage.AttachmentType` */
const invoiceKinds: Record<number, MediaKind> = { 0: "image", 1: "document" }

function invoice(part: Part<"invoiceMessage">): Reading {
  const kind = invoiceKinds[part.attachmentType ?? 0] ?? "document"
  if (!part.attachmentDirectPath) return worded(part.note ?? "", {})
  const { media, facts } = fileIn(kind, {
    caption: part.note,
    mimetype: part.attachmentMimetype,
    directPath: part.attachmentDirectPath,
    mediaKey: part.attachmentMediaKey,
    fileSha256: part.attachmentFileSha256,
    fileEncSha256: part.attachmentFileEncSha256,
  })
  const { caption } = media
  return {
    said: { body: caption, type: "media", media_type: kind, ...(caption && { caption }), file: facts },
    media,
  }
}

interface Tapped {
  id: Text
  text: Text
  description?: Text
  answers?: Record<string, unknown> | undefined
}

function tapped({ id, text, description, answers }: Tapped): Reading {
  return worded(text ?? "", {
    tapped: {
      id: id ?? "",
      text: text ?? "",
      ...(description && { description }),
      ...(answers && isShallow(answers) && { answers }),
    },
  })
}

function noteIn(note: MessageContent | null | undefined): string {
  const { extendedTextMessage, conversation, imageMessage, videoMessage } = unwrap(note ?? {})
  return extendedTextMessage?.text ?? conversation ?? (imageMessage ?? videoMessage)?.caption ?? ""
}

function requestOf(key: { id?: Text } | null | undefined): { request_id?: string } {
  return key?.id ? { request_id: key.id } : {}
}

/** An amount that is given in parts of its unit: 12500 thousandths are 12.5. */
function priceOf(value: unknown, parts: number, currency: Text): { amount?: number; currency?: string } {
  const amount = Number(value ?? Number.NaN) / parts
  return { ...(Number.isFinite(amount) && { amount }), ...(currency && { currency }) }
}

function moneyOf(money: Money | null | undefined) {
  return priceOf(money?.value, money?.offset || 1, money?.currencyCode)
}

function expiry(at: unknown): { expires_at?: number } {
  const seconds = wholeNumber(at)
  return seconds > 0 ? { expires_at: seconds } : {}
}

/**
 * Whether a value is nested no deeper than this: receivers read JSON only to some depth, and so does
 * `JSON.stringify` here.
 */
function isShallow(value: unknown, depth = 50): boolean {
  if (typeof value !== "object" || value === null) return true
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The object in a stranger's JSON; undefined if there is none. */
function objectIn(json: Text): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(json ?? "")
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function listIn(object: Record<string, unknown> | undefined, name: string): Record<string, unknown>[] {
  const list = object?.[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The first of these fields that is a text. */
function textIn(object: Record<string, unknown> | undefined, ...names: string[]): string | undefined {
  return names.map((name) => object?.[name]).find((value): value is string => typeof value === "string")
}
