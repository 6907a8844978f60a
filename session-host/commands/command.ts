import type { Context } from "hono"
import type { z } from "@hono/zod-openapi"
import { ApiError, invalid, issuesOf } from "#core/error.ts"
import type { HostCall } from "#core/lease/signed-call.ts"
import type { Session } from "../session/session.ts"

/** The variables of every command: the session it is for, and the call as the API signed it. */
export interface CommandEnv {
  Variables: { session: Session; call: HostCall }
}

export type CommandContext = Context<CommandEnv>

/** A call to a session: a route of the contract with its handler. */
export interface Command {
  route: { method: string; path: string }
  run: (c: CommandContext) => Response | Promise<Response>
}

/** The JSON body, checked once more against the contract. @throws ApiError `invalid_request` */
export async function bodyOf<Body>(c: CommandContext, schema: z.ZodType<Body>): Promise<Body> {
  const parsed = schema.safeParse(await json(c))
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error))
}

/** A parameter of the path, checked once more against the contract. @throws ApiError `invalid_request` */
export function paramOf<Name extends string>(
  c: CommandContext,
  schema: { shape: Record<Name, z.ZodType<string>> },
  name: Name,
): string {
  const parsed = schema.shape[name].safeParse(c.req.param(name))
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error, name))
}

async function json(c: CommandContext): Promise<unknown> {
  try {
    return await c.req.json()
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiError("invalid_request", "the body is not JSON")
    throw error
  }
}
