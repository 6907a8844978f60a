import type { BinaryNode, WASocket } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { Metrics } from "#core/metrics.ts"
import type { Acquaintance, Vault } from "../network.ts"
import type { Acks } from "./acks.ts"
import type { Arrivals } from "./arrivals.ts"
import type { Backlog } from "./backlog.ts"
import type { newCalls } from "./call.ts"
import type { Groups } from "./groups.ts"
import type { Lifetime } from "./lifetime.ts"
import { noticesIn } from "./notices.ts"
import { membersIn } from "./people.ts"
import type { Record } from "./recorder.ts"
import { mayBecomeEvent, toStanza } from "./stanza.ts"
import { tellUnknown } from "./unknown.ts"

interface Input {
  ws: WASocket["ws"]
  acks: Acks
  arrivals: Arrivals
  backlog: Pick<Backlog, "take">
  calls: ReturnType<typeof newCalls>
  groups: Pick<Groups, "take">
  lifetime: Pick<Lifetime, "tell">
  vault: Pick<Vault, "foresee">
  tellPeople: (people: Acquaintance[]) => void
  /** Keeps which addresses are one person's. */
  keepPairs: (people: Acquaintance[]) => void
  staleDevices: (frame: BinaryNode) => void
  beforePairing: (stanza: BinaryNode) => void
  record: Record | undefined
  log: Pick<Logger, "warn">
}

/** Reads what comes in, beside Baileys: what Baileys tells nobody, or too late. */
export function readFrames(input: Input) {
  const {
    ws,
    acks,
    arrivals,
    backlog,
    calls,
    groups,
    lifetime,
    vault,
    tellPeople,
    keepPairs,
    staleDevices,
    beforePairing,
    record,
    log,
  } = input
  ws.on("CB:ack,class:message", acks.take)
  ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    if (frame instanceof Uint8Array) return
    record?.(frame)
    if (frame.tag === "message") {
      arrivals.message(frame)
      vault.foresee(frame.attrs)
    }
    // Somebody could not read what we sent.
    if (frame.tag === "receipt" && frame.attrs.type === "retry") Metrics.add("RetryReceipts")
    if (frame.tag === "call") calls.take(frame)
    groups.take(frame)
    staleDevices(frame)
    backlog.take(frame)
    if (frame.tag === "iq") tellPeople(membersIn(frame))
    if (mayBecomeEvent(frame)) {
      const stanza = toStanza(frame)
      arrivals.afterThose(() => lifetime.tell({ kind: "stanza", stanza }))
    }
    hear(frame)
    tellUnknown(frame, log)
    beforePairing(frame)
  })

  function hear(frame: BinaryNode): void {
    const { notices, people } = noticesIn(frame)
    for (const notice of notices) lifetime.tell({ kind: "notice", notice })
    tellPeople(people)
    keepPairs(people)
  }
}
