import { parseArgs } from "node:util"
import { z } from "zod"
import { Load, monthlyBill, sum } from "./monthly.ts"
import { prices } from "./prices.ts"

const Asked = Load.partial({ bridges: true }).extend({ json: z.boolean().default(false) })
type Asked = z.infer<typeof Asked>

const asked = Asked.safeParse(given())
if (asked.success)
  print(asked.data.bridges === undefined ? [10, 1000, 10_000] : [asked.data.bridges], asked.data)
else {
  console.error(
    "usage: npm run cost -- [--bridges <number>], and of each bridge and month: [--messages <number>] [--groups <messages " +
      "in groups>] [--statuses <number>] [--keep <days for which messages are kept>] [--webhooks <beside the first>]; open at any time: [--streams <log and event streams>] [--pages <pages of the " +
      "dashboard>]; [--sessions <of a host>] [--spot] [--region <eu-central-1 and others>] [--year <of the stage's life>] [--stage production|staging|personal] [--json]; with numbers that are " +
      "paid for: [--billing]",
  )
  process.exitCode = 1
}

/** The options that were given; undefined when an option is unknown. */
function given(): Record<string, string | boolean | undefined> | undefined {
  const options = Object.entries(Asked.shape).map(
    ([name, field]) =>
      [name, { type: field.unwrap() instanceof z.ZodBoolean ? "boolean" : "string" }] as const,
  )
  try {
    return parseArgs({ options: Object.fromEntries(options) }).values
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function print(fleets: number[], asked: Asked): void {
  const { messages, groups, statuses, webhooks, streams, pages, year, stage, region } = asked
  console.log(`US dollars a month, ${stage}, ${region}, prices of ${prices.asOf} (to be checked),`)
  console.log(`${messages} messages a bridge, half in, half out; no free tier, no discount.`)
  console.log(
    `Beside them ${groups} messages in groups, and ${statuses} statuses: a bridge can ignore both (PATCH).` +
      ` All that comes in goes to ${webhooks + 1} webhooks.`,
  )
  console.log(
    `Open at any time: ${streams} streams, ${pages} pages. Year ${year}: rotated keys are dearer until year 3.\n`,
  )
  const bills = fleets.map((bridges) => monthlyBill({ ...asked, bridges }))
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
    bills.map((bill, i) => dollars(sum(bill) / (fleets[i] || 1))),
  )
  if (asked.json)
    for (const [i, bill] of bills.entries()) {
      const [bridges, total] = [fleets[i] ?? 0, sum(bill)]
      console.log(
        JSON.stringify({
          stage,
          region,
          sessions: asked.sessions,
          spot: asked.spot,
          bridges,
          messages,
          total: cents(total),
          per_bridge: cents(total / (bridges || 1)),
        }),
      )
    }
}

function row(name: string, cells: string[]): void {
  console.log(name.padEnd(28) + cells.map((cell) => cell.padStart(12)).join(""))
}

function dollars(amount: number): string {
  return amount.toFixed(2)
}

/** Rounded to cents. */
function cents(amount: number): number {
  return Math.round(amount * 100) / 100
}
