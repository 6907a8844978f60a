import type { Event } from "#contract/event.ts"
import type { MessageContent, MediaKind } from "../network/connection.ts"
import type {
  Message_EventMessage,
  Message_ExtendedTextMessage,
  Message_LiveLocationMessage,
  Message_LocationMessage,
  Message_PollCreationMessage,
  Message_ScheduledCallCreationMessage,
} from "../network/message-proto/types.ts"
import { wholeNumber } from "./mapped.ts"
import { fileIn, type FilePart } from "./media.ts"
import type { Reading } from "./reading.ts"

// What people send each other: texts, files, polls, places, events, contact cards.

type Fields = Extract<Event, { event: "message" }>

/** The lines that are not empty, one below the other. */
export function lines(texts: (string | null | undefined)[]): string {
  return texts.filter((text) => text).join("\n")
}

export function text(text: string | null | undefined): Reading {
  return { said: { body: text ?? "", type: "text", media_type: "" } }
}

/** Reads a text, and the preview of a link in it. */
export function textWithLink(part: Message_ExtendedTextMessage): Reading {
  const { said } = text(part.text)
  const { matchedText, title, description } = part
  if (!title && !description) return { said }
  return {
    said: {
      ...said,
      preview: { url: matchedText ?? "", title: title ?? "", description: description ?? "" },
    },
  }
}

export function file(kind: MediaKind, part: FilePart): Reading {
  const { media, facts } = fileIn(kind, part)
  const caption = media.caption
  return {
    said: { body: caption, type: "media", media_type: kind, ...(caption !== "" && { caption }), file: facts },
    media,
  }
}

/** Reads a video that phones show as a circle. */
export function videoNote(part: FilePart): Reading {
  const { said, media } = file("video", part)
  return { said: { ...said, file: { ...said.file!, video_note: true } }, ...(media && { media }) }
}

export function poll({
  name,
  options,
  selectableOptionsCount,
  correctAnswer,
}: Message_PollCreationMessage): Reading {
  return {
    said: {
      body: name ?? "",
      type: "poll",
      media_type: "",
      options: (options ?? []).map(({ optionName }) => optionName ?? ""),
      max_answers: selectableOptionsCount ?? 0,
      ...(correctAnswer?.optionName && { correct_option: correctAnswer.optionName }),
    },
  }
}

export function results({
  name,
  pollVotes,
}: NonNullable<MessageContent["pollResultSnapshotMessage"]>): Reading {
  const votes = pollVotes ?? []
  return {
    said: {
      body: name ?? "",
      type: "poll",
      media_type: "",
      options: votes.map(({ optionName }) => optionName ?? ""),
      results: votes.map(({ optionName, optionVoteCount }) => ({
        option: optionName ?? "",
        votes: wholeNumber(optionVoteCount),
      })),
    },
  }
}

export function place(part: Message_LocationMessage & Message_LiveLocationMessage, isLive: boolean): Reading {
  const location = placeOf(part, isLive)
  const caption = lines([part.name, part.comment])
  return { said: { body: caption, type: "location", media_type: "", location } }
}

function placeOf(part: Message_LocationMessage, isLive = false): NonNullable<Fields["location"]> {
  return {
    lat: finite(part.degreesLatitude),
    lng: finite(part.degreesLongitude),
    name: part.name ?? "",
    address: part.address ?? "",
    ...(isLive && { live: true as const }),
    ...(isLive && part.accuracyInMeters && { accuracy_m: part.accuracyInMeters }),
  }
}

/** A number that JSON can hold: JSON has no form for the others. */
function finite(given: number | null | undefined): number {
  return Number.isFinite(given) ? Number(given) : 0
}

export function event(part: Message_EventMessage): Reading {
  const { name, description, startTime, endTime, joinLink, location, isCanceled } = part
  return {
    said: {
      body: name ?? "",
      type: "event",
      media_type: "",
      event_details: {
        name: name ?? "",
        description: description ?? "",
        start_time: wholeNumber(startTime),
        end_time: wholeNumber(endTime),
        join_link: joinLink ?? "",
        ...(location && { location: placeOf(location) }),
        ...(isCanceled && { is_canceled: true as const }),
      },
    },
  }
}

/** Reads a scheduled call, which is an event message without a place. */
export function scheduledCall({
  title,
  scheduledTimestampMs,
}: Message_ScheduledCallCreationMessage): Reading {
  return event({ name: title ?? null, startTime: Math.floor(wholeNumber(scheduledTimestampMs) / 1000) })
}

export function contacts(cards: NonNullable<MessageContent["contactMessage"]>[]): Reading {
  const found = cards.map(({ displayName, vcard }) => {
    const phones = propertiesOf(vcard, "TEL")
    const known = phones.flatMap(({ parameters }) => /;waid=(\d+)/i.exec(parameters)?.[1] ?? [])
    return {
      name: displayName || propertiesOf(vcard, "FN")[0]?.value || nameInParts(vcard),
      phones: phones.map(({ value }) => value),
      ...(known.length > 0 && { on_whatsapp: known }),
      vcard: vcard ?? "",
    }
  })
  return {
    said: {
      body: lines(found.map(({ name }) => name)),
      type: "contact",
      media_type: "",
      contacts: found,
    },
  }
}

/** The name of a card that has it in parts alone, the family's first (RFC 6350, 6.2.2). */
function nameInParts(vcard: string | null | undefined): string {
  const [family, given, more] = propertiesOf(vcard, "N")[0]?.value.split(";") ?? []
  return [given, more, family].filter(Boolean).join(" ")
}

/**
 * The values of a property of a vCard, each with its parameters (RFC 6350, 3.3: `item1.TEL;type=CELL:+49 30`,
 * a long line is folded before a space). Android writes vCard 2.1, in which a value may be quoted-printable:
 * such a value goes on after a line that ends with `=`.
 */
function propertiesOf(vcard: string | null | undefined, name: string) {
  const unfolded = (vcard ?? "").replaceAll(/\r?\n[ \t]/g, "")
  const property = new RegExp(
    `^(?:[\\w-]+\\.)?${name}((?:;[^:\\r\\n]*)?):(?:tel:)?((?:=\\r?\\n|[^\\r\\n])*)`,
    "gim",
  )
  return [...unfolded.matchAll(property)].map(([, parameters = "", value = ""]) => {
    const written = /QUOTED-PRINTABLE/i.test(parameters) ? printed(value) : value
    return { parameters, value: unescaped(written).trim() }
  })
}

/** Decodes a quoted-printable text (RFC 2045, 6.7) in UTF-8. */
function printed(value: string): string {
  const whole = value.replaceAll(/=\r?\n/g, "")
  const bytes = whole.replaceAll(/=([\dA-F]{2})|[^]/giu, (one, hex: string | undefined) =>
    hex ? hex : Buffer.from(one).toString("hex"),
  )
  return Buffer.from(bytes, "hex").toString()
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([,;\\])/g, "$1")
}
