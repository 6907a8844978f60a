import { randomUUID } from "node:crypto"
import { Account } from "#core/account/account.ts"
import { markRestored } from "#core/bridge/after-restore.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { pauseForOperator, suspend, wake } from "#core/bridge/operator-stops.ts"
import { remove } from "#core/bridge/remove.ts"
import { restart } from "#core/bridge/restart.ts"
import { ApiError } from "#core/error.ts"
import { Lease } from "#core/lease/lease.ts"
import { notifyHolder } from "#core/lease/notify-holder.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { downBridges } from "./down-bridges.ts"
import { argument, bridgeId, Refused, type Row, type Verb } from "./verb.ts"
import { stoppedBecause, why } from "./why.ts"

export const bridge: Record<string, Verb> = {
  list: {
    takes: "<account-id>",
    says: "the account's bridges and who holds them",
    run: async (args) => {
      const accountId = argument(args, 0, "account-id")
      if (!(await Account.get(accountId))) throw new Refused("there is no such account")
      const found = await Bridge.list(accountId)
      return await Promise.all(found.map(toRow))
    },
  },
  find: {
    takes: "<phone>",
    says: "the bridges that were linked to this number (digits), latest first",
    run: async (args) => {
      const phone = argument(args, 0, "phone").replace(/^\+/, "")
      if (!/^\d{7,15}$/.test(phone)) throw new Refused("<phone> is 7 to 15 digits")
      const rows = await Promise.all((await BridgesOfPhone.find(phone)).map(toFound))
      return rows.flat()
    },
  },
  down: {
    takes: "",
    says: "the bridges of all accounts that should be connected and are not",
    run: downBridges,
  },
  why: {
    takes: "<bridge-id|customer_ref>",
    says: "why this bridge is down, or is not: state, host, delivery, its log",
    run: async (args) => await why(await bridgeId(args)),
  },
  pause: {
    takes: "<bridge-id|customer_ref>",
    says: "stop a bridge, until you wake it; calls answer 409 bridge_paused",
    run: async (args) => await paused(await bridgeId(args)),
  },
  wake: {
    takes: "<bridge-id|customer_ref>",
    says: "let a paused bridge run again, unless its own people have paused it",
    run: async (args) => await woken(await bridgeId(args), "operator", "billing", "idle"),
  },
  suspend: {
    takes: "<bridge-id|customer_ref>",
    says: "stop a bridge; calls answer 409 bridge_suspended",
    run: async (args) => await suspended(await bridgeId(args)),
  },
  resume: {
    takes: "<bridge-id|customer_ref>",
    says: "let a suspended bridge run again",
    run: async (args) => await woken(await bridgeId(args), "suspended"),
  },
  restart: {
    takes: "<bridge-id|customer_ref>",
    says: "restart its session; where its host cannot be asked from here, it moves",
    run: async (args) => await restarted(await bridgeId(args)),
  },
  skip: {
    takes: "<bridge-id|customer_ref>",
    says: "restart its session and skip the message at its head, which brings it down",
    run: async (args) => await skipped(await bridgeId(args)),
  },
  "make-anew": {
    takes: "<bridge-id|customer_ref|all> <time>",
    says: "after its session came back from a copy made at that time: use none of its keys twice",
    run: async (args) => {
      const copied = argument(args, 1, "time")
      const copiedMs = Date.parse(copied)
      if (!/T.*(Z|[+-]\d\d:\d\d)$/.test(copied) || !(copiedMs <= nowMs()))
        throw new Refused("<time> is when the copy was made, as 2026-11-25T14:30:00Z")
      const ids = args[0] === "all" ? await everyBridge() : [await bridgeId(args)]
      for (const id of ids) if (await markRestored(id, copiedMs)) console.error(`${id} makes its keys anew`)
      return [{ bridges: ids.length, copied_at: iso(copiedMs) }]
    },
  },
  delete: {
    takes: "<bridge-id>",
    says: "delete a bridge, as its customer would; unlinked if its host can be asked",
    run: async (args) => {
      const found = await Bridge.byId(argument(args, 0, "bridge-id"))
      if (!found) throw new Refused("there is no such bridge")
      await remove(found, randomUUID())
      return [{ deleted: found.id, customer_ref: found.customerRef }]
    },
  },
}

async function everyBridge(): Promise<string[]> {
  const ids: string[] = []
  for (const { id } of await Account.list()) ids.push(...(await Bridge.list(id)).map((one) => one.id))
  return ids
}

async function restarted(id: string): Promise<Row[]> {
  const lease = await Lease.get(id)
  if (!lease || !Lease.isHeld(lease))
    throw new Refused("no host holds this bridge: `bridge why` says what it waits for")
  try {
    await restart(id, randomUUID())
    return [{ restarted: id }]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  // A deployed host cannot be reached from here. The host that takes the bridge next starts a new session.
  await paused(id)
  await woken(id, "operator")
  return [{ moved: id }]
}

async function skipped(id: string): Promise<Row[]> {
  const before = await Lease.get(id)
  if (!(await Lease.skipMessage(id))) throw new Refused("there is no such bridge, or it must not run now")
  if (before) await notifyHolder(before)
  return [{ skips: id }]
}

async function paused(id: string): Promise<Row[]> {
  if (!(await pauseForOperator(id))) throw new Refused("there is no such bridge, or it is paused already")
  return [{ stopped: id, reason: "operator" }]
}

async function suspended(id: string): Promise<Row[]> {
  if (!(await suspend(id))) throw new Refused("there is no such bridge, or it is suspended already")
  return [{ stopped: id, reason: "suspended" }]
}

async function woken(id: string, ...reasons: Lease.Reason[]): Promise<Row[]> {
  if (!(await wake(id, ...reasons)))
    throw new Refused(`there is no such bridge, or it was not stopped for one of: ${reasons.join(", ")}`)
  const lease = await Lease.get(id)
  const left = lease && Lease.whyStopped(lease)
  return [left ? { still_stopped: id, why: stoppedBecause[left] } : { woken: id }]
}

/** No row for a bridge that is deleted. */
async function toFound({ bridgeId, connectedAt }: BridgesOfPhone.Linked): Promise<Row[]> {
  const bridge = await Bridge.byId(bridgeId)
  if (!bridge) return []
  const row = await toRow(bridge)
  return [{ account: bridge.accountId, ...row, connected_at: iso(connectedAt * 1000) }]
}

async function toRow(info: Bridge.Info): Promise<Row> {
  const lease = await Lease.get(info.id)
  return {
    id: info.id,
    customer_ref: info.customerRef,
    host: lease?.host ?? "",
    status: (lease && Lease.statusOf(lease)) ?? "",
    reason: lease?.stopped.join(", ") ?? "",
    epoch: lease?.epoch ?? 0,
    fail_count: lease?.failCount ?? 0,
    created_at: iso(info.createdMs),
  }
}
