import type { BinaryNode, WASocket } from "@whiskeysockets/baileys"
import { Metrics } from "#core/metrics.ts"
import type { Acquaintance, Vault } from "../network.ts"
import type { Acks } from "./acks.ts"
import type { Arrivals } from "./arrivals.ts"
import type { newCalls } from "./call.ts"
import type { Groups } from "./groups.ts"
import type { Lifetime } from "./lifetime.ts"
import { membersIn } from "./people.ts"
import { mayBecomeEvent, toStanza } from "./stanza.ts"

interface Input {
  ws: WASocket["ws"]
  acks: Acks
  arrivals: Arrivals
  calls: ReturnType<typeof newCalls>
  groups: Pick<Groups, "take">
  lifetime: Pick<Lifetime, "tell">
  vault: Pick<Vault, "foresee">
  tellPeople: (people: Acquaintance[]) => void
  beforePairing: (stanza: BinaryNode) => void
}

/** Reads what comes in, beside Baileys: what Baileys tells nobody, or too late. */
export function readFrames(input: Input) {
  const { ws, acks, arrivals, calls, groups, lifetime, vault, tellPeople, beforePairing } = input
  ws.on("CB:ack,class:message", acks.take)
  ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array) return
    if (frame.tag === "message") {
      arrivals.message(frame)
      vault.foresee(frame.attrs)
    }
    // Somebody could not read what we sent.
    if (frame.tag === "receipt" && frame.attrs.type === "retry") Metrics.add("RetryReceipts")
    if (frame.tag === "call") calls.take(frame)
    groups.take(frame)
    if (frame.tag === "iq") tellPeople(membersIn(frame))
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      arrivals.afterThose(() => lifetime.tell({ kind: "stanza", stanza }))
    }
    beforePairing(frame)
  })
}
