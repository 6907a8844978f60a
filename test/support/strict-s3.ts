import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { afterAll } from "vitest"
import { uriEncoded } from "#core/fetch/aws-handler.ts"
import { hmac, signingKey } from "#core/files/sign-v4.ts"
import { config } from "#core/platform/config.ts"
import { listen } from "#one-machine/listen.ts"
import { makeMediaBucket } from "./media-bucket.ts"

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex")

/**
 * A customer's S3: the embedded one, behind a door that takes what is signed with this key alone (AWS
 * Signature Version 4), in headers or in a link. It refuses everything while `isRefusing`.
 */
export async function strictS3(
  key = { access_key_id: "AKIDSHOP", secret_access_key: "the shop's own secret".replaceAll(" ", "/") },
) {
  const behind = config.AWS_ENDPOINT_URL_S3!
  const bucket = await makeMediaBucket(behind, "shop-media")
  const state = { isRefusing: false, asked: 0 }
  const server = createServer((request, response) => {
    void (async () => {
      state.asked++
      const body = await buffer(request)
      const refuse = (code: string) =>
        response
          .writeHead(403, { "content-type": "application/xml" })
          .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
      if (state.isRefusing) return refuse("AccessDenied")
      if (!isSigned(request, body, key)) return refuse("SignatureDoesNotMatch")
      const { pathname, searchParams } = new URL(request.url!, behind)
      for (const name of searchParams.keys().toArray())
        if (name.startsWith("X-Amz-")) searchParams.delete(name)
      const headers = { "content-type": request.headers["content-type"] ?? "application/octet-stream" }
      const query = searchParams.size > 0 ? `?${searchParams.toString().replace(/=(?=&|$)/g, "")}` : ""
      const answer = await fetch(`${behind}${pathname}${query}`, {
        method: request.method!,
        headers,
        ...(body.length > 0 && { body }),
      })
      const { etag = "", "content-type": type = "" } = Object.fromEntries(answer.headers)
      return response
        .writeHead(answer.status, { etag, "content-type": type })
        .end(Buffer.from(await answer.arrayBuffer()))
    })()
  })
  const port = await listen(server)
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { state, store: { ...key, bucket, endpoint: `http://127.0.0.1:${port}`, region: "eu-central-1" } }
}

function isSigned(
  { url, method, headers }: IncomingMessage,
  body: Buffer,
  key: { access_key_id: string; secret_access_key: string },
): boolean {
  const { pathname, searchParams } = new URL(url!, "http://s3")
  const given = searchParams.has("X-Amz-Signature") ? linkIn(searchParams) : headerIn(headers)
  if (!given || !given.credential.startsWith(`${key.access_key_id}/`)) return false
  const said = headers["x-amz-content-sha256"]
  if (given.isHeader && said !== sha256(body) && said !== "UNSIGNED-PAYLOAD") return false
  searchParams.delete("X-Amz-Signature")
  const query = [...searchParams]
    .map((pair) => pair.map(uriEncoded).join("="))
    .toSorted()
    .join("&")
  const canonical = [
    method,
    pathname,
    query,
    ...given.names.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    given.names.join(";"),
    given.isHeader ? said : "UNSIGNED-PAYLOAD",
  ].join("\n")
  const scope = given.credential.split("/").slice(1)
  const toSign = ["AWS4-HMAC-SHA256", given.time, scope.join("/"), sha256(canonical)].join("\n")
  return hmac(signingKey(key.secret_access_key, scope), toSign).toString("hex") === given.signature
}

function headerIn(headers: IncomingMessage["headers"]) {
  const [, credential = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? []
  const time = String(headers["x-amz-date"])
  return credential ? { credential, names: names.split(";"), signature, time, isHeader: true } : undefined
}

function linkIn(query: URLSearchParams) {
  const of = (name: string) => query.get(`X-Amz-${name}`) ?? ""
  const names = of("SignedHeaders").split(";")
  return {
    credential: of("Credential"),
    names,
    signature: of("Signature"),
    time: of("Date"),
    isHeader: false,
  }
}
