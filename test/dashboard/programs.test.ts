import "#test/support/store.ts"
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client"
import { afterEach, describe, expect, test, vi } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { Member } from "#core/account/member.ts"
import { app } from "#test/support/service/app.ts"
import { anAddress, at, json } from "#test/support/service/customer.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { aPerson } from "./pages/person.ts"

afterEach(() => void vi.useRealTimers())

const origin = "http://localhost"
const redirectUri = "http://127.0.0.1:33418/callback"

/** The official client's sign-in, as a program uses it. */
function aProgram(name = "An agent", serviceAt = origin) {
  const from = at(anAddress())
  const kept: Record<string, unknown> = {}
  let opened: URL | undefined
  const provider = {
    redirectUrl: redirectUri,
    clientMetadata: { client_name: name, redirect_uris: [redirectUri], scope: "all" },
    state: () => "its-state",
    clientInformation: () => kept["client"],
    saveClientInformation: (client: unknown) => void (kept["client"] = client),
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => void (kept["tokens"] = tokens),
    redirectToAuthorization: (url: URL) => void (opened = url),
    saveCodeVerifier: (verifier: string) => void (kept["verifier"] = verifier),
    codeVerifier: () => kept["verifier"],
    saveDiscoveryState: (state: unknown) => void (kept["discovery"] = state),
    discoveryState: () => kept["discovery"],
  } as OAuthClientProvider
  const fetchFn = async (url: string | URL, init?: RequestInit) => await app.request(url, init, from)
  const go = (goal?: URL) =>
    auth(provider, {
      serverUrl: `${serviceAt}/mcp`,
      fetchFn,
      ...(goal && { authorizationCode: goal.searchParams.get("code")!, iss: goal.searchParams.get("iss")! }),
    })
  /** Asks, and the path of the page on which a person answers. */
  const ask = async () => {
    expect(await go()).toBe("REDIRECT")
    return opened!.pathname + opened!.search
  }
  return { go, ask, kept }
}

/** Registers a program that wants its answer here. */
async function register(uri: string) {
  const headers = { "content-type": "application/json" }
  const init = { method: "POST", headers, body: JSON.stringify({ client_name: "x", redirect_uris: [uri] }) }
  return await app.request(`${origin}/oauth/register`, init, at(anAddress()))
}

/** Where a page leads the program. */
function goalOf(answer: Response): URL {
  return new URL(/url=(.*)/.exec(answer.headers.get("refresh") ?? "")?.[1] ?? "none:")
}

const token = (form: Record<string, string>) => aVisitor().post("/oauth/token", form, { origin: "" })

/** What a program gets that has this code. */
async function fetchWith({ code, verifier }: { code: string; verifier: string }) {
  const proof = { code, redirect_uri: redirectUri, code_verifier: verifier }
  return await json(token({ grant_type: "authorization_code", ...proof }))
}

/** Begins without a browser. */
async function begin() {
  const answer = aVisitor().post("/oauth/device", { client_id: "bridge" }, { origin: "" })
  return (await json(answer)) as Record<"device_code" | "user_code", string>
}

/** Asks whether the code was typed. */
async function ask(device_code: string) {
  return await json(token({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code }))
}

describe("a program that can sign in by itself", () => {
  test("gets a key that its person chose, which is listed under its name", async () => {
    const person = await aPerson()
    const program = aProgram("An <b>agent</b>")
    const path = await program.ask()
    const page = await (await person.get(path)).text()
    expect(page).toContain("127.0.0.1:33418")
    expect(page).not.toContain("<b>agent")
    const goal = goalOf(await person.post(path, { answer: "yes", may: "all", numbers: "shop" }))
    expect(goal.searchParams.get("state")).toBe("its-state")
    expect(goal.searchParams.get("iss")).toBe(origin)
    expect(await program.go(goal)).toBe("AUTHORIZED")
    const [key] = await ApiKey.list(person.accountId)
    expect(key).toMatchObject({ scope: "all", bridges: [{ customerRef: "shop" }], createdBy: person.email })
    const tokens = program.kept["tokens"] as { access_token: string }
    expect(await ApiKey.verify(tokens.access_token)).toMatchObject({ accountId: person.accountId })
  })

  test.each(["http://127.0.0.1", "http://[::1]"])(
    "signs in at %s, as at any other name of this machine",
    async (serviceAt) => {
      const person = await aPerson()
      const program = aProgram("An agent", serviceAt)
      const goal = goalOf(
        await person.post(await program.ask(), { answer: "yes", may: "read", numbers: "*" }),
      )
      expect(await program.go(goal)).toBe("AUTHORIZED")
    },
  )

  test("gets a key that may only read, at one number, in the chats that its person names", async () => {
    const person = await aPerson()
    const program = aProgram()
    const path = await program.ask()
    const rights = { may: "read", numbers: "shop", hosts: "files.example.com" }
    const wrong = await person.post(path, { answer: "yes", ...rights, chats: "ada" })
    expect(wrong.status).toBe(400)
    expect(await wrong.text()).toMatch(/Chats: 7 to 15 digits[^]*value="ada"/)
    expect((await person.post(path, { answer: "yes", may: "read" })).status).toBe(400)
    const goal = goalOf(await person.post(path, { answer: "yes", ...rights, chats: "491711234567" }))
    expect(await program.go(goal)).toBe("AUTHORIZED")
    expect(await ApiKey.list(person.accountId)).toMatchObject([
      {
        scope: "read",
        bridges: [{ customerRef: "shop" }],
        chats: ["491711234567@s.whatsapp.net"],
        fileHosts: ["files.example.com"],
      },
    ])
  })

  test("gets nothing without a yes, from a viewer, or from a visitor who is not signed in", async () => {
    const person = await aPerson()
    const program = aProgram()
    const path = await program.ask()
    expect(goalOf(await person.post(path, { answer: "no" })).searchParams.get("error")).toBe("access_denied")
    expect((await (await aPerson("viewer")).post(path, { answer: "yes" })).status).toBe(403)
    expect((await aVisitor().get(path)).headers.get("location")).toMatch(/^\/sign-in/)
    const elsewhere = await person.post(path, { answer: "yes" }, { origin: "https://evil.example" })
    expect(elsewhere.status).toBe(403)
    expect(await ApiKey.list(person.accountId)).toEqual([])
  })

  test("is told nowhere but where it registered", async () => {
    const person = await aPerson()
    const path = await aProgram().ask()
    const other = path.replace(encodeURIComponent(redirectUri), encodeURIComponent("https://evil.example/"))
    expect(other).not.toBe(path)
    expect((await person.get(other)).status).toBe(400)
    const forged = path.replace(/client_id=[^&]*/, "client_id=QQ.AAAAAAAAAAAAAAAA.AAAA")
    expect((await person.get(forged)).status).toBe(400)
    const foreign = path.replace(/client_id=[^&]*/, `client_id=QQ.A.${encodeURIComponent("é".repeat(43))}`)
    expect((await person.get(foreign)).status).toBe(400)
    // Another port of the same machine is the same program (RFC 8252, 7.3).
    expect((await person.get(path.replace("33418", "44444"))).status).toBe(200)
  })

  test.each([
    ["javascript:alert(1)", "begins with javascript:"],
    ["\tjavascript:alert(1)//a.b", "begins with javascript:"],
    ["data:text/html,x", "begins with data:"],
    ["ms-officecmd://x/", "begins with ms-officecmd:"],
    ["x-apple.systempreferences:x", "begins with x-apple.systempreferences:"],
    ["agent://callback", "begins with agent:"],
    ["mailto:x", "begins with mailto:"],
    ["view-source:https://example.com/", "begins with view-source:"],
    ["intent://x/", "begins with intent:"],
    ["http://example.com/", "is http elsewhere"],
    ["https://example.com/#part", "has a fragment"],
    ["https://example.com/#", "has a fragment"],
    ["https://bank.example@evil.example/", "has a user name"],
    ["no url", "is no URL"],
  ])("is told at %s neither by registering nor by asking: it %s", async (uri, why) => {
    const refused = await json(register(uri))
    expect(refused).toMatchObject({
      error: "invalid_redirect_uri",
      error_description: expect.stringContaining(why) as string,
    })
    const path = (await aProgram().ask()).replace(
      /redirect_uri=[^&]*/,
      `redirect_uri=${encodeURIComponent(uri)}`,
    )
    const page = await (await aPerson()).get(path)
    expect(page.status).toBe(400)
    expect(await page.text()).toContain(`<code>redirect_uri</code> ${why}`)
  })

  test.each([
    "https://agent.example/callback",
    "http://localhost:1/x",
    "http://[::1]:9/",
    "com.example.app:/oauth",
  ])("can be told at %s", async (uri) => {
    expect(await json(register(uri))).toMatchObject({ redirect_uris: [uri] })
  })

  test.each([
    ["client_id", "client_id=[^&]*", "client_id=x"],
    ["client_id", "client_id=[^&]*&?", ""],
    ["redirect_uri", "redirect_uri=[^&]*", "redirect_uri=https%3A%2F%2Felsewhere.example%2F"],
    ["response_type", "response_type=code", "response_type=token"],
    ["code_challenge", "code_challenge=[^&]*&?", ""],
    ["code_challenge_method", "code_challenge_method=S256", "code_challenge_method=plain"],
    ["scope", "scope=[^&]*", `scope=${"x".repeat(201)}`],
    ["state", "state=[^&]*", `state=${"x".repeat(1001)}`],
  ])("is told that its %s is wrong", async (part, from, to) => {
    const asked = await aProgram().ask()
    const path = asked.replace(new RegExp(from), to)
    expect(path).not.toBe(asked)
    const answer = await (await aPerson()).get(path)
    expect(answer.status).toBe(400)
    expect((await answer.text()).match(/<li><code>\w+/g)).toEqual([`<li><code>${part}`])
  })

  test.each(["read all", "bridge:nothing", ""])(
    "may only read unless its person chooses more, where it asks for %j",
    async (scope) => {
      const path = (await aProgram().ask()).replace(/scope=[^&]*/, `scope=${encodeURIComponent(scope)}`)
      const page = await (await (await aPerson()).get(path)).text()
      expect(page).toMatch(/value="read"\s+selected/)
    },
  )

  test("fetches its key once, within a minute, and with the secret that it began with", async () => {
    const person = await aPerson()
    const codeFor = async () => {
      const program = aProgram()
      const goal = goalOf(
        await person.post(await program.ask(), { answer: "yes", may: "read", numbers: "*" }),
      )
      const code = goal.searchParams.get("code")!
      return { code, verifier: program.kept["verifier"] as string }
    }
    const first = await codeFor()
    const both = await Promise.all([fetchWith(first), fetchWith(first)])
    expect(both.filter((one) => "access_token" in one)).toHaveLength(1)
    const second = await codeFor()
    expect(await fetchWith({ ...second, verifier: "x".repeat(43) })).toMatchObject({ error: "invalid_grant" })
    const third = await codeFor()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
    expect(await fetchWith(third)).toMatchObject({ error: "invalid_grant" })
  })
})

describe("a program without a browser", () => {
  test("gets its key once a member has typed its code and said yes", async () => {
    const person = await aPerson()
    const { device_code, user_code } = await begin()
    expect(await ask(device_code)).toMatchObject({ error: "authorization_pending" })
    const page = await (await person.post("/device", { code: user_code.toLowerCase() })).text()
    expect(page).toContain("bridge")
    expect(page).toContain(user_code.toLowerCase())
    await person.post("/device", { code: user_code, answer: "yes", may: "read", numbers: "*" })
    const both = await Promise.all([ask(device_code), ask(device_code)])
    expect(both.filter((one) => "access_token" in one)).toHaveLength(1)
    expect(await ApiKey.list(person.accountId)).toMatchObject([{ name: "bridge", scope: "read" }])
    expect((await person.post("/device", { code: user_code })).status).toBe(400)
  })

  test("gets nothing from a member who was removed from the account meanwhile, and for what is no form", async () => {
    const person = await aPerson("member")
    const { device_code, user_code } = await begin()
    await person.post("/device", { code: user_code, answer: "yes", may: "all", numbers: "*" })
    await Member.remove(person.accountId, person.person.id)
    expect(await ask(device_code)).toMatchObject({ error: "invalid_grant" })
    expect(await ApiKey.list(person.accountId)).toEqual([])
    const headers = { "content-type": "multipart/form-data; boundary=x" }
    const init = { method: "POST", headers, body: "no form" }
    expect((await app.request(`${origin}/oauth/token`, init, at(anAddress()))).status).toBe(400)
  })

  test("hears of a no, of a code that is over, and of one that was never there", async () => {
    const person = await aPerson()
    const refused = await begin()
    await person.post("/device", { code: refused.user_code, answer: "no" })
    expect(await ask(refused.device_code)).toMatchObject({ error: "access_denied" })
    expect(await ask("x".repeat(43))).toMatchObject({ error: "expired_token" })
    const late = await begin()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60_000 })
    expect(await ask(late.device_code)).toMatchObject({ error: "expired_token" })
    expect((await person.post("/device", { code: late.user_code, answer: "yes" })).status).toBe(400)
    expect(await ApiKey.list(person.accountId)).toEqual([])
  })
})
