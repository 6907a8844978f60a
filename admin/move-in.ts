import { resolve } from "node:path"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { find, type Kind } from "./move-in/kinds.ts"
import { leaveToBaileys } from "./move-in/leave-to-baileys.ts"
import { type MovedIn, moveIn } from "./move-in/move-in.ts"
import { argument, bridgeId, type Options, Refused, type Row } from "./verb.ts"

/** `import <kind> <where> ...`: takes sessions over from another gateway that has stopped. */
export async function importFromGateway(
  kind: Kind,
  where: string[],
  options: Pick<Options, "account" | "bridge">,
  tell: (line: string) => void,
): Promise<Row[]> {
  argument(where, 0, "where")
  const accountId = options.account ?? (await onlyAccount())
  const found = await find(kind, where)
  try {
    const sessions = found.sessions.filter(({ name }) => options.bridge?.includes(name) ?? true)
    const known = [...sessions, ...found.refused]
    const missing = options.bridge?.filter((name) => !known.some((one) => one.name === name)) ?? []
    if (missing.length > 0)
      throw new Refused(
        `there is no session ${missing.join(", ")} there, only ${found.sessions.map(({ name }) => name).join(", ")}`,
      )
    const moved = await moveIn({ sessions, accountId }, (line) => tell(plain(line)))
    const refused = found.refused.filter(({ name }) => options.bridge?.includes(name) ?? true)
    const all = [...moved, ...refused.map((one) => ({ ...one, webhookUrls: [] }))].map(shown)
    for (const line of after(all)) tell(line)
    if (!all.some(({ bridge }) => bridge)) throw new Unusable("nothing was imported")
    return all.map((one) => rowOf(one, accountId))
  } finally {
    await found.close()
  }
}

/** As it may be shown: names and addresses are another gateway's, and its users' own. */
function shown({ name, why, webhookUrls, toDo, ...one }: MovedIn): MovedIn {
  return {
    ...one,
    name: plain(name),
    ...(why !== undefined && { why: plain(why) }),
    ...(toDo !== undefined && { toDo: plain(toDo) }),
    webhookUrls: webhookUrls.map((url) => plain(url.replace(/\/\/[^/@]*@/, "//"))),
  }
}

/** Without what would drive a terminal, or begin a line of its own. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "?")
}

function rowOf({ name, bridge, wasHere, why = "" }: MovedIn, accountId: string): Row {
  if (!bridge) return { not_imported: name, why }
  const about = { customer_ref: bridge.customerRef, account: accountId, was: name }
  return wasHere ? { here_already: bridge.id, ...about } : { imported: bridge.id, ...about }
}

/** The lines that tell the operator how the import ended, and what is left to do. */
function after(all: MovedIn[]): string[] {
  const came = all.filter(({ bridge, wasHere }) => bridge && !wasHere)
  const failed = all.filter(({ why }) => why)
  const urls = all.flatMap(({ bridge, webhookUrls }) =>
    bridge ? webhookUrls.map((url) => `  ${bridge.customerRef}: ${url}`) : [],
  )
  return [
    ...(failed.length > 0 ? [`${failed.length} of ${all.length} were not imported:`] : []),
    ...failed.map(({ name, why }) => `  ${name}: ${why}`),
    ...(urls.length > 0
      ? ["The old gateway posted to these webhooks; none of them is set here:", ...urls]
      : []),
    ...new Set(all.flatMap(({ toDo }) => toDo ?? [])),
    ...(came.length > 0 ? [afterImport] : []),
  ]
}

const afterImport = `They sign in now, and get what waited for them. Leave the old gateway stopped: who starts it again takes its numbers
away from here. Within five minutes that is said as \`former_gateway\` (\`bridge why <id>\`), and nothing is sent from here.`

/** @throws Refused unless there is exactly one account */
async function onlyAccount(): Promise<string> {
  const accounts = await Account.list()
  if (accounts.length !== 1)
    throw new Refused(`say --account and which: there are ${accounts.length} (\`account list\`)`)
  return accounts[0]!.id
}

/** `export baileys <bridge> <folder>`: a bridge leaves for a program with Baileys. */
export async function exportToBaileys(args: string[], tell: (line: string) => void): Promise<Row[]> {
  const folder = resolve(argument(args, 1, "folder"))
  const bridge = await Bridge.byId(await bridgeId(args))
  if (!bridge) throw new Refused(`there is no bridge ${args[0]}`)
  const keys = await leaveToBaileys({ bridge, folder }, tell)
  tell(`It runs nowhere now. ${folder} has its keys in the clear, for \`useMultiFileAuthState\` of one program: in two places at once
they would be used twice. Events that waited for its webhooks stay here. If no program ever uses the folder, \`take-back\`
lets the bridge run here again.`)
  return [{ moved: bridge.id, customer_ref: bridge.customerRef, account: bridge.accountId, keys }]
}
