import type { Objection } from "#contract/status-and-objection.ts"
import { iso, now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import type { KnownState, LastWord, WhyPaused } from "./known-state.ts"

/** A piece of a sentence. Pages show a time (Unix seconds) and an address of mail in ways of their own. */
export type Piece = string | { at: number } | { mail: string }

/** What people can do about a state, on a page of the dashboard. */
export type To = "connect" | "take-back" | "pay" | "settings"

interface Words {
  tone: "good" | "warn" | "bad" | "idle"
  word: string
  /** The cause of a bad state; `""` if there is none. */
  cause: string | Piece[]
  /** The action that helps. */
  action?: { label: string; to: To }
}

/** A state as everybody is told it: by the API, the dashboard, the command line and an agent's tools. */
export function sentenceOf(knownState: KnownState): string {
  const { word, cause } = stateWords(knownState)
  return `${word}. ${[cause].flat().map(plain).join("")}`.trimEnd()
}

function plain(piece: Piece): string {
  if (typeof piece === "string") return piece
  return "mail" in piece ? piece.mail : iso(piece.at * 1000)
}

/** A state in words: each bad state has its cause, what helps and, if a page can do that, the action. */
export function stateWords(knownState: KnownState): Words {
  switch (knownState.kind) {
    case "said":
      return inWordsOfStatus(knownState)
    case "silent":
      return {
        ...doubt(knownState),
        cause: knownState.isLost
          ? `The machine that runs it does not answer.${lastOf(knownState.last)} Another one takes over by itself.`
          : `It is slow to answer, or does not answer at all.${lastOf(knownState.last)}`,
      }
    case "unheld":
      if (knownState.hasFailed)
        return {
          ...doubt(knownState),
          cause: `The machine that ran it is gone.${lastOf(knownState.last)} Another one takes over by itself.`,
        }
      return {
        tone: "warn",
        word: "Starting",
        cause: `It waits for a machine to run on.${lastOf(knownState.last)}`,
      }
    case "idle":
      return {
        tone: "idle",
        word: "Asleep",
        cause: "Nothing used it for three days, and no phone is linked. It wakes when you link a phone.",
        action: { label: "Link a phone", to: "connect" },
      }
    case "paused":
      return {
        tone: knownState.why === "paid" || knownState.why === "customer" ? "warn" : "bad",
        word: "Paused",
        ...(knownState.why === "operator"
          ? { cause: ["The operator of this service has paused it: ask them to wake it", ...where(), "."] }
          : pauses[knownState.why]),
      }
    case "suspended":
      return {
        tone: "bad",
        word: "Suspended",
        cause: ["The operator of this service has suspended it: ask them why", ...where(), "."],
      }
    case "moved":
      return {
        tone: "idle",
        word: "Moved",
        cause:
          "Another service has it: the operator of this service says where. What is left here can be deleted.",
      }
    case "gone":
      return { tone: "idle", word: "Deleted", cause: "This number was deleted." }
  }
}

/** Where to reach the operator. */
function where(): Piece[] {
  const { SUPPORT_EMAIL: mail } = config
  return mail === "" ? [] : [", at ", { mail }]
}

const pauses: Record<Exclude<WhyPaused, "operator">, Pick<Words, "cause" | "action">> = {
  customer: {
    cause: "Somebody of this account has paused it, and can wake it in the dashboard.",
    action: { label: "Wake it", to: "settings" },
  },
  billing: {
    cause:
      "The operator of this service has paused it for a payment. Settle it with them: then they wake it.",
  },
  none: {
    cause: "This account has no subscription. Once it has one, this number runs again by itself.",
    action: { label: "Subscribe", to: "pay" },
  },
  unpaid: {
    cause: "A payment is missing. Once it is made, this number runs again by itself.",
    action: { label: "Pay", to: "pay" },
  },
  canceled: {
    cause:
      "The subscription of this account has ended. Subscribe again, and this number runs again by itself.",
    action: { label: "Subscribe again", to: "pay" },
  },
  paid: { cause: "Nothing is left to pay: this number runs again by itself in a few minutes." },
  secret: { cause: "No phone can be linked to it at the moment: ask the sender of this page." },
}

const unlinkedBy = {
  here: "Its phone was unlinked here: through the API, in its settings, or by a link page that expects another number.",
  elsewhere: "Its phone was unlinked on the phone, under Linked devices, or by the network.",
  somewhere: "Its phone is not linked any more: it was unlinked on the phone, under Linked devices, or here.",
}

function doubt({ isLost }: { isLost?: boolean }): Pick<Words, "tone" | "word"> {
  return isLost ? { tone: "bad", word: "Lost" } : { tone: "warn", word: "Uncertain" }
}

type SaidState = Extract<KnownState, { kind: "said" }>

function inWordsOfStatus({ hadPhone, ...said }: SaidState): Words {
  const isAway = said.status === "connecting" || said.status === "disconnected"
  if (isAway && said.objection) {
    const { word, cause } = loginRejections[said.objection]
    const until = said.objection_until ?? 0
    return {
      tone: "bad",
      word,
      cause: until > now() ? [`${cause} It tries again on `, { at: until }, "."] : cause,
    }
  }
  switch (said.status) {
    case "connected":
      if (said.restriction)
        return {
          tone: "warn",
          word: "Restricted",
          cause: [
            "It is connected, but the network lets this number start no new chats",
            ...untilOf(said.restricted_until),
            ".",
          ],
        }
      if (said.isCatchingUp)
        return {
          tone: "good",
          word: "Catching up",
          cause: "It gets what came before it was connected, in order. There is nothing to do.",
        }
      return { tone: "good", word: "Connected", cause: "" }
    case "unpaired":
      return inWordsOfUnpaired(said, hadPhone)
    case "connecting":
      return { tone: "warn", word: "Signing in", cause: "The session signs in to the network." }
    case "disconnected":
      return {
        tone: "warn",
        word: "Reconnecting",
        cause: "The connection to the network is lost. The session connects again by itself.",
      }
    case "replaced":
      return {
        tone: "bad",
        word: "Replaced",
        cause:
          (said.objection && loginRejections[said.objection].cause) ||
          "Another program signed in as this device, and only one of them can be connected. Who takes it back, in the dashboard or by " +
            "setting its webhook URL again, replaces the other program.",
        action: { label: "Take it back", to: "take-back" },
      }
    case "passkey_required":
      return {
        tone: "warn",
        word: "Passkey wanted",
        cause:
          "A phone took the code, and its account wants a passkey before it is linked: use the passkey, or ask for a new code.",
        action: { label: "Use the passkey", to: "connect" },
      }
    default:
      return { tone: "warn", word: said.status, cause: "" }
  }
}

function inWordsOfUnpaired(said: Omit<SaidState, "hadPhone">, hadPhone: boolean | undefined): Words {
  if (said.objection)
    return {
      tone: "bad",
      ...loginRejections[said.objection],
      ...(said.objection !== "banned" && { action: { label: "Link it again", to: "connect" } as const }),
    }
  if (hadPhone)
    return {
      tone: "bad",
      word: "Unlinked",
      cause: `${unlinkedBy[said.unlinked ?? "somewhere"]} Until it is linked again, no message comes or goes.`,
      action: { label: "Link it again", to: "connect" },
    }
  return {
    tone: "idle",
    word: "Not linked",
    cause: "No phone is linked: scan a QR code with one, or type a pairing code there.",
    action: { label: "Link a phone", to: "connect" },
  }
}

function lastOf(last: LastWord | undefined): string {
  if (!last) return ""
  return ` It was ${last.status === "unpaired" ? "not linked" : last.status.replace("_", " ")} when it was last heard of.`
}

function untilOf(until: number | undefined): Piece[] {
  return until ? [" until ", { at: until }] : []
}

/** Why the network rejects a login, as a state of its session. */
const loginRejections: Record<Objection, { word: string; cause: string }> = {
  locked: {
    word: "Locked",
    cause:
      "The network has locked the account and unlinked this session. Unlock the account on its phone, then link it again.",
  },
  banned: {
    word: "Banned",
    cause:
      "The network has banned this number and unlinked the session. Its phone says whether that can be reviewed. Until then no code will link it.",
  },
  temporarily_banned: {
    word: "Banned for some time",
    cause:
      "The network rejects this number for some time. The session connects by itself when that is over: do not link it again before.",
  },
  outdated: {
    word: "Outdated",
    cause:
      "The network no longer takes this version of the service. The session tries again by itself. If it stays so, the operator has to update the service.",
  },
  device_untrusted: {
    word: "Unlinked",
    cause: "The network no longer trusts that the phone has linked this number here. Link it again.",
  },
  device_unknown: {
    word: "Unlinked",
    cause: "The network no longer knows this service among the phone's linked devices. Link it again.",
  },
  addresses_changed: {
    word: "Unlinked",
    cause: "The network has moved the account to private addresses, and unlinked it here. Link it again.",
  },
  proxy_unreachable: {
    word: "Proxy away",
    cause:
      "The proxy of this number does not answer. The session tries again by itself. Set another `proxy_url` through the API, or none.",
  },
  proxy_refused: {
    word: "Proxy rejects",
    cause:
      "The proxy of this number wants another password, or does not lead to the network. Set another `proxy_url` through the API, or none.",
  },
  former_gateway: {
    word: "Replaced",
    cause:
      "The gateway that this number came from still runs, and has signed in again: nothing is sent from here. Stop it for good, then " +
      "take the number back.",
  },
  unanswered: {
    word: "No answer",
    cause:
      "The connection was open, and the network answered nothing on it for two minutes. The session connects again by itself.",
  },
}
