import { pino } from "pino"
import { config } from "#core/platform/config.ts"
import type { Happening } from "#session-host/network/happening.ts"
import { timing } from "#session-host/timing.ts"
import { connect, type ConnectInput } from "#session-host/whatsapp/connect.ts"
import { newRecorder } from "#session-host/whatsapp/stanza-recorder.ts"
import type { VolatileVault } from "./vault.ts"

export type TestConnection = ReturnType<typeof aConnection>

/** One of our connections to that network, with everything that has happened on it. */
export function aConnection(input: {
  url: string
  vault: VolatileVault
  log?: ConnectInput["log"]
  /** Whether what it hears about people becomes durable; by default it does. */
  learns?: boolean
  /** Resolves when the stanzas that may become events are taken; by default they are at once. */
  takes?: Promise<void>
}) {
  const happenings: Happening[] = []
  const listeners = new Set<() => void>()
  const connection = connect({
    url: input.url,
    vault: input.vault,
    intake: input.vault,
    ackMs: timing().ackMs,
    deadMs: timing().deadMs,
    log: input.log ?? pino({ level: process.env.TEST_LOG ?? "silent" }),
    ...(config.RECORD && { record: newRecorder(config.RECORD, pino({ level: "silent" })) }),
    onHappening(happening) {
      happenings.push(happening)
      if (happening.kind === "people" && input.learns !== false) happening.onTaken?.()
      if (happening.kind === "stanza") void Promise.resolve(input.takes).then(happening.onTaken)
      for (const listener of listeners) listener()
    },
  })

  /** The n-th happening of that kind, now or later. */
  const happens = <K extends Happening["kind"]>(
    kind: K,
    nth = 1,
  ): Promise<Extract<Happening, { kind: K }>> => {
    const { promise, resolve } = Promise.withResolvers<Extract<Happening, { kind: K }>>()
    const look = () => {
      const found = happenings.filter((each): each is Extract<Happening, { kind: K }> => each.kind === kind)
      const wanted = found[nth - 1]
      if (wanted) resolve(wanted)
    }
    listeners.add(look)
    look()
    return promise.finally(() => listeners.delete(look))
  }
  return { ...connection, happenings, happens }
}

/** Links to this phone, restarts as asked, and is then open. */
export async function aPairedConnection(input: {
  url: string
  vault: VolatileVault
  phone: { scan(qr: string): Promise<unknown> }
  log?: ConnectInput["log"]
}) {
  const linking = aConnection(input)
  await input.phone.scan((await linking.happens("qr")).text)
  await linking.happens("closed")
  await input.vault.settled()
  const connection = aConnection(input)
  await connection.happens("open")
  return connection
}
