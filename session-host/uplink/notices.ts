import { BridgeLog } from "#core/bridge/log.ts"
import { iso } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import type { Memory } from "../memory/memory.ts"
import type { Notice, Restriction } from "../network/connection.ts"

interface Input {
  bridgeId: string
  memory: Pick<Memory, "standing">
  log: Logger
}

/** Lines of the customer's log. They do not say which contact it is. */
const sentences: Record<Exclude<Notice["kind"], "restriction" | "newsletter">, [BridgeLog.Level, string]> = {
  identity_changed: ["info", "a contact has another phone, or has reinstalled the app"],
  number_changed: ["info", "a contact has another number"],
  bot_message: ["warn", "this release cannot read a bot's message: it gives no event"],
}

const restrictions: Record<Restriction["kind"], string> = {
  new_chats: "this account may not start new chats",
  new_chats_quota: "this account has started as many new chats as it may",
}

/** Puts the network's news about accounts into the logs and into `status`. */
export function newNoticing({ bridgeId, memory, log }: Input) {
  let saidOfNewsletters = false
  const say = (level: BridgeLog.Level, text: string) => {
    log[level]({}, text)
    BridgeLog.append(bridgeId, level, text)
  }

  function sayOfNewsletters(): void {
    if (saidOfNewsletters) return
    saidOfNewsletters = true
    say("info", "newsletters are ignored: their messages give no events")
  }

  /** @throws SessionEnded */
  return async (notice: Notice): Promise<void> => {
    if (notice.kind === "newsletter") return sayOfNewsletters()
    if (notice.kind !== "restriction") return say(...sentences[notice.kind])
    const { restriction, isOn } = notice
    const what = restrictions[restriction.kind]
    const until = restriction.until > 0 ? ` until ${iso(restriction.until * 1000)}` : ""
    if (isOn) say("warn", `the network says that ${what}${until}`)
    else say("info", `the network no longer says that ${what}`)
    await memory.standing.setRestriction(restriction, isOn)
  }
}
