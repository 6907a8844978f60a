import { STATUS_CODES } from "node:http"
import { call, type Dialect } from "../dialect.ts"

const welcome = call({
  method: "GET",
  path: "/",
  run: async () => ({
    status: 200,
    message: "Welcome to the Evolution API, it is working!",
    version: "2.3.6",
    clientName: "messaging-bridge",
  }),
})

/** Evolution API's language, of its release 2.3. */
export const evolution: Dialect = {
  name: "evolution",
  keyHeader: "apikey",
  calls: [welcome],
  refusal: ({ status, sentence, issues }) => ({
    status,
    error: STATUS_CODES[status],
    response: {
      message: issues.length > 0 ? issues.map(({ path, message }) => `${path}: ${message}`) : [sentence],
    },
  }),
}
