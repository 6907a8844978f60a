import { Hono } from "hono"
import type { Context } from "hono"
import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { z } from "zod"
import { Member } from "#core/account/member.ts"
import { ProgramGrant } from "#core/account/program-grant.ts"
import { inHalves } from "#core/account/typed-code.ts"
import { ApiError } from "#core/error.ts"
import { makeKey } from "#functions/api/account.ts"
import { atOneName, originOf } from "#functions/http/address.ts"
import type { DashboardEnv } from "../guard.ts"
import { ClientName, newClientId, RedirectUri } from "./client.ts"

// What programs ask, without a cookie: OAuth 2.1 for public clients, and for devices. The token that they get
// is an API key.

/** How often a program asks whether its code was typed, in seconds. */
const interval = 2

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
const scopes = ["read", "all"]

/** RFC 6749, 5.2, and RFC 8628, 3.5. */
type Fault =
  | "invalid_request"
  | "invalid_client_metadata"
  | "invalid_redirect_uri"
  | "invalid_grant"
  | "unsupported_grant_type"
  | "authorization_pending"
  | "access_denied"
  | "expired_token"

const Registration = z.object({
  client_name: ClientName.default("A program"),
  redirect_uris: z.array(RedirectUri).min(1).max(5),
})

const text = z.string().max(2000)
const ByCode = z.object({ code: text, redirect_uri: text, code_verifier: text })

/** The paths that programs ask. */
export const programPaths = ["/.well-known/*", "/oauth/register", "/oauth/device", "/oauth/token"]

const small = bodyLimit({
  maxSize: 16 * 1024,
  onError: () => {
    throw new ApiError("payload_too_large", "the body is longer than 16 KiB")
  },
})
/** A token answers one caller (RFC 6749, 5.1). */
const uncached = createMiddleware(async (c, next) => {
  await next()
  c.header("cache-control", "no-store")
})

export const programs = new Hono<DashboardEnv>()
for (const path of programPaths) programs.use(path, small, uncached)
programs
  .get("/.well-known/oauth-protected-resource", (c) => c.json(resource(c)))
  .get("/.well-known/oauth-protected-resource/mcp", (c) => c.json(resource(c)))
  .get("/.well-known/oauth-authorization-server", (c) => c.json(server(issuerOf(c))))
  .post("/oauth/register", async (c) => {
    const { success, data, error } = Registration.safeParse(await c.req.json().catch(() => undefined))
    if (!success) {
      const isPlace = error.issues.some(({ path }) => path[0] === "redirect_uris")
      return fault(c, isPlace ? "invalid_redirect_uri" : "invalid_client_metadata", z.prettifyError(error))
    }
    const { client_name, redirect_uris } = data
    const about = { client_name, redirect_uris, token_endpoint_auth_method: "none" }
    return c.json({ client_id: newClientId(client_name, redirect_uris), ...about }, 201)
  })
  .post("/oauth/device", async (c) => {
    const { client_id } = await formOf(c)
    const { data: name, error } = ClientName.safeParse(client_id)
    if (name === undefined) return fault(c, "invalid_request", `client_id: ${z.prettifyError(error)}`)
    const { device, user } = await ProgramGrant.askByDevice(name)
    const shown = inHalves(user)
    const page = `${issuerOf(c)}/device`
    return c.json({
      device_code: device,
      user_code: shown,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${shown}`,
      expires_in: ProgramGrant.typedWithin,
      interval,
    })
  })
  .post("/oauth/token", async (c) => {
    const form = await formOf(c)
    if (form["grant_type"] === "authorization_code") return await byCode(c, form)
    if (form["grant_type"] === deviceGrant) return await byDevice(c, form)
    return fault(c, "unsupported_grant_type", `one of authorization_code and ${deviceGrant}`)
  })

/** Who gives the keys: the place of the page on which a person is asked. */
export function issuerOf(c: Context): string {
  return atOneName(new URL(originOf(c))).origin
}

/** RFC 9728. A client compares `resource` with the address that it was given. */
function resource(c: Context) {
  return {
    resource: `${originOf(c)}/mcp`,
    resource_name: "Messaging bridge",
    authorization_servers: [issuerOf(c)],
    bearer_methods_supported: ["header"],
    scopes_supported: scopes,
  }
}

/** RFC 8414, RFC 9207 */
function server(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    device_authorization_endpoint: `${origin}/oauth/device`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", deviceGrant],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: scopes,
  }
}

async function byCode(c: Context<DashboardEnv>, form: object): Promise<Response> {
  const { success, data, error } = ByCode.safeParse(form)
  if (!success) return fault(c, "invalid_request", z.prettifyError(error))
  const { code, redirect_uri: redirectUri, code_verifier: verifier } = data
  const allowed = await ProgramGrant.fetchByCode(code, { redirectUri, verifier })
  if (!allowed) return fault(c, "invalid_grant", "the code was used, is too old, or is another program's")
  return await withKey(c, allowed)
}

async function byDevice(c: Context<DashboardEnv>, form: Record<string, unknown>): Promise<Response> {
  const code = text.safeParse(form["device_code"]).data ?? ""
  const allowed = await ProgramGrant.takeByDeviceCode(code)
  switch (allowed) {
    case "pending":
      return fault(c, "authorization_pending", "nobody has typed the code yet")
    case "refused":
      return fault(c, "access_denied", "the person said no")
    case "over":
      return fault(c, "expired_token", "the code was used or is too old: ask for another one")
    default:
      return await withKey(c, allowed)
  }
}

/** The fields of a form; none if it cannot be read. */
async function formOf(c: Context): Promise<Record<string, unknown>> {
  return await c.req.parseBody().catch(() => ({}))
}

/** Makes the key that a person has allowed, if they may still do so. */
async function withKey(c: Context<DashboardEnv>, allowed: ProgramGrant.Allowed): Promise<Response> {
  const { account_id, person_id, email, name, rights } = allowed
  const member = (await Member.ofPerson(person_id)).find(({ accountId }) => accountId === account_id)
  if (!member || member.role === "viewer")
    return fault(c, "invalid_grant", "who allowed it may not do so any more")
  try {
    const { key } = await makeKey(account_id, { name, rights, by: { email } })
    return c.json({ access_token: key, token_type: "Bearer", scope: rights.scope })
  } catch (error) {
    // The number is gone meanwhile, or the account has too many keys.
    if (error instanceof ApiError) return fault(c, "invalid_grant", error.message)
    throw error
  }
}

function fault(c: Context, error: Fault, sentence: string): Response {
  return c.json({ error, error_description: sentence }, 400)
}
