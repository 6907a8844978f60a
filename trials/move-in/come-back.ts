import { z } from "zod"
import type { apiClient } from "#one-machine/api-client.ts"
import type { NetworkClient } from "#one-machine/network/client.ts"
import { until } from "#test/support/until.ts"
import type { Violation } from "../chaos/oracle.ts"
import type { Place } from "../move/place.ts"
import type { Gateway } from "./kinds.ts"
import type { Line } from "./traffic.ts"

interface Around {
  network: NetworkClient
  place: Place
  apiOf: () => ReturnType<typeof apiClient>
  /** Before the first login of any of the numbers here, Unix milliseconds. */
  beforeMs: number
}

/** So long after its first login here a number knows which program takes it over (decision 42), in ms. */
const watchedMs = 5 * 60_000

const Status = z.object({ status: z.string() })

/**
 * The old gateway comes to life again, soon after its numbers have moved: each of our sessions stops for
 * good, sends nothing, and `admin bridge why` says what happened.
 */
export async function comeBack(gateway: Gateway, lines: Line[], around: Around): Promise<Violation[]> {
  const { place, beforeMs } = around
  const program = await gateway.start()
  const found: Violation[] = []
  const check = async (when: string) =>
    found.push(...(await Promise.all(lines.map(async (line) => await stillOurs(line, when, around)))).flat())
  await check("when the old gateway came back")
  // On a busy machine the trial itself takes longer than a number is watched.
  const told =
    Date.now() - beforeMs < watchedMs ? /gateway .* still runs/ : /gateway .* still runs|Another program/
  await place.restart()
  await check("when the service started again")
  for (const { id, bridge } of lines) {
    const { out } = await place.admin("bridge", "why", id).ended
    if (!told.test(out))
      found.push({ kind: "owners", what: `${bridge}: nobody is told that the old gateway runs: ${out}` })
  }
  await program.kill()
  return found
}

const stopsWithinMs = 120_000

/** Ways in which a number is still ours, though its old gateway has it. */
async function stillOurs(
  { bridge, contact }: Line,
  when: string,
  { network, apiOf }: Around,
): Promise<Violation[]> {
  const found: Violation[] = []
  const say = (what: string) => found.push({ kind: "owners", what: `${bridge}: ${when}, ${what}` })
  const isReplaced = async () => {
    const answer = await apiOf()("GET", `/instances/${bridge}/proxy/status`).catch(() => undefined)
    return answer && Status.parse(await answer.json()).status === "replaced"
  }
  await until(isReplaced, { withinMs: stopsWithinMs }).catch(() => say("our session did not stop"))
  const body = `sent ${when}`
  await apiOf()("POST", `/instances/${bridge}/proxy/send/text`, { chat: contact, body }).then(
    () => say("a send succeeded"),
    () => "as it must be",
  )
  if ((await network.read(contact, { from: bridge, text: body })).length > 0) say("a send was shown")
  return found
}
