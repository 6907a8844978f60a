import type { User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import type { Target } from "../phone/target.ts"
import * as Jid from "../wire/jid.ts"
import { ControlError } from "./http/errors.ts"

interface Named {
  to: string
  addressing: "lid" | "pn"
  viewers?: string[] | undefined
}

/**
 * The person, group, broadcast list or status audience that is meant. @throws ControlError when there is
 * none.
 */
export function targetOf(network: Network, { to, addressing, viewers }: Named): Target {
  const people = (viewers ?? []).flatMap((pn) => network.directory.user(pn) ?? [])
  if (to === "status@broadcast") return { status: people }
  if (to.endsWith("@broadcast")) return { list: to, people }
  const jid = Jid.parse(to.includes("@") ? to : `${to}@${Jid.server}`)
  const group = network.groups.find(jid)
  if (group) return { group }
  const user = network.directory.find(jid)
  if (!user) throw new ControlError(404, "unknown_recipient", "nobody has this address")
  return { user, mode: addressing }
}

/** The person who has this number. @throws ControlError if there is none */
export function userOf(network: Network, number: string): User {
  const user = network.directory.user(number)
  if (!user) throw new ControlError(404, "unknown_recipient", `nobody has the number ${number}`)
  return user
}
