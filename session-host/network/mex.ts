import { z } from "zod"
import type { Connection } from "./connection.ts"
import { NetworkRejected } from "./errors.ts"
import { child, el } from "./stanza.ts"

/** A refusal in GraphQL's way: the network answers, and the answer has an error code in it. */
const Refused = z.object({
  errors: z.array(z.object({ extensions: z.object({ error_code: z.number() }) })).nonempty(),
})

/**
 * Asks in GraphQL (`w:mex`). The id names a query that the network already has, so its text is never sent.
 * @returns the JSON of the answer, unchecked; undefined if the answer is no JSON
 * @throws NetworkRejected, NoAnswer
 */
export async function askMex(
  { ask }: Pick<Connection, "ask">,
  query_id: string,
  variables: object,
): Promise<unknown> {
  const query = el("query", { query_id }, JSON.stringify({ variables }))
  const answer = await ask({ xmlns: "w:mex", type: "get", children: [query] })
  const said = jsonIn(child(answer, "result")?.bytes)
  const refused = Refused.safeParse(said).data?.errors[0]
  if (refused) throw new NetworkRejected(refused.extensions.error_code)
  return said
}

/** In bytes. The answers that are known have some hundred. */
const longest = 100_000

/** The JSON in the content of a node; undefined if the content is no JSON. */
export function jsonIn(content: unknown): unknown {
  if (!(content instanceof Uint8Array) || content.length > longest) return undefined
  try {
    return JSON.parse(Buffer.from(content).toString())
  } catch {
    // The content is no JSON, so it is none of the notices and answers that are known here.
    return undefined
  }
}
