import { randomBytes } from "node:crypto"
import { NoAnswer } from "../network/errors.ts"
import type { Connection, Stanza } from "../network/connection.ts"
import { child, childrenOf, el } from "../network/stanza.ts"

/**
 * Asks the network about people, in its own protocol for that.
 * @returns an answer for each person it knows, in no order.
 * @throws NetworkRejected, NoAnswer
 */
export async function usync(
  connection: Pick<Connection, "ask">,
  asked: { about: Stanza[]; users: Stanza[]; context?: "interactive" | "message" },
): Promise<Stanza[]> {
  const attrs = {
    context: asked.context ?? "interactive",
    mode: "query",
    sid: randomBytes(8).toString("hex"),
    last: "true",
    index: "0",
  }
  const question = el("usync", attrs, [el("query", {}, asked.about), el("list", {}, asked.users)])
  const answer = await connection.ask({ xmlns: "usync", type: "get", children: [question] })
  const list = child(child(answer, "usync"), "list")
  // A person who is not on the list does not exist; without a list, that is not said of anybody.
  if (!list) throw new NoAnswer("the network's answer says nothing of people")
  return childrenOf(list, "user")
}
