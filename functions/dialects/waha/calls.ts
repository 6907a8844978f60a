import type { Dialect } from "../dialect.ts"

/** WAHA's language. */
export const waha: Dialect = {
  name: "waha",
  keyHeader: "x-api-key",
  calls: [],
  refusal: ({ status, sentence }) => ({ statusCode: status, message: sentence }),
}
