import { html } from "hono/html"
import type { z } from "zod"
import type { SessionStatus } from "#core/contract/session.ts"
import { refusals } from "./failures.ts"
import { ago, type Html } from "./html.ts"

export type Objection = NonNullable<z.infer<typeof SessionStatus>["objection"]>

interface Last {
  status: string
  sinceMs: number
}

/** A bridge's state, and whose word that is. */
export type Evidence =
  /** Its session said so at `atMs`. */
  | {
      kind: "said"
      atMs: number
      status: string
      phone: string
      name: string
      /** Connected, and still getting what came before that. */
      isCatchingUp?: boolean | undefined
      objection?: Objection | undefined
      restriction?: string | undefined
      restricted_until?: number | undefined
    }
  /** A host holds it and does not answer. */
  | { kind: "silent"; last?: Last }
  /** No host holds it yet. */
  | { kind: "unheld"; last?: Last }
  /** It was not used for a while; any call wakes it. */
  | { kind: "idle" }
  | { kind: "paused"; reason: string }
  | { kind: "suspended" }
  | { kind: "gone" }

interface Told {
  tone: "good" | "warn" | "bad" | "idle"
  word: string
  /** The cause of a bad state; `""` if there is none. */
  cause: string
  /** The action that helps. */
  action?: { label: string; to: "connect" | "take-back" }
}

/** A state in words: each bad state has its cause and, if there is anything to do, what. */
export function tell(evidence: Evidence): Told {
  switch (evidence.kind) {
    case "said":
      return tellStatus(evidence)
    case "silent":
      return {
        tone: "warn",
        word: "Uncertain",
        cause: `Its session host does not answer.${lastOf(evidence.last)} Another host takes over within a minute.`,
      }
    case "unheld":
      return {
        tone: "warn",
        word: "Starting",
        cause: `It waits for a session host.${lastOf(evidence.last)}`,
      }
    case "idle":
      return {
        tone: "idle",
        word: "Asleep",
        cause: "Nothing used it for three days, and no phone is linked. It wakes when you connect a phone.",
        action: { label: "Connect", to: "connect" },
      }
    case "paused":
      return {
        tone: "bad",
        word: "Paused",
        cause:
          evidence.reason === "billing"
            ? "The account's payment is past due. Settle it, then ask the operator to wake this number."
            : "The operator of this service has paused it: ask them to wake it.",
      }
    case "suspended":
      return {
        tone: "bad",
        word: "Suspended",
        cause: "The operator of this service has suspended it: ask them why.",
      }
    case "gone":
      return { tone: "idle", word: "Deleted", cause: "This number was deleted." }
  }
}

function tellStatus(said: Extract<Evidence, { kind: "said" }>): Told {
  const isAway = said.status === "connecting" || said.status === "disconnected"
  if (isAway && said.objection) return { tone: "bad", ...refusals[said.objection] }
  switch (said.status) {
    case "connected":
      if (said.restriction)
        return {
          tone: "warn",
          word: "Restricted",
          cause: `Connected, but the network lets this number start no new chats${untilOf(said.restricted_until)}.`,
        }
      if (said.isCatchingUp)
        return {
          tone: "good",
          word: "Catching up",
          cause: "It gets what came before it was connected, in order. There is nothing to do.",
        }
      return { tone: "good", word: "Connected", cause: "" }
    case "unpaired":
      if (said.objection)
        return {
          tone: "bad",
          ...refusals[said.objection],
          action: { label: "Connect", to: "connect" },
        }
      return {
        tone: "idle",
        word: "Not linked",
        cause: "No phone is linked to it.",
        action: { label: "Connect", to: "connect" },
      }
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
        tone: "bad",
        word: "Passkey required",
        cause:
          "The phone asks for a passkey, which this release cannot answer. Turn passkeys off on the phone, then link it again.",
        action: { label: "Connect", to: "connect" },
      }
    default:
      return { tone: "warn", word: said.status, cause: "" }
  }
}

function lastOf(last: Last | undefined): string {
  return last ? ` The last word was "${last.status}".` : ""
}

function untilOf(until: number | undefined): string {
  return until ? ` until ${new Date(until * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC` : ""
}

/** A state with its evidence: who said so, and how long ago. */
export function evidenceLine(evidence: Evidence, nowMs: number): Html {
  const { tone, word, cause } = tell(evidence)
  return html`<div ${evidence.kind === "said" ? html`data-word="${evidence.atMs}"` : ""}>
    <span class="state ${tone}">${word}</span>
    ${
      evidence.kind === "said"
        ? html`<div class="small muted" data-said>confirmed ${ago(evidence.atMs, nowMs)}</div>`
        : ""
    }
    ${cause ? html`<div class="small muted">${cause}</div>` : ""}
  </div>`
}
