import { streamHandle } from "hono/aws-lambda"
import { Troubles } from "#core/account/troubles.ts"
import { door } from "#functions/http/door.ts"
import { dashboard, missing } from "./routes.ts"

// `functions/troubles` looks each minute.
Troubles.setReporting(true)

/** The dashboard, for two functions: one for its pages, one for what is live on them. */
export const handler = streamHandle(door({ pages: dashboard, missing }))
