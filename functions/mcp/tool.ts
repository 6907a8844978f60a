import type {
  CallToolResult,
  InputRequiredResult,
  StandardSchemaWithJSON,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import type { Api } from "../http/own-api.ts"
import type { FromStrangers } from "./answer.ts"
import type { WhenToAsk } from "./when-to-ask.ts"
import type { Yes } from "./yes.ts"

/** A tool of an agent, whose input has been checked. */
export interface Tool<Input = never> {
  name: string
  description: string
  input: StandardSchemaWithJSON<unknown, Input>
  /** It changes nothing. A key that may only read has no other tools. */
  isRead: boolean
  /** @throws Refused */
  run: (input: Input, called: ToolContext) => Promise<CallToolResult | InputRequiredResult>
}

export interface ToolContext {
  api: Api
  /** The name of the number that is meant: the given one, that of the key, or the account's first. */
  numberOf: (given: string | undefined) => string
  /** Shows what strangers wrote, once it is noted whose words that are. */
  show: (shown: FromStrangers) => Promise<CallToolResult>
  /** The chats (JIDs) whose words this agent was shown lately. */
  readLately: () => Promise<string[]>
  /** The hosts whose files it sends unasked. */
  fileHosts: string[]
  /** Its key is for some chats alone. */
  isForChats: boolean
  ask: WhenToAsk
  yes: Yes
  signal: AbortSignal
}

/** A tool whose run takes what its input is parsed to. */
export function tool<Input extends z.ZodType>(
  its: Omit<Tool, "input" | "run"> & { input: Input; run: Tool<z.output<Input>>["run"] },
): Tool {
  // The server checks the input before it runs the tool.
  return { ...its, input: told(its.input) } as unknown as Tool
}

/**
 * A schema as agents are told of it. They pay for each word in every conversation, so its bounds are told
 * only to who exceeds them.
 */
function told(schema: z.ZodType): StandardSchemaWithJSON {
  const bounds = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "format"] as const
  const input = () => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, {
      io: "input",
      override: ({ jsonSchema }) => bounds.forEach((bound) => delete jsonSchema[bound]),
    })
    return json
  }
  return { "~standard": { ...schema["~standard"], jsonSchema: { input, output: input } } }
}
