export * as Host from "./host.ts"

import { randomInt, randomUUID } from "node:crypto"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { getRow, putRow, query, removeRow, type Row, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Network } from "./lease.ts"

/**
 * - `starting`: requested, no beat yet. It counts already, so that it is not requested twice.
 * - `up`: beats.
 * - `draining`: takes no bridges, gives back those it holds, then ends.
 * - `dead`: declared dead; a host that finds itself marked ends itself.
 */
export const State = z.enum(["starting", "up", "draining", "dead"])
export type State = z.infer<typeof State>

export const Info = z.object({
  id: z.string(),
  state: State,
  network: Network,
  /** Raised by each beat. Besides a report, only a version that stops changing is a sign of death. */
  version: z.number().int(),
  addr: z.string(),
  capacity: z.number().int(),
  sessions: z.number().int(),
  /** How many of its sessions are as they should be: connected, or not linked to a phone. */
  up: z.number().int().default(0),
  /** The orchestrator's task that it runs as. */
  task: z.string(),
  /** The task definition that it was started with; `""` if it was started by hand. */
  definition: z.string().default(""),
  startedAt: z.number().int(),
  /**
   * Its last beat by its own clock, Unix seconds; 0 before it. For display: `version` says whether the host
   * lives.
   */
  beatAt: z.number().int().default(0),
  /** When it was asked to drain, Unix seconds; 0 before. */
  drainingAt: z.number().int().default(0),
  /** When it was declared dead, Unix seconds; 0 before. */
  deadAt: z.number().int(),
  /** None of its bridges can have caused its death: it was killed, or its machine was taken away. */
  isBlameless: z.boolean().default(false),
})
export type Info = z.infer<typeof Info>

/**
 * The partition keys of hosts' rows. DynamoDB takes 1,000 writes a second for one: the beats of 5,000 hosts.
 * A host's id ends with the number of its partition; an id without one belongs to the first.
 */
const partitions = ["HOSTS", "HOSTS#1", "HOSTS#2", "HOSTS#3"]

/** The id of a new host, in a random partition. */
export function newId(): string {
  const at = randomInt(partitions.length)
  return at === 0 ? randomUUID() : `${randomUUID()}-${at}`
}

export function key(hostId: string) {
  const at = /^[0-9a-f-]{36}-(\d)$/.exec(hostId)?.[1]
  return { pk: partitions[Number(at ?? 0)] ?? "HOSTS", sk: hostId }
}

export async function get(hostId: string): Promise<Info | undefined> {
  const row = await getRow(tables.leases, key(hostId))
  return row && fromRow(row)
}

/** Every host, including starting and dead ones, read consistently. */
export async function list(): Promise<Info[]> {
  const found = await Promise.all(
    partitions.map((hosts) =>
      Array.fromAsync(
        query({
          TableName: tables.leases,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :hosts",
          ExpressionAttributeValues: { ":hosts": hosts },
        }),
      ),
    ),
  )
  return found.flat().map(fromRow)
}

/** Writes the row of a host that is about to be started, so that it counts from then on. */
export async function announce(input: {
  id: string
  network: Network
  capacity: number
  definition?: string
}): Promise<void> {
  const item: Row = {
    ...key(input.id),
    state: "starting",
    network: input.network,
    version: 0,
    addr: "",
    capacity: input.capacity,
    sessions: 0,
    task: "",
    definition: input.definition ?? "",
    started_at: now(),
    dead_at: 0,
  }
  await putRow({ TableName: tables.leases, Item: item })
}

/** Notes which task an announced host runs as. */
export async function setTask(hostId: string, task: string): Promise<void> {
  await update(hostId, "SET task = :task", "attribute_exists(pk)", { ":task": task })
}

/** A host's sign of life. The answer tells the host whether to drain, or that it was declared dead. */
export async function beat(input: {
  id: string
  addr: string
  capacity: number
  sessions: number
  up?: number
  network: Network
}): Promise<State> {
  const row = await updateRow(
    {
      TableName: tables.leases,
      Key: key(input.id),
      UpdateExpression:
        "SET addr = :addr, #capacity = :capacity, sessions = :sessions, up = :sessions_up, network = :network, beat_at = :now, " +
        "#state = if_not_exists(#state, :up), task = if_not_exists(task, :none), " +
        "started_at = if_not_exists(started_at, :now), dead_at = if_not_exists(dead_at, :zero) ADD version :one",
      ExpressionAttributeNames: { "#state": "state", "#capacity": "capacity" },
      ExpressionAttributeValues: {
        ":addr": input.addr,
        ":capacity": input.capacity,
        ":sessions": input.sessions,
        ":sessions_up": input.up ?? 0,
        ":network": input.network,
        ":up": "up",
        ":none": "",
        ":now": now(),
        ":zero": 0,
        ":one": 1,
      },
    },
    { isUrgent: true },
  )
  const host = fromRow("now" in row ? row.now : row.refused)
  if (host.state !== "starting") return host.state
  await update(input.id, "SET #state = :up", "#state = :starting", { ":up": "up", ":starting": "starting" })
  return "up"
}

/**
 * Whether the sweep started it, and replaces and ends it. A host that was started by hand, or by a service,
 * is left alone.
 */
export function isOwnedBySweep(host: Pick<Info, "definition">): boolean {
  return host.definition !== ""
}

/** Asks a host to give back its bridges and end. */
export async function drain(hostId: string): Promise<void> {
  await update(hostId, "SET #state = :draining, draining_at = :now", "#state = :up OR #state = :starting", {
    ":draining": "draining",
    ":now": now(),
    ":up": "up",
    ":starting": "starting",
  })
}

/**
 * Declares a host dead, unless it has beaten since it was seen.
 * @param isBlameless whether none of its bridges can have caused it
 * @returns false when it lives.
 */
export async function markDead(hostId: string, seenVersion: number, isBlameless = false): Promise<boolean> {
  return await update(
    hostId,
    "SET #state = :dead, dead_at = :now, blameless = :blameless",
    "version = :seen",
    {
      ":dead": "dead",
      ":now": now(),
      ":blameless": isBlameless,
      ":seen": seenVersion,
    },
  )
}

/** Removes the row of a host that ended in good order or is long dead. */
export async function remove(hostId: string): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key(hostId) })
}

async function update(
  hostId: string,
  expression: string,
  condition: string,
  values: Record<string, unknown>,
): Promise<boolean> {
  const row = await updateRow({
    TableName: tables.leases,
    Key: key(hostId),
    UpdateExpression: expression,
    ConditionExpression: condition,
    ...(`${expression} ${condition}`.includes("#state") && {
      ExpressionAttributeNames: { "#state": "state" },
    }),
    ExpressionAttributeValues: values,
  })
  return "now" in row
}

function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    id: row.sk,
    startedAt: row.started_at,
    beatAt: row.beat_at,
    deadAt: row.dead_at,
    isBlameless: row.blameless,
    drainingAt: row.draining_at,
  })
}
