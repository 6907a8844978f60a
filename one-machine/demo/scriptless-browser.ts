import { Unexpected } from "../api-client.ts"

/**
 * A browser without script: it keeps cookies, sends forms from a page of the same site, and follows where it
 * is led.
 */
export function scriptlessBrowser(baseUrl: string) {
  const origin = baseUrl.replace("127.0.0.1", "localhost")
  const jar = new Map<string, string>()

  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ")

  async function ask(path: string, form?: Record<string, string>): Promise<{ url: string; text: string }> {
    const url = new URL(path, origin)
    const isOurs = url.origin === origin
    const headers = new Headers(
      form && { "content-type": "application/x-www-form-urlencoded", origin: url.origin },
    )
    if (isOurs) headers.set("cookie", cookie())
    const body = form && new URLSearchParams(form).toString()
    const init = { method: form ? "POST" : "GET", headers, redirect: "manual" } as const
    const answer = await fetch(url, { ...init, ...(body !== undefined && { body }) })
    for (const line of isOurs ? answer.headers.getSetCookie() : []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const next = answer.headers.get("location")
    if (next !== null) return await ask(new URL(next, url).href)
    const text = await answer.text()
    if (answer.status >= 500) throw new Unexpected(`${url.href} answered ${answer.status}: ${text}`)
    return { url: url.href, text: unescaped(text) }
  }

  return {
    /** A page, wherever it led. */
    open: (path: string) => ask(path),
    /** What it sends with each request. */
    cookie,
    /** Sends a form. */
    send: (path: string, form: Record<string, string> = {}) => ask(path, form),
  }
}

export type ScriptlessBrowser = ReturnType<typeof scriptlessBrowser>

function unescaped(text: string): string {
  return text
    .replaceAll("&#x2F;", "/")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
}
