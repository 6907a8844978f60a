import { createServer, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { hangUp, listen } from "../listen.ts"

/** An error in the words of the service that this stands in for. */
export class Refusal extends Error {
  readonly code: string
  readonly about: object

  /** `about`: further members of the body. */
  constructor(code: string, message = code, about: object = {}) {
    super(message)
    this.code = code
    this.about = about
  }
}

interface Service {
  /** Any free port if absent. */
  port?: number | undefined
  /** The actions by operation, each given the parsed body. */
  actions: Record<string, (call: unknown) => object>
  /** The error code for anything that an action throws other than a `Refusal`: the request is invalid. */
  invalid: string
  /** Called before each action. If it returns an answer, the action is not called. */
  before?: (operation: string) => object | undefined
}

/** Serves AWS JSON 1.1 on 127.0.0.1, as AWS's clients expect it. Rejects if the port is taken. */
export async function startAwsJson(service: Service) {
  const actions = new Map(Object.entries(service.actions))

  async function answer(request: IncomingMessage): Promise<object> {
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1)!
    const call = await json(request)
    const instead = service.before?.(operation)
    if (instead) return instead
    const action = actions.get(operation)
    if (!action) throw new Refusal("UnknownOperationException", `no operation ${operation}`)
    return action(call)
  }

  // Clients reuse idle connections for as long as they like.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const said = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body))
    answer(request).then(
      (body) => said(200, body),
      (error: unknown) => said(400, refused(error, service.invalid)),
    )
  })
  const port = await listen(server, service.port)
  return { endpoint: `http://127.0.0.1:${port}`, close: () => hangUp(server) }
}

function refused(error: unknown, invalid: string): object {
  if (error instanceof Refusal) return { __type: error.code, message: error.message, ...error.about }
  const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
  return { __type: invalid, message }
}
