import type { Network } from "../network.ts"
import type { Measured } from "../measure.ts"
import type { Profiler } from "../profiler.ts"
import { linkTo, sayNowAndThen } from "../progress.ts"
import type { Receiver } from "../receiver.ts"
import type { Side } from "../sides/side.ts"
import { inbound } from "./in.ts"
import { outbound } from "./out.ts"
import type { Part } from "./parts.ts"

interface Input {
  sides: Side[]
  network: Network
  receiver: Receiver
  profiler: Profiler
  /** Told of each side, as soon as it is measured. */
  onMeasured: (name: string, side: Side["name"], measured: Measured) => void
}

/** One part, first on one side, then on the other; ours once more where a send can have an Idempotency-Key. */
export async function runPart(name: string, part: Part, input: Input): Promise<void> {
  for (const side of input.sides) {
    await linkTo(side, part.bridges)
    await runOn(side, name, part, input)
    if (side.name === "ours" && part.way === "out")
      await runOn(side, `${name}-key`, { ...part, keyed: true }, input)
  }
}

async function runOn(side: Side, name: string, part: Part, input: Input): Promise<void> {
  const { network, receiver, profiler } = input
  const run = async (messages: number, what: string) => {
    const progress = (done: number) =>
      sayNowAndThen(`${side.name}: ${name}, ${done} of ${messages} messages ${what}`)
    const about = { messages, side, network, receiver, progress }
    return part.way === "in" ? await inbound({ ...part, ...about }) : await outbound({ ...part, ...about })
  }
  const { faults } = await run(part.warmUp, "to warm up")
  const processes = [...(await side.processes()), { role: "network", pid: network.pid }]
  const found = await profiler.around(
    { part: name, side: side.name, processes },
    async () => await run(part.messages, "measured"),
  )
  input.onMeasured(name, side.name, { ...found, faults: [...faults, ...found.faults] })
}
