import type { Connection } from "../network/connection.ts"
import { ifAny } from "../network/errors.ts"
import { type Stanza, child, el } from "../network/stanza.ts"

/**
 * The card of a group; undefined if the group does not exist, or if the session is not in it.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForGroupCard(
  connection: Pick<Connection, "ask">,
  group: string,
): Promise<Stanza | undefined> {
  const children = [el("query", { request: "interactive" })]
  return child(await ifAny(connection.ask({ xmlns: "w:g2", type: "get", to: group, children })), "group")
}
