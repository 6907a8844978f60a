import type { BridgeError } from "../../../sdk-typescript/src/index.ts"
import { bridge, type Command } from "../command.ts"
import { Misused } from "../refused.ts"

export const logs: Command = {
  takes: "",
  says: "shows the log of a bridge: its last lines (--tail), then new ones as they come",
  options: ["bridge", "tail"],
  run: async (asked) => {
    const { options, print, stop } = asked
    const tail = options.tail === undefined ? 100 : Number(options.tail)
    if (!Number.isInteger(tail)) throw new Misused("--tail: a number of lines")
    for await (const line of bridge(asked).logs({ tail, signal: stop, onInterruption: warn }))
      print(line, { line })
  },
}

function warn({ message }: BridgeError): void {
  console.error(`${message}; trying again`)
}
