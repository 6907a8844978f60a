import type { SendOptions } from "../../../sdk-typescript/src/index.ts"
import { bridge, type Command, service, word } from "../command.ts"
import { Misused } from "../refused.ts"

/** Those of the SDK's functions that are no calls of the reference, or never end. */
const others = ["bridge", "events", "messages", "logs", "upload"]

export const call: Command = {
  takes: "<operation> [field=text …] [field:=json …]",
  says: "makes any call of the service's reference, as `call askForOlder chat=491711234567 count:=20`",
  options: ["bridge", "idempotency-key"],
  run: async (asked) => {
    const operation = word(asked.words, 0, "operation")
    // Each has an input if it has fields, and then options.
    const calls = { ...service(), ...bridge(asked) } as unknown as Record<string, Calling>
    const made = others.includes(operation) || !Object.hasOwn(calls, operation) ? undefined : calls[operation]
    if (typeof made !== "function") throw new Misused(`the reference has no operation \`${operation}\``)
    const fields = asked.words.slice(1).map(fieldIn)
    const key = asked.options["idempotency-key"]
    const options = key === undefined ? {} : { idempotencyKey: key }
    const answer = await (fields.length === 0 ? made() : made(Object.fromEntries(fields), options))
    if (answer instanceof Response) process.stdout.write(new Uint8Array(await answer.arrayBuffer()))
    else asked.print(JSON.stringify(answer ?? {}, undefined, 2), answer ?? {})
  },
}

type Calling = (input?: object, options?: SendOptions) => Promise<object | undefined>

/** @throws Misused */
function fieldIn(given: string): [string, unknown] {
  const [, name, isJson, value] = /^(\w+)(:?)=([^]*)$/.exec(given) ?? []
  if (name === undefined || value === undefined) throw new Misused(`${given} is no field=text or field:=json`)
  if (isJson === "") return [name, value]
  try {
    return [name, JSON.parse(value)]
  } catch {
    throw new Misused(`${name}: what stands behind := is no JSON`)
  }
}
