import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import { keyIndexList } from "../devices/key-index-list.ts"
import { contactHash } from "../devices/notify-of-devices.ts"
import { inOtherMode, inMode } from "../network/addressing.ts"
import type { User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { el, type Node } from "../wire/node.ts"
import { malformed, type Wrong } from "./malform.ts"

/** The person who gets a notice, and the contact and group that it is about. */
export interface NoticeParties {
  network: Network
  own: User
  contact: User
  /** A group's address; there need not be such a group. */
  group: string
}

type Notice = (about: NoticeParties) => Node

/**
 * Stanzas that the live network sends unasked, and that no action of a person on this network causes.
 * `docs/network.md` names the public source of each, and what the bridge makes of it.
 */
const notices = {
  account_dirty: () => dirty("account_sync"),
  groups_dirty: () => dirty("groups"),
  communities_dirty: () => dirty("communities"),

  client_expires: () =>
    el("ib", { from: Jid.network }, [el("client_expiration", { t: now() + 30 * 86_400 })]),
  client_expires_not: () => el("ib", { from: Jid.network }, [el("client_expiration")]),
  ping: () => el("iq", { from: Jid.network, type: "get", xmlns: "urn:xmpp:ping" }, [el("ping")]),

  devices_changed: ({ contact, own }) =>
    from(own, "devices", [el("update", { hash: contactHash(contact.lid) })]),
  identity_changed: ({ contact }) => from(contact, "encrypt", [el("identity")]),
  number_changed: ({ contact, own }) =>
    from(contact, "contacts", [
      el("modify", {
        old: inMode("pn", contact),
        new: changed(contact),
        old_lid: inMode("lid", contact),
        new_lid: inMode("lid", contact),
        actor: inMode("pn", own),
      }),
    ]),
  contact_updated: ({ contact }) => from(contact, "contacts", [el("update", { jid: inMode("pn", contact) })]),
  contact_joined: () => fromNetwork("contacts", [el("add", { hash: "abcd" })]),
  contacts_sync: () => fromNetwork("contacts", [el("sync", { after: now() })]),
  about_changed: ({ contact }) => from(contact, "status", [el("set", {}, Buffer.from("Gone fishing"))]),
  timer_changed: ({ contact }) =>
    from(contact, "disappearing_mode", [el("disappearing_mode", { duration: 86_400, t: now() })]),
  business_named: ({ contact }) =>
    from(contact, "business", [
      el(
        "verified_name",
        { jid: inMode("pn", contact), v: 2, serial: 1 },
        certificate(`${contact.name} & Co`),
      ),
    ]),
  business_gone: ({ contact }) => from(contact, "business", [el("remove", { jid: inMode("pn", contact) })]),
  business_profile: ({ contact }) => from(contact, "business", [el("profile", { hash: "abcd" })]),

  business_products: ({ contact }) =>
    from(contact, "business", [
      el("product_catalog", {}, [
        el("product", {}, [el("id", {}, Buffer.from("1"))]),
        el("collection", { id: "1" }),
      ]),
    ]),
  business_subscriptions: ({ contact }) =>
    from(contact, "business", [el("subscriptions", {}, [el("subscription", { id: "1", status: "active" })])]),

  own_devices: ({ network, own }) =>
    from(own, "account_sync", [
      el("devices", { dhash: "2:abcdefgh" }, [
        ...network.directory
          .devices(own.pn)
          .map(({ id, keyIndex }) =>
            el("device", { jid: inMode("pn", own, id), "key-index": id === 0 ? undefined : keyIndex }),
          ),
        keyIndexList(network, own),
      ]),
    ]),
  own_privacy: ({ own }) =>
    from(own, "account_sync", [el("privacy", {}, [el("category", { name: "last", value: "none" })])]),
  own_name: ({ own }) =>
    el("notification", { from: inMode("pn", own), type: "account_sync", t: now(), pushname: own.name }),
  own_picture: ({ own }) => from(own, "account_sync", [el("picture")]),
  own_about: ({ own }) => from(own, "account_sync", [el("status")]),
  own_block_list: ({ own, contact }) =>
    from(own, "account_sync", [
      el("blocklist", { action: "modify", dhash: "b", prev_dhash: "a" }, [
        el("item", { jid: inMode("lid", contact), action: "block" }),
      ]),
    ]),
  own_timer: ({ own }) =>
    from(own, "account_sync", [el("disappearing_mode", { duration: 86_400, t: now() })]),
  own_terms: ({ own }) =>
    from(own, "account_sync", [el("tos", {}, [el("notice", { id: "20210210", state: "1" })])]),

  announcement: () => fromNetwork("psa", [el("psa", { campaign: "1" })]),
  server_log: () => fromNetwork("server", [el("log", { type: "all" })]),
  server_props: () => fromNetwork("server", [el("abprops", { hash: "abcd" })]),
  registration: () => fromNetwork("registration", [el("wa_old_registration", { expiry_t: now() + 600 })]),
  payment: ({ contact }) => from(contact, "pay", [el("transaction", { id: "1", status: "SUCCESS" })]),

  group_number_changed: ({ contact, group }) =>
    ofGroup(group, contact, [el("modify", {}, [el("participant", { jid: changed(contact) })])]),
  group_deleted: ({ contact, group }) => ofGroup(group, contact, [el("delete", { reason: "deleted" })]),
  group_linked: ({ contact, group }) =>
    ofGroup(group, contact, [el("link", { link_type: "sub_group" }, [subGroup()])]),
  group_unlinked: ({ contact, group }) =>
    ofGroup(group, contact, [
      el("unlink", { unlink_type: "sub_group", unlink_reason: "unlink_group" }, [subGroup()]),
    ]),
  group_suspended: ({ contact, group }) => ofGroup(group, contact, [el("suspended")]),
  group_restored: ({ contact, group }) => ofGroup(group, contact, [el("unsuspended")]),
  group_approval: ({ contact, group }) =>
    ofGroup(group, contact, [el("membership_approval_mode", {}, [el("group_join", { state: "on" })])]),
  group_asked: ({ contact, group }) =>
    ofGroup(group, contact, [
      el("created_membership_requests", { request_method: "invite_link" }, [
        el("requested_user", { jid: inMode("lid", contact), phone_number: inMode("pn", contact) }),
      ]),
    ]),
  group_unasked: ({ contact, group }) =>
    ofGroup(group, contact, [
      el("revoked_membership_requests", {}, [el("participant", { jid: inMode("lid", contact) })]),
    ]),
  group_growth: ({ contact, group }) =>
    ofGroup(group, contact, [el("growth_locked", { expiration: now() + 86_400, type: "invite" })]),

  restricted: () =>
    mex("NotificationUserReachoutTimelockUpdate", {
      xwa2_notify_account_reachout_timelock: {
        is_active: true,
        time_enforcement_ends: String(now() + 86_400),
        enforcement_type: "DEFAULT",
      },
    }),
  unrestricted: () =>
    mex("NotificationUserReachoutTimelockUpdate", {
      xwa2_notify_account_reachout_timelock: { is_active: false },
    }),
  capped: () =>
    mex("MessageCappingInfoNotification", {
      xwa2_notify_new_chat_messages_capping_info_update: {
        total_quota: 100,
        used_quota: 100,
        cycle_end_timestamp: String(now() + 86_400),
        capping_status: "CAPPED",
      },
    }),
  uncapped: () =>
    mex("MessageCappingInfoNotification", {
      xwa2_notify_new_chat_messages_capping_info_update: {
        total_quota: 100,
        used_quota: 0,
        capping_status: "NONE",
      },
    }),

  cap_nears: () =>
    mex("MessageCappingInfoNotification", {
      xwa2_notify_new_chat_messages_capping_info_update: {
        total_quota: 100,
        used_quota: 90,
        capping_status: "SECOND_WARNING",
      },
    }),

  username_set: ({ contact, network }) =>
    mex("UsernameSetNotification", {
      xwa2_notify_username_on_change: {
        lid: inMode("lid", contact),
        username: network.profiles.usernameOf(contact.pn) ?? "another.name",
      },
    }),
  username_gone: ({ contact }) =>
    mex("UsernameDeleteNotification", {
      xwa2_notify_username_delete: { lid: inMode("lid", contact), display_name: contact.name },
    }),
  own_username: ({ own }) => from(own, "account_sync", [el("username", { username: "me.1" })]),

  newsletter_joined: () =>
    mex("NotificationNewsletterJoin", { xwa2_notify_newsletter_on_join: { id: newsletter } }),
  newsletter_news: () =>
    el("notification", { from: newsletter, type: "newsletter", t: now() }, [
      el("live_updates", {}, [
        el("messages", { t: now() }, [
          el("message", { server_id: 101, t: now(), type: "text" }, [el("views_count", { count: 7 })]),
        ]),
      ]),
    ]),
  newsletter_message: () =>
    el("message", { from: newsletter, type: "text", server_id: 102, t: now() }, [
      el("plaintext", {}, Buffer.from([0x0a, 0x04, 0x4e, 0x65, 0x77, 0x73])),
    ]),
  bot_message: ({ own }) =>
    el("message", { from: "867051314767696@bot", type: "text", t: now() }, [
      el("meta", { target_id: "3EB0", target_sender_jid: inMode("lid", own) }),
      el("enc", { v: "2", type: "msmsg" }, randomBytes(60)),
    ]),

  hosted_placeholder: ({ contact }) => placeholder(contact, "hosted_unavailable_fanout", now()),
  bot_placeholder: ({ contact }) => placeholder(contact, "bot_unavailable_fanout", now()),
  old_placeholder: ({ contact }) => placeholder(contact, undefined, now() - 15 * 86_400),

  receipts_together: ({ contact, group }) =>
    el("receipt", { from: group, type: "read", t: now() }, [
      el("participants", { key: "3EB0FFFF" }, [el("user", { jid: inMode("lid", contact), t: now() })]),
    ]),
  played_here: ({ contact, own }) =>
    el("receipt", {
      from: inMode("lid", own),
      recipient: inMode("lid", contact),
      type: "played-self",
      t: now(),
    }),
} satisfies Record<string, Notice>

export type NoticeKind = keyof typeof notices
export const noticeKinds = Object.keys(notices) as [NoticeKind, ...NoticeKind[]] // its keys are these

export function noticeOf(kind: NoticeKind, about: NoticeParties, wrong?: Wrong): Node {
  const stanza = notices[kind](about)
  return wrong ? malformed(stanza, wrong) : stanza
}

/** A placeholder of a message that this device does not get. */
function placeholder(contact: User, type: string | undefined, t: number): Node {
  return el("message", { from: inMode("lid", contact), type: "text", t }, [el("unavailable", { type })])
}

/** A certificate that a business goes by this name. It has no signature, since no client checks one. */
function certificate(verifiedName: string): Uint8Array {
  const details = proto.VerifiedNameCertificate.Details.encode({ serial: 1, issuer: "smb:wa", verifiedName })
  return proto.VerifiedNameCertificate.encode({ details: details.finish() }).finish()
}

const newsletter = "120363000000000001@newsletter"

/** The number of a contact after they have changed it. */
function changed(contact: User): string {
  return Jid.format(`${contact.pn.slice(0, -1)}${(Number(contact.pn.at(-1)) + 5) % 10}`, Jid.server)
}

function dirty(type: string): Node {
  return el("ib", { from: Jid.network }, [el("dirty", { type, timestamp: now() })])
}

function from(user: User, type: string, content: Node[]): Node {
  return el("notification", { from: inMode("pn", user), type, t: now() }, content)
}

function fromNetwork(type: string, content: Node[]): Node {
  return el("notification", { from: Jid.network, type, t: now() }, content)
}

function ofGroup(group: string, by: User, content: Node[]): Node {
  const attrs = { from: group, type: "w:gp2", t: now(), participant: inMode("lid", by), notify: by.name }
  return el("notification", { ...attrs, participant_pn: inOtherMode("lid", by) }, content)
}

function subGroup(): Node {
  return el("group", { jid: "120363000000000002@g.us", subject: "Sub", s_t: now() })
}

function mex(op_name: string, data: object): Node {
  return el("notification", { from: Jid.network, type: "mex", t: now() }, [
    el("update", { op_name }, Buffer.from(JSON.stringify({ data }))),
  ])
}
