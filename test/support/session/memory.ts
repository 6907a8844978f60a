import { onTestFinished } from "vitest"
import { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import { SessionEnded } from "#session-host/memory/session-ended.ts"
import { openMemory } from "#session-host/session/memory.ts"
import { type Timing, timing } from "#session-host/timing.ts"
import * as keysAnew from "#session-host/whatsapp/signal/anew.ts"
import { aHeldLease } from "../held-lease.ts"

/** The durable side of a session without a connection, under a lease of its own. */
export async function aMemory(
  input: {
    bridgeId?: string
    timing?: Partial<Timing>
    version?: string
    /** The customer's choice. */
    choice?: Choice.Given
  } = {},
) {
  const lease = await aHeldLease(input.bridgeId)
  const ended = new AbortController()
  const happened: string[] = []
  const memory = await openMemory({
    lease,
    timing: { ...timing(), ...input.timing },
    log,
    keysAnew,
    ended: ended.signal,
    version: async () => input.version ?? "this",
    connection: () => undefined,
    choice: () => (input.choice ? Choice.Info.parse(input.choice) : lease.choice),
    onStoreAway: () => happened.push("store away"),
    onEnd: (error) => {
      happened.push(`ended: ${error.constructor.name}`)
      ended.abort()
    },
  })
  const end = () => {
    ended.abort()
    memory.end(new SessionEnded("the test is over"))
  }
  onTestFinished(end)
  return {
    lease,
    memory,
    happened,
    bridgeId: lease.bridgeId,
    /** Dies like a process: whatever is not durable is lost. */
    crash: end,
    /** Ends, and gives the lease back. */
    async letGo() {
      await memory.settled()
      end()
      await Lease.release(lease)
    },
  }
}
