#!/usr/bin/env node
import { parseArgs } from "node:util"
import { BridgeError } from "../../sdk-typescript/src/index.ts"
import { advice, type Command, type Options, options, type Print } from "./command.ts"
import { call } from "./commands/call.ts"
import { list } from "./commands/list.ts"
import { listen } from "./commands/listen.ts"
import { login, logout } from "./commands/login.ts"
import { logs } from "./commands/logs.ts"
import { jobs, planned } from "./commands/planned.ts"
import { qr } from "./commands/qr.ts"
import { resend } from "./commands/resend.ts"
import { send } from "./commands/send.ts"
import { status } from "./commands/status.ts"
import { trigger } from "./commands/trigger.ts"
import { where } from "./commands/where.ts"
import { Misused, Refused } from "./refused.ts"

const commands: Record<string, Command> = {
  login,
  logout,
  list,
  status,
  qr,
  send,
  planned,
  jobs,
  call,
  listen,
  trigger,
  resend,
  where,
  logs,
}

// A reader that has seen enough, such as `head`, ends it.
process.stdout.on("error", () => process.exit(0))
process.exitCode = await main(process.argv.slice(2))

/** @returns 0 if it was done, 1 if it could not be, 2 if the command is wrong */
async function main(args: string[]): Promise<number> {
  const stop = new AbortController()
  // The second one ends it at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
  try {
    return await run(args, stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 1
    if (error instanceof Misused) console.error(`${error.message}\n${helpOf(args[0])}`)
    else if (error instanceof BridgeError) console.error(`${error.message}${advice(error)}`)
    else if (error instanceof Refused) console.error(error.message)
    else throw error
    return error instanceof Misused ? 2 : 1
  }
}

async function run(args: string[], stop: AbortSignal): Promise<number> {
  const { values, positionals } = parsed(args)
  const [name, ...words] = positionals
  if (name === undefined || name === "help" || values.help) {
    console.log(helpOf(name === "help" ? words[0] : name))
    return name === undefined && !values.help ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Misused(`there is no command \`${name}\``)
  const { json, help: _, ...chosen } = values
  const extra = Object.keys(chosen).find((one) => !command.options?.some((its) => its === one))
  if (extra !== undefined) throw new Misused(`\`${name}\` takes no --${extra}`)
  const print: Print = (line, row) => console.log(json ? JSON.stringify(row) : line)
  return (await command.run({ words, options: chosen satisfies Options, print, stop })) ?? 0
}

/** @throws Misused, whose message has no value of an option: it may be a key */
function parsed(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const name = /'(-[\w-]+)/.exec((error as Error).message)?.[1] ?? "an option"
    if (name === "--key")
      throw new Misused(
        "a key on the command line can be seen by others: `bridge login --with-key` reads it from its input",
      )
    throw new Misused(`${name} is not an option, or lacks its value`)
  }
}

/** Of a command: its options, and what each does. Else every command with its options. */
function helpOf(name = ""): string {
  if (!Object.hasOwn(commands, name)) {
    const all = Object.keys(commands).map((one) => `  ${usageOf(one)}\n      ${commands[one]!.says}`)
    return ["usage:", ...all, ...["json", "help"].map((one) => lineOf(one as keyof typeof options))].join(
      "\n",
    )
  }
  const its = [...(commands[name]!.options ?? []), "json", "help"] as const
  return [`usage: ${usageOf(name)}`, `  ${commands[name]!.says}`, ...its.map(lineOf)].join("\n")
}

function usageOf(name: string): string {
  const { takes, options: its = [] } = commands[name]!
  return ["bridge", name, takes, ...its.map((one) => `[${withValue(one)}]`)].filter(Boolean).join(" ")
}

function lineOf(name: keyof typeof options): string {
  const { says, ...option } = options[name]
  const short = "short" in option ? `, -${option.short}` : ""
  return `  ${`${withValue(name)}${short}`.padEnd(28)} ${says}`
}

function withValue(name: keyof typeof options): string {
  const option = options[name]
  return "takes" in option ? `--${name} ${option.takes}` : `--${name}`
}
