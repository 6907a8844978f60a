/**
 * What the service refuses though it fits the document's schema, by its sentence: what no schema says, or
 * none that a person would read.
 */
export const beyondSchemas: { why: string; sentences: RegExp[] }[] = [
  {
    why: "a rule across fields, which the reference tells in words",
    sentences: [
      /^(?:as_voice|as_document|gif_playback|video_note|link_preview|view_once|caption|filename): not with /,
      /^content_type: `data` needs it/,
      /^body: give a body, a file /,
      /^preview: its url is not in the body/,
      /^contacts\.\d+\.(?:organization|email): not with a vcard/,
      /^max_answers: more answers than options/,
      /^end_time: before start_time/,
      /^reminder_offset_sec: only with /,
      /^history: not with keep: null/,
      /^history: needs `keep`/,
      /^message_status: (?:only with|needs) /,
      /^muted_until: only with muted/,
      /^valid_for: only with send_at/,
      /^messages\.\d+\.(?:chat: the same|body: give either|fields: (?:lacks|the text))/,
      /^gap_ms: so many messages/,
      /^pinned: an archived chat cannot be pinned/,
      /^ignore: `groups` leaves out /,
      /^events: none of these is of a chat/,
      /^headers: (?:a header is there twice|at most 2,048 characters)/,
      /^webhook: only with `state`/,
      /^until: not later than `since`/,
      /^from: is after `to`/,
      /^(?:url|state|events|ignore|chats): `first` /,
    ],
  },
  {
    why: "what there is, and what time it is: no schema knows",
    sentences: [
      /^after: not /,
      /^send_at: /,
      /^file: an upload/,
      /^expires_at: is over/,
      /^webhook_id: `first` cannot be deleted/,
    ],
  },
  {
    why: "names of headers that belong to the delivery, in any case",
    sentences: [/a header's name has 1 to 64/],
  },
  {
    why: "a text that is no text: half a character of UTF-16",
    sentences: [/: not well-formed text/],
  },
  {
    why: "a URL, a host or a day that has the form of one and is none, or leads to no public address",
    sentences: [
      /^proxy_url: /,
      /: not a URL/,
      /: the host of a URL/,
      /: must be a day/,
      /: must be a URL that begins/,
    ],
  },
]

/** Whether a refusal is one of these. */
export function isBeyondSchemas(sentence: string): boolean {
  return beyondSchemas.some(({ sentences }) => sentences.some((one) => one.test(sentence)))
}
