import { createHash } from "node:crypto"
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"

/** What a person was asked: whether exactly this may be done, once. */
interface Asked {
  /** What is to be done: sent to whom, for instance. */
  wish: string
  idempotencyKey: string
}

const Answer = z.object({
  yes: z.boolean().describe("Shall it be done?"),
})

/** A person's yes to one message. */
export interface Yes {
  /**
   * The idempotency key of a person's yes to this wish; false: they said no; undefined: they were not asked.
   */
  to: (wish: string) => string | false | undefined
  /** Whether this program can ask its person. In the earlier revision that needs a connection that stays. */
  canAsk: boolean
  ask: (question: string, asked: Asked) => Promise<InputRequiredResult>
}

/**
 * Gets a person's yes through the agent's program. What was asked goes to the program and back, signed with
 * the caller's own key, so the yes is for this message to this person, and for no other.
 */
export function newYes(key: string, isModern: boolean) {
  const secret = createHash("sha256").update(`a person's yes\n${key}`).digest()
  const codec = createRequestStateCodec<Asked>({ key: secret })
  return {
    verify: (state: string, context: ServerContext) => codec.verify(state, context),
    of: (context: ServerContext): Yes => ({
      to: (wish) => {
        const asked = context.mcpReq.requestState<Asked>()
        if (asked?.wish !== wish) return undefined
        const said = acceptedContent(context.mcpReq.inputResponses, "yes", Answer)
        return said?.yes === true && asked.idempotencyKey
      },
      canAsk: isModern && canElicit(context),
      ask: async (question, asked) =>
        inputRequired({
          inputRequests: { yes: inputRequired.elicit({ message: question, requestedSchema: Answer }) },
          requestState: await codec.mint(asked),
        }),
    }),
  }
}

function canElicit({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, { elicitation?: object } | undefined> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation !== undefined
}

/** A name for what is to be done, which a person's yes is for. */
export function hashOf(wish: unknown): string {
  return createHash("sha256").update(JSON.stringify(wish)).digest("base64url")
}
