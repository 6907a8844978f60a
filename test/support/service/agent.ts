import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { onTestFinished } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { app } from "./app.ts"
import { anAddress, at } from "./customer.ts"

type Consent = { yes: boolean } | "declined"

export interface AgentOptions {
  key?: string
  query?: string
  mode?: "legacy" | "auto"
  /** What the person says who sits before the agent; undefined: the agent's program cannot ask. */
  says?: Consent
}

/** An agent's program, which is the official client, with a key of its own to this account. */
export async function anAgentOf(
  accountId: string,
  { key: given, query = "", mode = "auto", says }: AgentOptions = {},
) {
  const key = given ?? (await ApiKey.create(accountId, "agent"))
  const questions: string[] = []
  const from = at(anAddress())
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode }, capabilities: says ? { elicitation: {} } : {} },
  )
  if (says)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message)
      return says === "declined" ? { action: "decline" } : { action: "accept", content: says }
    })
  const transport = new StreamableHTTPClientTransport(new URL(`http://localhost/mcp${query}`), {
    fetch: async (url, init) => await app.request(url, init, from),
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  onTestFinished(async () => await client.close())
  const call = async (name: string, input: object = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...input } })
    const text = content.map((one) => (one.type === "text" ? one.text : "")).join("\n")
    return { text, isError, content }
  }
  return { client, call, questions }
}
