import type { BinaryNode } from "@whiskeysockets/baileys"
import { z } from "zod"
import type { Connection } from "#session-host/network/connection.ts"
import type { Notice, Restriction } from "#session-host/network/happening.ts"
import { askMex, jsonIn } from "#session-host/network/mex.ts"

/** A time in Unix seconds, at most the end of the century. */
const Seconds = z.coerce.number().int().nonnegative().max(4_102_444_800).catch(0)

const Timelock = z.object({ is_active: z.boolean(), time_enforcement_ends: Seconds })

const Quota = z.object({ capping_status: z.string(), cycle_end_timestamp: Seconds })

/** The `w:mex` notices and answers about an account that may not begin chats, or no more of them. */
const Restricting = z.object({
  data: z.object({
    xwa2_notify_account_reachout_timelock: Timelock.nullish(),
    xwa2_fetch_account_reachout_timelock: Timelock.nullish(),
    xwa2_notify_new_chat_messages_capping_info_update: Quota.nullish(),
    xwa2_message_capping_info: Quota.nullish(),
  }),
})

/**
 * The restrictions that a notice or an answer names, whether on or off; undefined if it says nothing about
 * restrictions that is known here. A `null` says that there is none.
 */
export function restrictionsIn({ content }: Pick<BinaryNode, "content">): Notice[] | undefined {
  return restrictionsOf(jsonIn(content))
}

function restrictionsOf(said: unknown): Notice[] | undefined {
  const { data } = Restricting.safeParse(said).data ?? {}
  if (!data) return undefined
  const lock = data.xwa2_fetch_account_reachout_timelock ?? data.xwa2_notify_account_reachout_timelock
  const quota = data.xwa2_message_capping_info ?? data.xwa2_notify_new_chat_messages_capping_info_update
  const about = [
    ...(lock ? [restricted("new_chats", lock.is_active, lock.time_enforcement_ends)] : []),
    ...((quota && fromQuota(quota.capping_status, quota.cycle_end_timestamp)) ?? []),
  ]
  return about.length > 0 || Object.values(data).includes(null) ? about : undefined
}

/** The statuses are those of Baileys' `NewChatMessageCappingStatusType`. */
function fromQuota(status: string, until: number): Notice[] | undefined {
  switch (status) {
    case "CAPPED":
      return [restricted("new_chats_quota", true, until)]
    case "NONE":
      return [restricted("new_chats_quota", false, until)]
    case "FIRST_WARNING":
    case "SECOND_WARNING":
      return [restricted("new_chats_quota", false, until), { kind: "quota_nears" }]
    default:
      return undefined
  }
}

function restricted(kind: Restriction["kind"], isOn: boolean, until: number): Notice {
  return { kind: "restriction", restriction: { kind, until }, isOn }
}

/**
 * The questions that WhatsApp Web asks when it starts. The first is whether the account may begin chats,
 * under the id that Baileys has for it (`REACHOUT_TIMELOCK`). The second is how many more chats it may begin,
 * as in whatsapp-rust 1251, since the live network refuses Baileys' own question (Baileys 2539).
 */
const asked: [id: string, variables: object][] = [
  ["23983697327930364", {}],
  ["27910975521856601", { input: { type: "INDIVIDUAL_NEW_CHAT_THREAD" } }],
]

/** How long after a question further refusals cause no new question, in ms: a customer may go on sending. */
const apartMs = 60_000

interface Input {
  ask: Connection["ask"]
  onNotice: (notice: Notice) => void
  /** Called when an answer says nothing that is known here. */
  onUnknown: () => void
  onError: (error: unknown) => void
}

/**
 * Asks the network whether the account may begin chats, and how many more. The network reports both unasked,
 * but only to sessions that are connected at that time. So a session asks at its login, and when the network
 * has refused the beginning of a chat.
 */
export function newRestrictionsQuestions({ ask, onNotice, onUnknown, onError }: Input) {
  let isAsking = false
  let refusedAt = -Infinity

  async function askOnce([id, variables]: (typeof asked)[number]): Promise<void> {
    const notices = restrictionsOf(await askMex({ ask }, id, variables))
    if (!notices) onUnknown()
    for (const notice of notices ?? []) onNotice(notice)
  }

  function atLogin(): void {
    if (isAsking) return
    isAsking = true
    void Promise.all(asked.map((question) => askOnce(question).catch(onError))).finally(
      () => (isAsking = false),
    )
  }

  return {
    atLogin,
    afterRefusal(networkCode: number): void {
      if (networkCode !== mayNotBeginChats || isAsking || performance.now() - refusedAt < apartMs) return
      refusedAt = performance.now()
      atLogin()
    },
  }
}

const mayNotBeginChats = 463
