import { parseArgs } from "node:util"
import { accountHooks } from "#billing/account-hooks.ts"
import { Billing } from "#core/account/billing.ts"
import { ApiError } from "#core/error.ts"
import { configure } from "#core/platform/config.ts"
import { logToErrorOutput } from "#core/platform/log.ts"
import { nounsWith, verbsOf } from "./nouns.ts"
import { type Options, orRefused, Refused, type Row } from "./verb.ts"
import { whichService } from "./which-service.ts"

Billing.plugIn(accountHooks)
const nouns = nounsWith(process.env, { billing: async () => (await import("./billing.ts")).billing })
logToErrorOutput()
process.exitCode = await main()

async function main(): Promise<number> {
  const asked = parse()
  try {
    if (!asked || asked.help) {
      console.error(await help())
      return asked ? 0 : 2
    }
    return await run(asked)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    console.error(error.message)
    return 1
  }
}

async function run({ words, json, options }: Asked): Promise<number> {
  const { verb, name, args } = await find(words)
  if (!verb) {
    console.error(await unknown(words))
    return 2
  }
  const extra = Object.keys(options).find((one) => !verb.options?.some((its) => its === one))
  if (extra) {
    console.error(`\`${name}\` takes no --${extra}\nusage: npm run admin -- ${name} ${verb.takes}`)
    return 2
  }
  const service = verb.isOfFolder ? undefined : await whichService(process.env)
  await orRefused(async () => configure({ ...process.env, ...service?.environment }))
  // With --json the caller is a program, and needs no introduction.
  if (service && !json) console.error(service.says)
  try {
    const rows = await verb.run(args, options)
    if (json) console.log(JSON.stringify(rows))
    else if (rows.length > 0) console.log(lines(rows))
    // Said to the person, on stderr: a pipe that counts lines must count none.
    else console.error("none")
    return 0
  } catch (error) {
    const wereWordsRight = error instanceof Refused && error.cause !== undefined
    if (wereWordsRight || !(error instanceof Refused || error instanceof ApiError)) throw error
    throw new Refused(`${error.message}\nusage: npm run admin -- ${name} ${verb.takes}`)
  }
}

/** Says what is wrong with words that name no verb. */
async function unknown([noun, name]: string[]): Promise<string> {
  if (noun === undefined || noun === "help") return await help()
  if (!Object.hasOwn(nouns, noun)) return `there is no \`${noun}\`: ${Object.keys(nouns).join(", ")}`
  const verbs = Object.keys(await nouns[noun]!()).join(", ")
  return name === undefined
    ? `\`${noun}\` needs a verb: ${verbs}`
    : `there is no verb \`${noun} ${name}\`: ${noun} has ${verbs}`
}

/** The verb that is meant, by its noun and name. A verb named `""` is the noun itself. */
async function find([noun = "", name = "", ...rest]: string[]) {
  if (!Object.hasOwn(nouns, noun)) return { verb: undefined, name: noun, args: rest }
  const verbs = await nouns[noun]!()
  const alone = verbs[""]
  if (alone) return { verb: alone, name: noun, args: [name, ...rest] }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  return { verb, name: `${noun} ${name}`, args: rest }
}

interface Asked {
  words: string[]
  options: Options
  json: boolean
  help: boolean
}

/** The parsed command line; undefined when an option is unknown. */
function parse(): Asked | undefined {
  try {
    const options = {
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      bridge: { type: "string", multiple: true },
      all: { type: "boolean" },
      account: { type: "string" },
      key: { type: "boolean" },
    } as const
    const { positionals, values } = parseArgs({ allowPositionals: true, options })
    const { json = false, help = false, ...others } = values
    return { words: positionals, json, help, options: others }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
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

/** A usage and what it does, which stands on a line of its own if the usage is long. */
function aligned(usage: string, says: string): string {
  const wide = 66
  return usage.length < wide ? `  ${usage.padEnd(wide)}${says}` : `  ${usage}\n  ${" ".repeat(wide)}${says}`
}

async function help(): Promise<string> {
  const verbs = Object.entries(await verbsOf(nouns)).flatMap(([noun, its]) =>
    Object.entries(its).map(([name, verb]) =>
      aligned(`${noun}${name && ` ${name}`} ${verb.takes}`, verb.says),
    ),
  )
  return [
    "usage: npm run admin -- [--json] <noun> <verb> ...",
    "",
    ...verbs,
    "",
    "  --json: for programs, as npm run -s admin -- --json account list",
  ].join("\n")
}
