import { Hono } from "hono"
import type { Context } from "hono"
import { z } from "zod"
import { Passkey } from "#core/account/passkey.ts"
import { Person } from "#core/account/person.ts"
import { originOf } from "#functions/http/address.ts"
import { signInAgain, unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, cookie, ownPath, putCookie } from "../guard.ts"
import { admitBrowser } from "./sign-in.ts"

/**
 * Passkeys: made on the page of the account, used on the page of the sign-in. A browser's script carries the challenges and
 * the answers; it is told where to go, or what is wrong.
 */
export const passkeys = new Hono<DashboardEnv>()
  .post("/sign-in/passkey/options", async (c) => {
    const options = await Passkey.ask({ origin: originOf(c) })
    return challenged(c, options)
  })
  .post("/sign-in/passkey", async (c) => {
    const { response, next } = await answered(c)
    const used = await Passkey.use({ challenge: challengeOf(c), response }, { origin: originOf(c) })
    const person = used && (await Person.get(used.personId))
    if (!person)
      return c.json({ problem: "This passkey does not sign in here: try again, or have a code mailed." }, 400)
    return c.json({ goto: await admitBrowser(c, { email: person.email, next: ownPath(next) }) })
  })
  .post("/account/passkeys/options", async (c) => {
    const { name } = await answered(c)
    const again = signInAgain(c, "/account", { passkey: name })
    if (again !== undefined) return c.json({ goto: again }, 403)
    const options = await Passkey.offer(c.var.me.person, { origin: originOf(c) })
    return challenged(c, options)
  })
  .post("/account/passkeys", async (c) => {
    const again = signInAgain(c, "/account")
    if (again !== undefined) return c.json({ goto: again }, 403)
    const { response, name } = await answered(c)
    const made = { person: c.var.me.person, name, challenge: challengeOf(c), response }
    const isAdded = await Passkey.add(made, { origin: originOf(c) })
    return isAdded
      ? c.json({ goto: "/account" })
      : c.json(
          { problem: "This passkey was not taken: try again, on this page and within five minutes." },
          400,
        )
  })
  .post("/account/passkeys/remove", async (c) => {
    const again = unlessFresh(c, "/account")
    if (again) return again
    const { passkey } = await c.req.parseBody()
    await Passkey.remove(c.var.me.person.id, typeof passkey === "string" ? passkey : "")
    return c.redirect("/account", 303)
  })

/** The challenge stays in a cookie, so that another browser's answer to it is worth nothing. */
function challenged<Options extends { challenge: string }>(c: Context<DashboardEnv>, options: Options) {
  putCookie(c, "challenge", options.challenge, Passkey.challengeFor)
  return c.json(options)
}

function challengeOf(c: Context<DashboardEnv>): string {
  const challenge = cookie(c, "challenge") ?? ""
  putCookie(c, "challenge", "", 0)
  return challenge
}

const Answer = z.object({
  response: z.unknown(),
  next: z.string().catch(""),
  name: z
    .string()
    .transform((name) => name.trim().slice(0, 60) || "Passkey")
    .catch("Passkey"),
})

/** A body that is no JSON answers no challenge. */
async function answered(c: Context<DashboardEnv>): Promise<z.infer<typeof Answer>> {
  const given: unknown = await c.req.json().catch(() => ({}))
  return Answer.catch({ response: undefined, next: "", name: "" }).parse(given)
}
