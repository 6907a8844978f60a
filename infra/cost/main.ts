import { parseArgs } from "node:util"
import { z } from "zod"
import { monthly, sum } from "./monthly.ts"
import { prices } from "./prices.ts"

const Asked = z.object({
  bridges: z.coerce.number().int().min(1).optional(),
  messages: z.coerce.number().min(0).default(1000),
})
const asked = Asked.safeParse(given())
if (asked.success) print(asked.data.bridges ? [asked.data.bridges] : [10, 1000, 10_000], asked.data.messages)
else {
  console.error("usage: npm run cost -- [--bridges <number>] [--messages <of each bridge and month>]")
  process.exitCode = 1
}

/** What was asked for; undefined when an option is unknown. */
function given(): Record<string, string> | undefined {
  try {
    return parseArgs({ options: { bridges: { type: "string" }, messages: { type: "string" } } }).values
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function print(fleets: number[], messages: number): void {
  console.log(`US dollars a month, production, ${prices.region}, prices of ${prices.asOf} (to be checked),`)
  console.log(`${messages} messages a bridge, half in, half out; no free tier, no discount.\n`)
  const bills = fleets.map((bridges) => monthly({ bridges, messages }))
  row(
    "bridges",
    fleets.map((bridges) => String(bridges)),
  )
  for (const name of Object.keys(bills[0] ?? {}))
    row(
      name,
      bills.map((bill) => dollars(bill[name] ?? 0)),
    )
  row(
    "in all",
    bills.map((bill) => dollars(sum(bill))),
  )
  row(
    "a bridge",
    bills.map((bill, i) => dollars(sum(bill) / (fleets[i] ?? 1))),
  )
}

function row(name: string, cells: string[]): void {
  console.log(name.padEnd(28) + cells.map((cell) => cell.padStart(12)).join(""))
}

function dollars(amount: number): string {
  return amount.toFixed(2)
}
