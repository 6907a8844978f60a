import type { BinaryNode } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { Metrics } from "#core/platform/metrics.ts"

/**
 * Known attributes, kinds (`type`) and parts of a stanza. The parts are listed by kind, or under `""` for all
 * kinds.
 */
interface Known {
  attrs: Set<string>
  kinds?: Set<string>
  parts?: Map<string, Set<string>>
}

const words = (text: string) => new Set(text.split(" "))
const partsOf = (entries: Record<string, string>) =>
  new Map(Object.entries(entries).map(([kind, parts]) => [kind, words(parts)]))

/** Kinds of ciphertexts. */
const ciphertexts = words("pkmsg msg skmsg msmsg")

/** A status has the form of a message. */
const message: Known = {
  attrs: words(
    "id from to t type notify offline participant participant_pn participant_lid sender_pn sender_lid recipient " +
      "recipient_pn recipient_lid peer_recipient_pn peer_recipient_lid addressing_mode category edit push_priority " +
      "server_id verified_name verified_level is_sender phash context expiration sts " +
      "username participant_username recipient_username peer_recipient_username",
  ),
  parts: partsOf({
    "": "enc plaintext unavailable participants device-identity verified_name meta biz bot reporting multicast rcat tctoken cstoken content_binding sender_content_binding",
  }),
}

/** The stanzas that Baileys, whatsmeow or this release handles or knowingly ignores. */
export const knownStanzas = new Map<string, Known>([
  ["message", message],
  ["status", message],
  [
    "receipt",
    {
      attrs: words(
        "id from to t type class offline participant participant_username recipient sender_pn sender_lid notify edit",
      ),
      kinds: words(
        "read read-self played played-self retry sender inactive peer_msg hist_sync server-error enc_rekey_retry",
      ),
      parts: partsOf({ "": "list participants retry registration keys error rmr enc_p device-identity biz" }),
    },
  ],
  [
    "notification",
    {
      attrs: words(
        "id from to t type notify offline participant participant_pn participant_lid participant_username sender_lid " +
          "sender_pn lid recipient addressing_mode stage sub_t edit pushname",
      ),
      parts: partsOf({
        encrypt: "count identity digest pq_count",
        hosted: "hosted update",
        waffle: "waffle",
        "fb:update": "update",
        biz_thread_data: "biz_thread_data",
        digital_commerce_subscription: "subscription",
        "w:growth": "invite growth",
        "psa/surfaces": "surfaces",
        devices: "add remove update",
        account_sync: "devices privacy picture status blocklist disappearing_mode tos notice username",
        contacts: "update modify sync add remove",
        status: "set",
        picture: "set delete add request",
        privacy_token: "tokens",
        server_sync: "collection",
        mediaretry: "encrypt rmr error",
        business: "verified_name remove profile product_catalog subscriptions",
        disappearing_mode: "disappearing_mode",
        mex: "update mex",
        newsletter: "live_updates reaction view participant update message",
        link_code_companion_reg: "link_code_companion_reg",
        companion_reg_refresh: "companion_reg_refresh pair-device-rotate-qr",
        passkey_prologue_request: "passkey_prologue_request",
        psa: "psa",
        server: "log props abprops",
        registration: "wa_old_registration",
        pay: "transaction",
        "w:gp2":
          "create add remove leave promote demote modify subject description announcement not_announcement locked unlocked " +
          "ephemeral not_ephemeral invite delete link unlink suspended unsuspended member_add_mode member_link_mode " +
          "membership_approval_mode created_membership_requests revoked_membership_requests growth_locked growth_unlocked",
      }),
    },
  ],
  [
    "call",
    {
      attrs: words("id from to t platform version notify offline e sender_pn sender_lid"),
      parts: partsOf({
        "": "offer offer_notice accept preaccept reject terminate transport relaylatency group_info mute_v2 video enc_rekey",
      }),
    },
  ],
  [
    "ib",
    {
      attrs: words("from"),
      parts: partsOf({
        "": "offline_preview offline edge_routing dirty downgrade_webclient attestation gpia fbns client_expiration thread_metadata",
      }),
    },
  ],
  ["presence", { attrs: words("from to t type last name participant offline") }],
  [
    "chatstate",
    { attrs: words("from to t participant offline"), parts: partsOf({ "": "composing paused" }) },
  ],
  [
    "ack",
    {
      attrs: words(
        "id from to t class type participant error phash sync count refresh_lid addressing_mode recipient edit server_id",
      ),
    },
  ],
  ["iq", { attrs: words("id from to t type xmlns") }],
  [
    "success",
    { attrs: words("t lid location props abprops creation companion_enc_static status display_name") },
  ],
  ["failure", { attrs: words("reason expire location code message url") }],
  ["stream:error", { attrs: words("code") }],
  ["xmlstreamend", { attrs: words("") }],
])

/** How many names one process logs, each once. */
const mostLogged = 200
const logged = new Set<string>()

/**
 * Reports unknown stanzas to the operator, by the names of their tags and attributes alone, so that a change
 * of the network shows on its first day.
 */
export function reportUnknown(frame: BinaryNode, log: Pick<Logger, "warn">): void {
  for (const name of unknownIn(frame)) reportUnknownName(name, log)
}

/** Reports one unknown name: each time by the metric, once by the log. */
export function reportUnknownName(name: string, log: Pick<Logger, "warn">): void {
  Metrics.add("UnknownStanzas")
  if (logged.has(name) || logged.size >= mostLogged) return
  logged.add(name)
  log.warn({ unknown: name }, "the network sent something that is not known here")
}

/** The unknown names, as `tag`, `tag attribute`, `tag/kind` or `tag/kind/part`. */
export function unknownIn({ tag, attrs, content }: BinaryNode): string[] {
  const like = knownStanzas.get(tag)
  if (!like) return [named(tag)]
  const names = Object.keys(attrs).filter((name) => !like.attrs.has(name))
  const found = names.map((name) => `${tag} ${named(name)}`)
  const kind = attrs.type ?? ""
  if (like.kinds && kind !== "" && !like.kinds.has(kind)) found.push(`${tag}/${named(kind)}`)
  if (!like.parts) return found
  const parts = like.parts.get(like.parts.has("") ? "" : kind)
  if (!parts) return [...found, `${tag}/${named(kind)}`]
  const path = like.parts.has("") ? tag : `${tag}/${kind}`
  const all = Array.isArray(content) ? content : []
  const unknown = all.filter((part) => !parts.has(part.tag)).map((part) => `${path}/${named(part.tag)}`)
  const kinds = all.flatMap(({ tag: part, attrs: { type = "" } }) =>
    part === "enc" && type !== "" && !ciphertexts.has(type) ? `${path}/enc/${named(type)}` : [],
  )
  return [...found, ...new Set([...unknown, ...kinds])]
}

/** A name as it may be logged: the network's names are short, and have no long numbers. */
function named(name: string): string {
  return /^[a-zA-Z][\w:-]{0,40}$/.test(name) && !/\d{5}/.test(name) ? name : "…"
}
