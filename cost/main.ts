import { parseArgs } from "node:util"
import { z } from "zod"
import { monthly, sum } from "./monthly.ts"
import { prices } from "./prices.ts"

const Asked = z.object({
  bridges: z.coerce.number().int().min(1).optional(),
  messages: z.coerce.number().min(0).default(1000),
  groups: z.coerce.number().min(0).default(0),
  statuses: z.coerce.number().min(0).default(0),
  billing: z.boolean().default(false),
})
type Asked = z.infer<typeof Asked>

const number = { type: "string" } as const
const asked = Asked.safeParse(given())
if (asked.success) print(asked.data.bridges ? [asked.data.bridges] : [10, 1000, 10_000], asked.data)
else {
  console.error(
    "usage: npm run cost -- [--bridges <number>], and of each bridge and month: [--messages <number>] [--groups <messages " +
      "in groups>] [--statuses <number>]; with numbers that are paid for: [--billing]",
  )
  process.exitCode = 1
}

/** The options that were given; undefined when an option is unknown. */
function given(): Record<string, string | boolean> | undefined {
  try {
    const billing = { type: "boolean" } as const
    const options = { bridges: number, messages: number, groups: number, statuses: number, billing }
    return parseArgs({ options }).values
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function print(fleets: number[], { messages, groups, statuses, billing: isBilled }: Asked): void {
  console.log(`US dollars a month, production, ${prices.region}, prices of ${prices.asOf} (to be checked),`)
  console.log(`${messages} messages a bridge, half in, half out; no free tier, no discount.`)
  console.log(
    `Beside them ${groups} messages in groups, and ${statuses} statuses: a bridge can ignore both (PATCH).\n`,
  )
  const bills = fleets.map((bridges) => monthly({ bridges, messages, groups, statuses, isBilled }))
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
