import type { BinaryNode } from "@whiskeysockets/baileys"
import { z } from "zod"
import type { Notice, Question, Restriction, Stanza } from "#session-host/network/connection.ts"
import { child, el } from "#session-host/network/stanza.ts"

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

/** The restrictions that a notice or an answer names, whether on or off. */
export function restrictionsIn({ content }: Pick<BinaryNode, "content">): Notice[] {
  const {
    xwa2_notify_account_reachout_timelock: told,
    xwa2_fetch_account_reachout_timelock: lock = told,
    xwa2_notify_new_chat_messages_capping_info_update: news,
    xwa2_message_capping_info: quota = news,
  } = parsed(content)?.data ?? {}
  return [
    ...(lock ? [restricted("new_chats", lock.is_active, lock.time_enforcement_ends)] : []),
    ...(quota ? fromQuota(quota.capping_status, quota.cycle_end_timestamp) : []),
  ]
}

/** The statuses are those of Baileys' `NewChatMessageCappingStatusType`. */
function fromQuota(status: string, until: number): Notice[] {
  switch (status) {
    case "CAPPED":
      return [restricted("new_chats_quota", true, until)]
    case "NONE":
      return [restricted("new_chats_quota", false, until)]
    case "FIRST_WARNING":
    case "SECOND_WARNING":
      return [restricted("new_chats_quota", false, until), { kind: "quota_nears" }]
    default:
      return []
  }
}

function restricted(kind: Restriction["kind"], isOn: boolean, until: number): Notice {
  return { kind: "restriction", restriction: { kind, until }, isOn }
}

function parsed(content: BinaryNode["content"]): z.infer<typeof Restricting> | undefined {
  if (!(content instanceof Uint8Array)) return undefined
  try {
    return Restricting.safeParse(JSON.parse(Buffer.from(content).toString())).data
  } catch {
    // It is not JSON, so it is none of the notices that are known here.
    return undefined
  }
}

/**
 * WhatsApp Web asks this when it starts. Whether the account may begin chats: under the id that Baileys has for it
 * (`REACHOUT_TIMELOCK`). How many more: as in whatsapp-rust 1251, since the live network refuses Baileys' own question
 * (Baileys 2539).
 */
const asked: Question[] = [
  mex("23983697327930364", {}),
  mex("27910975521856601", { input: { type: "INDIVIDUAL_NEW_CHAT_THREAD" } }),
]

function mex(query_id: string, variables: object): Question {
  return { xmlns: "w:mex", type: "get", children: [el("query", { query_id }, JSON.stringify({ variables }))] }
}

/** How long refusals cause no further question, ms: a customer may send on and on. */
const apartMs = 60_000

interface Input {
  ask: (question: Question) => Promise<Stanza>
  tell: (notice: Notice) => void
  onError: (error: unknown) => void
}

/**
 * Asks the network whether the account may begin chats, and how many more. It tells so unasked, but only to those who are
 * connected then: so a session asks at its login, and when the network has refused to begin a chat.
 */
export function newRestrictionsQuestions({ ask, tell, onError }: Input) {
  let isAsking = false
  let refusedAt = -Infinity

  async function askOnce(question: Question): Promise<void> {
    const answer = child(await ask(question), "result")
    for (const notice of restrictionsIn({ content: answer?.bytes })) tell(notice)
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
