import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import type { Html } from "../elements.ts"
import { loginRejections } from "../events/failure-words.ts"
import { age, time } from "../times.ts"
import type { KnownState, LastWord, WhyPaused } from "./ask-for-state.ts"

type To = "connect" | "take-back" | "pay" | "settings"

/** The page where an action is taken: of the number (`at`), or of its account. */
export function pathOfAction(at: string, to: To): string {
  if (to === "pay") return "/subscription"
  return to === "settings" ? `${at}/settings` : `${at}/connect`
}

interface Words {
  tone: "good" | "warn" | "bad" | "idle"
  word: string
  /** The cause of a bad state; `""` if there is none. */
  cause: Html | string
  /** The action that helps. */
  action?: { label: string; to: To }
}

/** A state in words: each bad state has its cause and, if anything can be done, the action. */
export function inWords(knownState: KnownState): Words {
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
          ? { cause: html`The operator of this service has paused it: ask them to wake it${where()}.` }
          : pauses[knownState.why]),
      }
    case "suspended":
      return {
        tone: "bad",
        word: "Suspended",
        cause: html`The operator of this service has suspended it: ask them why${where()}.`,
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
function where(): Html | string {
  const { SUPPORT_EMAIL: to } = config
  return to === "" ? "" : html`, at <a href="mailto:${to}">${to}</a>`
}

const pauses: Record<Exclude<WhyPaused, "operator">, Pick<Words, "cause" | "action">> = {
  customer: {
    cause: "Somebody of this account has paused it.",
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
      cause: until > now() ? html`${cause} It tries again on ${time(until * 1000)}.` : cause,
    }
  }
  switch (said.status) {
    case "connected":
      if (said.restriction)
        return {
          tone: "warn",
          word: "Restricted",
          cause: html`Connected, but the network lets this number start no new
          chats${untilOf(said.restricted_until)}.`,
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
        cause: "Another program signed in as this device. Only one of them can be connected.",
        action: { label: "Take it back", to: "take-back" },
      }
    case "passkey_required":
      return {
        tone: "warn",
        word: "Passkey wanted",
        cause: "A phone took the code, and its account wants a passkey before it is linked.",
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
    cause: "",
    action: { label: "Link a phone", to: "connect" },
  }
}

function lastOf(last: LastWord | undefined): string {
  if (!last) return ""
  return ` It was ${last.status === "unpaired" ? "not linked" : last.status.replace("_", " ")} when it was last heard of.`
}

function untilOf(until: number | undefined): Html | string {
  return until ? html` until ${time(until * 1000)}` : ""
}

/** The phone that is linked, or was last; `""` if none is known. */
export function phoneOf(knownState: KnownState): string {
  const phone = (knownState.kind === "said" && knownState.phone) || knownState.lastPhone
  return phone ? `+${phone}` : ""
}

/**
 * What pages call a number: its name, or its reference if it has none. `under`: the line below, with its
 * phone, and with the reference if the name stands above.
 */
export function calledOf(
  { shownName, customerRef: ref }: Pick<Bridge.Info, "shownName" | "customerRef">,
  phone: string,
): { name: Html | string; under: string } {
  if (shownName === "") return { name: ref, under: phone }
  return { name: html`<bdi>${shownName}</bdi>`, under: phone === "" ? ref : `${ref} · ${phone}` }
}

/** A state with its evidence: who said so, and how long ago. */
export function stateLine(knownState: KnownState): Html {
  const { tone, word, cause } = inWords(knownState)
  const said = knownState.kind === "said" ? knownState : undefined
  const isBad = tone === "bad" || tone === "warn"
  return html`<div ${said?.atMs === undefined ? "" : html`data-word="${said.atMs}"`}>
    <span class="state ${tone}">${word}</span>
    ${said?.sinceMs !== undefined && isBad ? html`<span class="small">for ${age(said.sinceMs)}</span>` : ""}
    ${
      said === undefined
        ? ""
        : said.atMs === undefined
          ? html`<div class="small muted">as it was last reported; not checked yet</div>`
          : html`<div class="small muted" data-said>checked just now</div>`
    }
    ${silence(knownState)} ${cause ? html`<div class="small muted">${cause}</div>` : ""}
  </div>`
}

/** For how long a session that was there has not been heard of. */
function silence(knownState: KnownState): Html | string {
  const isDoubted = knownState.kind === "silent" || (knownState.kind === "unheld" && knownState.hasFailed)
  if (!isDoubted || knownState.last?.atMs === undefined) return ""
  return html`<div class="small muted">not heard of for ${age(knownState.last.atMs)}</div>`
}
