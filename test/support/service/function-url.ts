import { randomUUID } from "node:crypto"
import { PassThrough, type Writable } from "node:stream"
import { finished } from "node:stream/promises"

/** The event that Lambda passes for a call of a function's URL (payload format 2.0). */
export function urlEvent(
  method: string,
  path: string,
  more: {
    key?: string
    body?: object
    /** A form of our own pages, at `bridge.example.com`. */
    form?: Record<string, string>
    cookies?: string[]
    from?: string
    routerSecret?: string
  } = {},
) {
  const [rawPath = "", rawQueryString = ""] = path.split("?")
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    ...(rawQueryString && {
      queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)),
    }),
    headers: {
      host: "abc.lambda-url.eu-central-1.on.aws",
      "x-forwarded-for": "198.51.100.1",
      "x-forwarded-proto": "https",
      ...(more.routerSecret && { "x-router-secret": more.routerSecret }),
      ...(more.key && { authorization: `Bearer ${more.key}` }),
      ...(more.body && { "content-type": "application/json" }),
      ...(more.routerSecret && { "x-forwarded-host": "bridge.example.com" }),
      ...(more.form && {
        "content-type": "application/x-www-form-urlencoded",
        origin: "https://bridge.example.com",
      }),
    },
    ...(more.cookies && { cookies: more.cookies }),
    requestContext: {
      accountId: "anonymous",
      apiId: "abc",
      domainName: "abc.lambda-url.eu-central-1.on.aws",
      domainPrefix: "abc",
      http: {
        method,
        path: rawPath,
        protocol: "HTTP/1.1",
        sourceIp: more.from ?? "203.0.113.7",
        userAgent: "test",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: "20/Nov/2026:09:26:00 +0000",
      timeEpoch: 1_795_166_760_000,
    },
    ...(more.body && { body: JSON.stringify(more.body) }),
    ...(more.form && { body: new URLSearchParams(more.form).toString() }),
    isBase64Encoded: false,
  }
}

type Streaming = (event: object, stream: Writable, context: object) => Promise<void>

/** Follows the status and headers, which come first, as JSON. */
const separator = Buffer.alloc(8)

/**
 * Offers streaming functions the part of Lambda's Node runtime that they need. Call it before such a function
 * is loaded.
 */
export function offerStreaming(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Streaming) => handler,
      HttpResponseStream: {
        from(stream: Writable, prelude: object) {
          const write = stream.write.bind(stream)
          // At the first write, not before.
          stream.write = ((...given: Parameters<typeof write>) => {
            stream.write = write
            write(Buffer.concat([Buffer.from(JSON.stringify(prelude)), separator]))
            return write(...given)
          }) as typeof stream.write
          return stream
        },
      },
    },
  })
}

/** Invokes a streaming handler as Lambda does. Resolves as soon as status and headers are there. */
export async function stream(handler: unknown, event: object) {
  const sent = new PassThrough()
  // `streamifyResponse` made it.
  const over = (handler as Streaming)(event, sent, { awsRequestId: randomUUID() })
  const ended = Promise.all([over, finished(sent, { readable: false })])
  // A caller that hangs up does not wait for it.
  ended.catch(() => "hung up")
  const chunks = sent[Symbol.asyncIterator]() as AsyncIterator<Buffer> // no encoding is set
  let read = Buffer.alloc(0)
  while (!read.includes(separator)) {
    const { value, done } = await chunks.next()
    if (done) throw new Error(`no prelude: ${read.toString()}`)
    read = Buffer.concat([read, value])
  }
  const at = read.indexOf(separator)
  const prelude = JSON.parse(read.subarray(0, at).toString()) as Prelude // as Lambda itself reads it
  let body = read.subarray(at + separator.length)

  /** The body so far, once it is enough or complete. */
  async function until(isEnough: (body: Buffer) => boolean): Promise<Buffer> {
    while (!isEnough(body)) {
      const { value, done } = await chunks.next()
      if (done) break
      body = Buffer.concat([body, value])
    }
    return body
  }
  return {
    ...prelude,
    until,
    /** The whole body. */
    all: async () => {
      const whole = await until(() => false)
      await ended
      return whole
    },
    /** The listener hangs up. */
    hangUp: () => void sent.destroy(),
  }
}

interface Prelude {
  statusCode: number
  cookies?: string[]
  headers: Record<string, string>
}
