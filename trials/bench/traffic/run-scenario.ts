import type { Measured } from "../measure.ts"
import type { Network } from "../network.ts"
import type { Profiler } from "../profiler.ts"
import { linkTo, sayNowAndThen } from "../progress.ts"
import type { Receiver } from "../receiver.ts"
import type { Side } from "../sides/side.ts"
import { inbound } from "./in.ts"
import { outbound } from "./out.ts"
import type { Scenario } from "./scenarios.ts"

interface Input {
  sides: Side[]
  network: Network
  receiver: Receiver
  profiler: Profiler
  /** Told of each side, as soon as it is measured. */
  onMeasured: (name: string, side: Side["name"], measured: Measured) => void
}

/**
 * One scenario, first on one side, then on the other; ours once more where a send can have an
 * Idempotency-Key.
 */
export async function runScenario(name: string, scenario: Scenario, input: Input): Promise<void> {
  for (const side of input.sides) {
    await linkTo(side, scenario.bridges)
    await runOn(side, name, scenario, input)
    if (side.name === "ours" && scenario.way === "out")
      await runOn(side, `${name}-key`, { ...scenario, keyed: true }, input)
  }
}

async function runOn(side: Side, name: string, scenario: Scenario, input: Input): Promise<void> {
  const { network, receiver, profiler } = input
  const run = async (messages: number, what: string) => {
    const progress = (done: number) =>
      sayNowAndThen(`${side.name}: ${name}, ${done} of ${messages} messages ${what}`)
    const about = { messages, side, network, receiver, progress }
    return scenario.way === "in"
      ? await inbound({ ...scenario, ...about })
      : await outbound({ ...scenario, ...about })
  }
  const { faults } = await run(scenario.warmUp, "to warm up")
  const processes = [...(await side.processes()), { role: "network", pid: network.pid }]
  const found = await profiler.around(
    { scenario: name, side: side.name, processes },
    async () => await run(scenario.messages, "measured"),
  )
  input.onMeasured(name, side.name, { ...found, faults: [...faults, ...found.faults] })
}
