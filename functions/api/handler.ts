import { handle } from "hono/aws-lambda"
import type { LambdaContext, LambdaEvent } from "hono/aws-lambda"
import { ApiError } from "#core/error.ts"
import { callHere } from "#core/lease/call.ts"
import { askedIn, wire } from "#core/lease/call-through-lambda.ts"
import { account } from "./account.ts"
import { bridges } from "./bridges.ts"
import { deliveries } from "./deliveries.ts"
import { door } from "../http/door.ts"
import { events } from "./events.ts"
import { proxy } from "./proxy-routes.ts"
import { reference } from "../docs/routes.ts"

/** The API without the routes that need a stream or a way to the internet. */
const answer = handle(door([reference], [bridges, events, deliveries, account, proxy]))

/** Answers a request of its URL, or makes a call to a session host for a function that is not in their network. */
export async function handler(event: LambdaEvent, context?: LambdaContext): Promise<unknown> {
  const asked = askedIn(event)
  if (!asked) return await answer(event, context)
  try {
    return wire(await callHere(asked.holder, asked.call, asked.withinMs))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return "unknown"
  }
}
