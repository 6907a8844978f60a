import { parseArgs } from "node:util"
import type { Row, Verb } from "./admin/verb.ts"
import { find } from "./running.ts"
import { Settings } from "./settings.ts"

process.exitCode = await main()

async function main(): Promise<number> {
  const asked = parse()
  if (!asked || asked.help) {
    console.error(help(await load()))
    return asked ? 0 : 2
  }
  const [noun = "", name = "", ...args] = asked.words
  if (!(await reachable())) {
    console.error(
      "no service runs on this data folder: start it with `npm start` (DATA_DIR says which folder)",
    )
    return 1
  }
  const nouns = await load()
  const verb = nouns[noun]?.[name]
  if (!verb) {
    console.error(help(nouns))
    return 2
  }
  const { Refused } = await import("./admin/verb.ts")
  try {
    const rows = await verb.run(args)
    if (asked.json) console.log(JSON.stringify(rows))
    else if (rows.length > 0) console.log(lines(rows))
    return 0
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    console.error(`${error.message}\nusage: npm run admin -- ${noun} ${name} ${verb.takes}`)
    return 1
  }
}

/** What was asked for; undefined when an option is unknown. */
function parse(): { words: string[]; json: boolean; help: boolean } | undefined {
  try {
    const options = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const
    const { positionals, values } = parseArgs({ allowPositionals: true, options })
    return { words: positionals, json: values.json ?? false, help: values.help ?? false }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** The service of this machine, where one runs; else the deployed one whose tables the environment names. */
async function reachable(): Promise<boolean> {
  const running = await find(Settings.parse(process.env).DATA_DIR)
  Object.assign(process.env, running?.environment)
  return running !== undefined || process.env.ACCOUNTS_TABLE !== undefined
}

/** Loaded late: what they import reads the environment. */
async function load(): Promise<Record<string, Record<string, Verb>>> {
  const { account } = await import("./admin/account.ts")
  const { key } = await import("./admin/key.ts")
  const { bridge } = await import("./admin/bridge.ts")
  const { events } = await import("./admin/events.ts")
  const { wrapping } = await import("./admin/wrapping.ts")
  return { account, key, bridge, events, wrapping }
}

function lines(rows: Row[]): string {
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => `${name}=${value}`)
        .join("  "),
    )
    .join("\n")
}

function help(nouns: Record<string, Record<string, Verb>>): string {
  const verbs = Object.entries(nouns).flatMap(([noun, its]) =>
    Object.entries(its).map(([name, verb]) => `  ${`${noun} ${name} ${verb.takes}`.padEnd(66)}${verb.says}`),
  )
  return ["usage: npm run admin -- [--json] <noun> <verb> ...", "", ...verbs].join("\n")
}
