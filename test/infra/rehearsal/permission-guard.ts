import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { stopListening, listen } from "#one-machine/listen.ts"
import type { Statement } from "../graph.ts"
import { allows, type Wish } from "./iam.ts"
import { listing, type Names, neededPermissions } from "./needed-permissions.ts"

/** A permission of a role, granted or refused. */
export interface Judged extends Wish {
  role: string
  isAllowed: boolean
}

/**
 * Stands before an embedded service for one role: each request is held against the role's policy, as it was
 * rendered for AWS, and refused if that does not allow it.
 */
export async function startPermissionGuard(input: {
  service: string
  endpoint: string
  /** What has another name there. */
  renamed?: [ours: string, theirs: string][]
  role: string
  /** Asked at each request: a deploy changes policies. */
  policy: () => Statement[]
  names: () => Names
  onJudged: (judged: Judged) => void
}) {
  const { renamed = [] } = input
  const theirs = (text: string) => renamed.reduce((now, [from, to]) => now.replaceAll(from, to), text)
  const ours = (text: string) => renamed.reduce((now, [to, from]) => now.replaceAll(from, to), text)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { method = "GET", url = "/", headers } = request
    const target = headers["x-amz-target"] && String(headers["x-amz-target"])
    // Files are not looked into, but for the form that one comes in.
    const isForm = String(headers["content-type"]).startsWith("multipart/form-data")
    const isFile = input.service === "s3" && !isForm
    const asked = { method, url, target, body: isFile ? "" : body.toString() }
    const refused = refusedOf(neededPermissions(input.service, asked, input.names()))
    if (refused) return deny(response, input.service, `${refused.action} on ${refused.resource}`)
    const passed = await fetch(new URL(url, input.endpoint), {
      method,
      headers: [
        ...Object.entries(headers).flatMap(([name, value]) =>
          value === undefined || leftOut.test(name) ? [] : [[name, String(value)] as [string, string]],
        ),
        ["authorization", formOfSignature(input.service)],
      ],
      ...(body.length > 0 && { body: renamed.length > 0 ? theirs(asked.body) : body }),
    })
    const told = Buffer.from(await passed.arrayBuffer())
    const said = renamed.length > 0 ? Buffer.from(ours(told.toString())) : told
    // A role that may not list a bucket is not told what is missing there.
    const isMissing = input.service === "s3" && passed.status === 404
    const unlisted = isMissing && refusedOf([listing(asked, input.names())])
    if (unlisted) return deny(response, input.service, `${unlisted.action} on ${unlisted.resource}`)
    const about = Object.fromEntries(
      [...passed.headers].filter(([name]) => !/^(content-encoding|transfer-encoding|connection)$/.test(name)),
    )
    response.writeHead(passed.status, method === "HEAD" ? about : { ...about, "content-length": said.length })
    response.end(said)
  }

  /** The first of them that the role is refused. */
  function refusedOf(needed: Wish[]): Wish | undefined {
    const judged = needed.map((permission) => ({
      ...permission,
      role: input.role,
      isAllowed: allows(input.policy(), permission),
    }))
    for (const one of judged) input.onJudged(one)
    return judged.find(({ isAllowed }) => !isAllowed)
  }

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // As where a connection breaks: the client asks again.
    answer(request, response).catch(() => response.destroy())
  })
  const port = await listen(server)
  return { endpoint: `http://127.0.0.1:${port}`, close: () => stopListening(server) }
}

const leftOut = /^(host|connection|content-length|transfer-encoding|expect|authorization)$/

/** The form of a signature, which says whose a request is where one endpoint stands for several services. */
function formOfSignature(service: string): string {
  const scope = `one-machine/20000101/local/${service}/aws4_request`
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`
}

/** As each protocol says it. */
function deny(response: ServerResponse, service: string, what: string): void {
  const message = `not authorized to perform: ${what}`
  if (service === "s3")
    response
      .writeHead(403, { "content-type": "application/xml" })
      .end(`<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`)
  else
    response
      .writeHead(service === "lambda" ? 403 : 400, {
        "content-type": "application/x-amz-json-1.1",
        "x-amzn-errortype": "AccessDeniedException",
      })
      .end(JSON.stringify({ __type: "AccessDeniedException", message }))
}
