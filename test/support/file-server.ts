import { createServer } from "node:http"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { onTestFinished } from "vitest"
import { listen } from "#one-machine/listen.ts"

/** An answer of the web server. */
interface Served {
  type?: string
  body: Buffer
  status?: number
  headers?: Record<string, string>
  /** The body is sent only after this. */
  after?: Promise<unknown>
}

/** A web server with files, like a customer's; it ends with its test. */
export async function aFileServer(files: Record<string, Served>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    asked.push(pathname)
    const file = files[pathname]
    if (!file) return void response.writeHead(404).end()
    const headers = { ...(file.type && { "content-type": file.type }), ...file.headers }
    const answer = () => response.writeHead(file.status ?? 200, headers).end(file.body)
    void Promise.resolve(file.after).then(answer)
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, asked }
}

/** Trusts the network's own authority, since media are fetched over TLS. */
export function trustMediaOf(network: { ca: string }): void {
  // All such authorities have the same name: of two, the wrong one might be chosen.
  setDefaultCACertificates([...getCACertificates("bundled"), network.ca])
}
