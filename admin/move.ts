import { resolve } from "node:path"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Move } from "#core/bridge/move.ts"
import { Lease } from "#core/lease/lease.ts"
import { iso } from "#core/platform/clock.ts"
import type { Environment } from "#core/platform/config.ts"
import { MovePassphrase } from "#one-machine/service/settings.ts"
import { exportToBaileys, importFromGateway } from "./move-in.ts"
import { isKind, kinds } from "./move-in/kinds.ts"
import { exportBridges } from "./move/export.ts"
import { importBridges } from "./move/import.ts"
import { argument, bridgeId, orRefused, Refused, type Verb } from "./verb.ts"

export const exporting = (environment: Environment): Verb => ({
  takes: "<file> --bridge <bridge-id|customer_ref> ... | --all; or baileys <bridge-id|customer_ref> <folder>",
  says:
    "move bridges away: stop them here for good, and seal all of them into a file for `import` elsewhere. baileys: into a folder of " +
    "Baileys' useMultiFileAuthState, for another program",
  options: ["bridge", "all"],
  run: async (args, options = {}) =>
    await orRefused(async () => {
      const [first = "", ...rest] = args
      if (first === "baileys") return await exportToBaileys(rest, tell)
      const path = resolve(argument(args, 0, "file"))
      const named = options.bridge ?? []
      if ((named.length === 0) === !options.all)
        throw new Refused("say --bridge and which, as often as you like, or --all")
      const bridges = named.length > 0 ? await namedBridges(named) : await allBridges()
      if (bridges.length === 0) throw new Refused("there is no bridge that could leave")
      const exported = await exportBridges({ path, passphrase: passphrase(environment), bridges }, tell)
      tell(afterExport(path))
      return exported.map(({ bridge, rows }) => ({
        moved: bridge.id,
        customer_ref: bridge.customerRef,
        account: bridge.accountId,
        rows,
      }))
    }),
})

export const importing = (environment: Environment): Verb => ({
  takes: `<file>, or ${kinds.join("|")} <where> ... [--bridge <session>] ...; [--account <account-id>]`,
  says:
    "take in the bridges of an export, or the sessions of another gateway that has stopped, from its folder or database; nobody has to " +
    "link them again. --account: into this account. --bridge: only this session. A file that is called like a gateway is ./<file>",
  options: ["account", "bridge"],
  run: async (args, options = {}) =>
    await orRefused(async () => {
      const [first = "", ...rest] = args
      if (isKind(first)) return await importFromGateway(first, rest, options, tell)
      if (options.bridge) throw new Refused("--bridge is for the sessions of another gateway")
      const path = resolve(argument(args, 0, "file"))
      const input = { path, passphrase: passphrase(environment), into: options.account }
      const imported = await importBridges(input, tell)
      tell(afterImport)
      return imported.map(({ id, customerRef, accountId }) => ({
        imported: id,
        customer_ref: customerRef,
        account: accountId,
      }))
    }),
})

export const takeBack: Verb = {
  takes: "<bridge-id> [customer_ref]",
  says: "let a bridge that was exported run here again; only if no other service has it, and you say so by its reference",
  run: async (args) => {
    const bridge = await Bridge.byId(argument(args, 0, "bridge-id"))
    const lease = bridge && (await Lease.get(bridge.id))
    if (!bridge || !lease?.stopped.includes("moved"))
      throw new Refused("there is no such bridge, or it has not left")
    if (lease.movedMs && args[1] !== bridge.customerRef) throw new Refused(whatItBreaks(lease.movedMs))
    if (lease.arriving !== undefined)
      throw new Refused(
        "an import of it was interrupted, and has removed what it left here: `import` that file again, or `undo-import` it",
      )
    if (!(await Move.takeBack(bridge, lease)))
      throw new Refused("somebody else has changed it meanwhile, perhaps an export: look at it again")
    return [{ taken_back: bridge.id, customer_ref: bridge.customerRef }]
  },
}

export const undoImport: Verb = {
  takes: "[bridge-id]",
  says: "of an import that was interrupted and is not to be repeated: remove what has come of a bridge; without one, list these",
  run: async ([id]) => {
    const arriving = (await Lease.listByHost(Lease.STOPPED)).filter((one) => one.arriving !== undefined)
    if (!id) return arriving.map(({ bridgeId }) => ({ arriving: bridgeId }))
    const lease = await Lease.get(id)
    if (!lease || !(await Move.undoArrival(lease)))
      throw new Refused("it is not arriving here: without an id, `undo-import` lists what is")
    return [{ undone: id }]
  },
}

function tell(line: string): void {
  console.error(line)
}

function afterExport(path: string): string {
  return `These bridges run nowhere now. ${path} has all of them, sealed:
  - \`import\` it at one other service, once, then delete it: in two places at once they would use keys twice, and lose messages
  - API keys, webhooks and their secrets go along; logs, and the passkeys of people, do not
  - calls here are answered 409 bridge_moved; \`bridge delete\` frees what is left of a bridge, once it has arrived
  - if it is never imported, \`take-back\` lets a bridge run here again`
}

const afterImport = `They run here now. Delete the file: imported once more elsewhere, it would break them.
Their customers call this service from now on, with the keys that they have, if their account came along.`

/** What breaks if an operator takes a bridge back that another service has. */
function whatItBreaks(movedMs: number): string {
  return `it left in a file at ${iso(movedMs)}. If another service has imported that, then from now on
  - the network lets only one of the two be connected, and messages reach one or the other, or none
  - what happened there since is unknown here, and is lost: events, sends, and who was told what
If you are certain that nobody has imported it, and destroy the file, name its customer_ref behind its id`
}

/** @throws Refused if one of them does not exist */
async function namedBridges(named: string[]): Promise<Bridge.Info[]> {
  const found = new Map<string, Bridge.Info>()
  for (const one of named) {
    const bridge = await Bridge.byId(await bridgeId([one]))
    if (!bridge) throw new Refused(`there is no bridge ${one}`)
    found.set(bridge.id, bridge)
  }
  return [...found.values()]
}

/** Every bridge that can leave: no sandbox, and none that has left. */
async function allBridges(): Promise<Bridge.Info[]> {
  const found: Bridge.Info[] = []
  for (const { id } of await Account.list()) found.push(...(await Bridge.list(id)))
  const leases = await Promise.all(found.map(async ({ id }) => await Lease.get(id)))
  return found.filter(({ isSandbox }, at) => !isSandbox && !leases[at]?.movedMs)
}

/** @throws Refused if none is set */
function passphrase(environment: Environment): string {
  const given = MovePassphrase.parse(environment)
  if (given === undefined)
    throw new Refused(
      "MOVE_PASSPHRASE, or MOVE_PASSPHRASE_FILE, is not set: the file is sealed under it, here and where it is imported",
    )
  return given
}
