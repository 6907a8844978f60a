import type { BridgeLog } from "#core/bridge/bridge-log.ts"
import { isLid } from "#core/message/jid.ts"
import { iso } from "#core/platform/clock.ts"
import type { Condition } from "../concurrency/condition.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import type { Notice, Restriction } from "../network/happening.ts"
import type { Say } from "../say-in-log.ts"

interface Input {
  memory: { standing: LoginStanding }
  say: Say
  changes: Pick<Condition, "notify">
}

/** The news that is said in a fixed sentence. */
type FixedNotice = Exclude<Notice, { kind: "restriction" | "newsletter" }>

/** Lines of the customer's log. */
const sentences: Record<FixedNotice["kind"], [BridgeLog.Level, string]> = {
  identity_changed: ["info", "a contact has another phone, or has reinstalled the app"],
  number_changed: ["info", "a contact has another number"],
  bot_message: ["warn", "this release cannot read a bot's message: it gives no event"],
  unreadable_message: [
    "warn",
    "a message came in a form that this release cannot decrypt: it gives no event",
  ],
  withheld_message: ["warn", "a message is shown on the phone alone: it gives no event"],
  old_placeholder: [
    "warn",
    "a message could not be read, and is too old to ask the phone for it: it gives no event",
  ],
  quota_nears: [
    "warn",
    "the network warns that this account will soon have started as many new chats as it may",
  ],
}

const restrictions: Record<Restriction["kind"], string> = {
  new_chats: "this account may not start new chats",
  new_chats_quota: "this account has started as many new chats as it may",
}

/**
 * News that the network sends at each login, or for each message of a newsletter: it is logged once in a
 * session's life.
 */
const repeated: ReadonlySet<Notice["kind"]> = new Set(["newsletter", "quota_nears"])

/** Puts the network's news about accounts into the logs and into `status`. */
export function newNoticing({ memory, say, changes }: Input) {
  const known = new Set<Notice["kind"]>()

  /**
   * Logs a notice. The customer's log names the contact by private id, since no log has phone numbers. The
   * service's own log names no person.
   */
  function sayOf(notice: FixedNotice): void {
    const [level, text] = sentences[notice.kind]
    const detail = "jid" in notice && notice.jid && isLid(notice.jid) ? ` (${notice.jid})` : ""
    say(level, text, { detail })
  }

  /** @throws SessionEnded */
  return async (notice: Notice): Promise<void> => {
    if (repeated.has(notice.kind) && known.has(notice.kind)) return
    known.add(notice.kind)
    if (notice.kind === "newsletter")
      return say(
        "info",
        "posts of channels give events only if `events` of the bridge names `channel_post`, and their other news gives none",
      )
    if (notice.kind !== "restriction") return sayOf(notice)
    const { restriction, isOn } = notice
    const standing = memory.standing.restrictions.find(({ kind }) => kind === restriction.kind)
    if (isOn ? standing?.until === restriction.until : !standing) return
    const what = restrictions[restriction.kind]
    const until = restriction.until > 0 ? ` until ${iso(restriction.until * 1000)}` : ""
    if (isOn) say("warn", `the network says that ${what}${until}`)
    else say("info", `the network no longer says that ${what}`)
    await memory.standing.setRestriction(restriction, isOn)
    changes.notify()
  }
}
