import { inMode, type Mode } from "../network/addressing.ts"
import type { User } from "../network/directory.ts"
import { type Group, jidOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"

/**
 * Where a message goes: to a person, to a group, as a status to some people, or to the people of a broadcast
 * list.
 */
export type Target =
  | { user: User; mode: Mode }
  | { group: Group }
  | { status: User[] }
  | { list: string; people: User[] }

/** A target's address. */
export function jidOfTarget(target: Target): string {
  if ("user" in target) return inMode(target.mode, target.user)
  if ("list" in target) return target.list
  return "group" in target ? jidOf(target.group) : "status@broadcast"
}

/** A chat as the inbox names it: the other's number, or the group's address. */
export function chatOf(target: Target): string {
  return "user" in target ? target.user.pn : jidOfTarget(target)
}

/** A target as it is kept. */
export type TargetRow =
  | { pn: string; mode: Mode }
  | { group: string }
  | { status: string[] }
  | { list: string; people: string[] }

export function toRow(target: Target): TargetRow {
  if ("user" in target) return { pn: target.user.pn, mode: target.mode }
  if ("list" in target) return { list: target.list, people: numbersOf(target.people) }
  return "group" in target ? { group: target.group.id } : { status: numbersOf(target.status) }
}

/** Undefined when there is no such person or group any more. */
export function fromRow(network: Network, row: TargetRow): Target | undefined {
  const { directory, groups } = network
  if ("group" in row) {
    const group = groups.get(row.group)
    return group && { group }
  }
  const known = (numbers: string[]) => numbers.flatMap((pn) => directory.user(pn) ?? [])
  if ("status" in row) return { status: known(row.status) }
  if ("list" in row) return { list: row.list, people: known(row.people) }
  const user = directory.user(row.pn)
  return user && { user, mode: row.mode }
}

function numbersOf(people: User[]): string[] {
  return people.map(({ pn }) => pn)
}
