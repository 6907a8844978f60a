import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { until } from "./http/wait.ts"
import * as Schema from "./schemas.ts"

/** The log of everything that crossed the wire. */
export function routeLog(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "get",
      path: "/log",
      summary: "Stanzas that the network took and sent; waits until something matches",
      query: Schema.ReadLog,
      answer: z.array(Schema.Entry),
    },
    ({ query, signal }) =>
      until({
        read: () => matching(network, query),
        enough: 1,
        waitMs: query.wait,
        listen: (again) => network.log.listen(again),
        signal,
      }),
  )
}

function matching(network: Network, query: z.output<typeof Schema.ReadLog>) {
  const { kind, who, tag, event } = query
  const attrs = Object.entries(attributesOf(query.attrs))
  return network.log
    .after(query.after)
    .filter((entry) => kind === undefined || entry.kind === kind)
    .filter((entry) => who === undefined || entry.who.startsWith(who))
    .filter((entry) => tag === undefined || entry.stanza?.tag === tag)
    .filter((entry) => event === undefined || entry.event === event)
    .filter(({ stanza }) => attrs.every(([name, value]) => stanza?.attrs[name] === value))
}

function attributesOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {}
  try {
    return Schema.Attributes.parse(JSON.parse(text))
  } catch {
    throw new ControlError(400, "invalid_request", "`attrs` is a JSON object of strings")
  }
}
