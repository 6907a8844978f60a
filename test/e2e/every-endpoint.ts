import { expect, test } from "vitest"
import { z } from "zod"
import { type RouteName, routes } from "#contract/routes.ts"
import { asking, type Route, successesOf } from "./asking.ts"
import { emptyFieldsIn, type Schema } from "./contract-coverage.ts"
import { bridges } from "./endpoints/bridges.ts"
import type { CasesOf } from "./endpoints/cases.ts"
import { channels } from "./endpoints/channels.ts"
import { chats } from "./endpoints/chats.ts"
import { groups } from "./endpoints/groups.ts"
import { messages } from "./endpoints/messages.ts"
import { people } from "./endpoints/people.ts"
import { planneds } from "./endpoints/planned.ts"
import { whole } from "./endpoints/stage.ts"

// As declared there.
const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Route][]

const answers = new Map<RouteName, unknown[]>()

const cases: CasesOf<keyof typeof routes> = {
  ...bridges,
  ...messages,
  ...chats,
  ...people,
  ...groups,
  ...channels,
  ...planneds,
}

test.for(all)("%s", async ([name, route]) => {
  expect(cases).toHaveProperty(name)
  await cases[name](asking(whole, route, (json) => answers.set(name, [...(answers.get(name) ?? []), json])))
})

/** The fields of a kept message that `events/messages.ts` shows of its event. */
const ofKept = [
  "username",
  "unknown_kind",
  "media_type",
  "caption",
  "file",
  "view_once",
  "mentioned_groups",
  "mentions_all",
  "forwarded",
  "reaction",
  "edit",
  "target_id",
  "preview",
  "location",
  "options",
  "max_answers",
  "correct_option",
  "results",
  "event_details",
  "contacts",
  "interactive",
  "tapped",
  "order",
  "product",
  "invitation",
  "payment",
  "ad",
  "part_of",
  "cut",
  "disappears_after",
  "scheduled_for",
  "is_broadcast",
  "is_group_status",
  "verified_business",
]

/**
 * The fields that `restart.test.ts`, `refused-logins.test.ts`, `deliveries.test.ts`, `usage.test.ts`,
 * `webhooks.test.ts`, `send/pacing.test.ts` and `live-network/restrictions.test.ts`, and of messages that
 * were looked up `commands/look-up-message.test.ts`, show; those that `send/planned.test.ts` shows of planned
 * messages and jobs; those that `listGroups` shows, of a group in a community; the store of
 * `own-store.test.ts`; and those of messages that `events/messages.ts` shows of their events.
 */
const elsewhere = [
  "getBridge.manager.fail_count",
  "getBridge.reported.objection",
  "getBridge.media_store",
  "updateBridge.media_store",
  "status.passkey",
  "status.objection",
  "status.objection_until",
  "status.new_chats_left",
  ...["sendMedia", "sendReaction", "sendPoll", "sendLocation", "sendEvent", "sendContact", "sendForward"].map(
    (send) => `${send}.state`,
  ),
  "createPost.state",
  ...["sendText", "sendStatus", "revokeMessage", "editMessage", "pinMessage", "unpinMessage"].map(
    (send) => `${send}.state`,
  ),
  "listPlanned[].code",
  "listPlanned[].reason",
  ...["getPlanned", "changePlanned"].flatMap((call) =>
    ["job", "sent_at", "code", "reason"].map((field) => `${call}.${field}`),
  ),
  ...["createJob", "listJobs[]", "getJob", "changeJob"].flatMap((call) =>
    ["reason", "sent", "failed", "cancelled"].map((field) => `${call}.${field}`),
  ),
  "getJob.name",
  "changeJob.name",
  "getMessage.media_type",
  "getMessage.edit",
  "getMessage.delivered_at",
  "getMessage.read_at",
  "getMessage.played_at",
  "getMessage.failed_at",
  "getMessage.counts",
  "getMessage.reason",
  "getMessage.network_code",
  "findMessage.media_type",
  "findMessage.edit",
  "findMessage.delivered_at",
  "findMessage.read_at",
  "findMessage.played_at",
  "findMessage.failed_at",
  "findMessage.received_at",
  "findMessage.counts",
  "findMessage.reason",
  "findMessage.network_code",
  "listSent[].edit",
  "listSent[].delivered_at",
  "listSent[].read_at",
  "listSent[].played_at",
  "listSent[].failed_at",
  "listSent[].received_at",
  "listSent[].counts.delivered",
  "listSent[].counts.read",
  "listSent[].counts.played",
  "listSent[].reason",
  "listSent[].network_code",
  ...["listMessages", "searchMessages"].flatMap((name) => ofKept.map((field) => `${name}[].${field}`)),
  "createGroup.group.community",
  "lookAtInvite.role",
  "lookAtInvite.community",
  "getGroup.community",
  "updateGroup.community",
  "listChannels[].followers",
  "findChannel.followers",
  "getChannel.followers",
  "listPosts[].media_type",
  "listPosts[].file",
  "listPosts[].views",
  "listDeliveries.resending",
  "listDeliveries.recovered",
  "getDelivery.webhooks",
  "resendSince.next",
  "resendEverywhere.next",
  "listWebhooks[].secret_overlap_until",
  "listWebhooks[].failing_since",
  "listWebhooks[].recovered",
  "listWebhooks[].missed",
  "createWebhook.secret_overlap_until",
  "createWebhook.failing_since",
  "createWebhook.recovered",
  "createWebhook.missed",
  "getWebhook.secret_overlap_until",
  "getWebhook.failing_since",
  "getWebhook.recovered",
  "getWebhook.missed",
  "updateWebhook.secret_overlap_until",
  "updateWebhook.failing_since",
  "updateWebhook.recovered",
  "updateWebhook.missed",
  "listAccountWebhooks[].secret_overlap_until",
  "createAccountWebhook.secret_overlap_until",
  "getAccountWebhook.secret_overlap_until",
  "updateAccountWebhook.secret_overlap_until",
  "getUsage[].undelivered",
  "listRequests[].key_name",
  "listRequests[].left_out",
]

test("no answer has a field that is always empty, and every delivery was genuine and as documented", () => {
  const empty = all.flatMap(([name, route]) => {
    const [status] = successesOf(route)
    const schema = route.responses[status!]?.content?.["application/json"]?.schema
    return schema ? emptyFieldsIn(name, z.toJSONSchema(schema) as Schema, answers.get(name) ?? []) : []
  })
  // They have the form of `listMessages`.
  const others = empty.filter((field) => !field.startsWith("askForOlder.messages"))
  expect(others.toSorted()).toEqual(elsewhere.toSorted())
  expect(whole.webhook.faults()).toEqual([])
})
