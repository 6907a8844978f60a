import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { json } from "node:stream/consumers"
import { z } from "zod"
import { type At, listenAt, stopListening } from "./listen.ts"

/** An error in the words of the service that this stands in for. */
export class AwsRefusal extends Error {
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
  at: At
  /** The actions by operation, each given the parsed body. */
  actions: Record<string, (call: unknown) => object | Promise<object>>
  /** The error code for anything that an action throws other than an `AwsRefusal`: the request is invalid. */
  invalid: string
  /** Called before each action. If it returns an answer, the action is not called. */
  before?: (operation: string) => object | undefined
}

/** An answer; undefined: the connection ends without one. */
type Answer = { status: number; body: object } | undefined

/** Serves AWS JSON on this machine, as AWS's clients expect it. Rejects if the port is taken. */
export async function startAwsJson({ at, actions, invalid, before }: Service) {
  const known = new Map(Object.entries(actions))

  async function answer(operation: string, call: object): Promise<Answer> {
    try {
      const instead = before?.(operation)
      if (instead) return { status: 200, body: instead }
      const action = known.get(operation)
      if (!action) throw new AwsRefusal("UnknownOperationException", `no operation ${operation}`)
      return { status: 200, body: await action(call) }
    } catch (error) {
      return { status: 400, body: refused(error, invalid) }
    }
  }

  const server = awsJsonServer((request, response) => void answerCall(request, response, answer))
  return { endpoint: await listenAt(server, at), close: () => stopListening(server) }
}

/** Clients reuse idle connections for as long as they like. */
export function awsJsonServer(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout: 0 }, listener)
}

/** Reads a call and answers it. */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (operation: string, call: object) => Promise<Answer>,
): Promise<void> {
  const operation = String(request.headers["x-amz-target"]).split(".").at(-1)!
  // If the client has hung up, the body cannot be read, and the answer reaches no client.
  const call: unknown = await json(request).catch(() => undefined)
  const said = typeof call === "object" && call ? await answer(operation, call) : notJson
  if (!said) return void response.socket?.resetAndDestroy()
  const text = Buffer.from(JSON.stringify(said.body))
  const headers = { "content-type": "application/x-amz-json-1.0", "content-length": text.length }
  response.writeHead(said.status, headers).end(text)
}

const notJson = {
  status: 400,
  body: { __type: "com.amazon.coral.service#SerializationException", message: "not a JSON object" },
}

function refused(error: unknown, invalid: string): object {
  if (error instanceof AwsRefusal) return { __type: error.code, message: error.message, ...error.about }
  const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
  return { __type: invalid, message }
}
