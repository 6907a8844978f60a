import { z } from "zod"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { StoreAway } from "#core/store/store.ts"
import { CannotStart } from "#dynamodb-on-sqlite/cannot-start.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"

/** One command of an operator. Its result is printed: as one line per row, or all of it as JSON. */
export interface Verb {
  /** Its arguments as the help shows them: `<name>` is required, `[name]` is not. */
  takes: string
  says: string
  /** The verb is about this machine's data folder, whether or not a service runs there. */
  isOfFolder?: true
  /** The options that the verb takes, besides `--json`. */
  options?: readonly (keyof Options)[]
  run: (args: string[], options?: Options) => Promise<Row[]>
}

/** The options, `--bridge` and so on, that verbs may take. */
export interface Options {
  bridge?: string[] | undefined
  all?: boolean | undefined
  account?: string | undefined
  key?: boolean | undefined
}

export type Row = Record<string, string | number>

/**
 * The operator asked for something that cannot be done; the message says why. A cause says that it is not
 * because of their words, whose usage is shown otherwise.
 */
export class Refused extends Error {}

/** The argument at this position. @throws Refused when it is missing. */
export function argument(args: string[], place: number, name: string): string {
  const value = args[place]
  if (!value) throw new Refused(`<${name}> is missing`)
  return value
}

/**
 * The id of the bridge that the operator has named first, by its id or its `customer_ref`. If there is no
 * such bridge, what they typed.
 * @throws Refused when several accounts have a bridge of that reference
 */
export async function bridgeId(args: string[]): Promise<string> {
  const given = argument(args, 0, "bridge-id")
  if (await Bridge.byId(given)) return given
  const all = await Promise.all((await Account.list()).map(({ id }) => Bridge.list(id)))
  const [found, ...others] = all.flat().filter(({ customerRef }) => customerRef === given)
  if (others.length > 0)
    throw new Refused(`${others.length + 1} accounts have a bridge called ${given}: name it by its id`)
  if (found) console.error(`${given} is ${found.id}, of the account ${found.accountId}`)
  return found?.id ?? given
}

/** @throws Refused in place of an error that a person can put right */
export async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (isAway(error)) throw new Refused(`the service did not answer (${String(error)}): try again`)
    if (error instanceof Unusable || error instanceof CannotStart)
      throw new Refused(error.message, { cause: error })
    if (error instanceof z.ZodError)
      throw new Refused(error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n"))
    throw error
  }
}

/** The store, the keys or the queue did not answer: their service has ended, or the network has. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = "" } = error as NodeJS.ErrnoException
  const isCut = /^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code)
  return isCut || error.name === "TimeoutError" || error instanceof StoreAway
}
