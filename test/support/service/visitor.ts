import { app } from "#test/support/service/app.ts"
import { anAddress, at } from "#test/support/service/customer.ts"

/** Where the pages are asked for. */
const origin = "http://localhost"

/** A browser without script, at an address of its own: it keeps cookies, and sends forms as browsers do. */
export function aVisitor(address = anAddress()) {
  const jar = new Map<string, string>()
  const from = at(address)

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "))
    const answer = await app.request(`${origin}${path}`, { ...init, headers }, from)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === "") jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  return {
    jar,
    ask,
    get: (path: string, headers: Record<string, string> = {}) => ask(path, { headers }),
    /** Sends a form from a page of ours, unless `headers` says otherwise. */
    post: (
      path: string,
      form: Record<string, string> | URLSearchParams = {},
      headers: Record<string, string> = {},
    ) =>
      ask(path, {
        method: "POST",
        headers: { origin, "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(form).toString(),
      }),
  }
}
