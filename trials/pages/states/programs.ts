import { press } from "#test/support/service/walk.ts"
import type { State } from "./state.ts"
import { people } from "./world.ts"

const { baker } = people

/** Programs and their keys. */
export const programs: State[] = [
  {
    name: "key-created",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(`${base}/keys`)
      await page.locator("#name").fill("The till")
      await page.select("#may", "all")
      await page.select("#numbers", "connected")
      await press(page, "Create a key")
    },
    reads: "This is your new key",
  },
  {
    name: "webhook-secret-shown",
    as: baker,
    reach: () => "/numbers/connected/webhooks/first/secret",
    reads: "whsec_",
  },
  {
    name: "program-consent",
    as: baker,
    reach: async ({ base }) => {
      const redirect_uri = "http://127.0.0.1:33418/callback"
      const asked = { client_name: "An agent", redirect_uris: [redirect_uri] }
      const headers = { "content-type": "application/json" }
      const made = await fetch(`${base}/oauth/register`, {
        method: "POST",
        headers,
        body: JSON.stringify(asked),
      })
      const { client_id } = (await made.json()) as { client_id: string } // RFC 7591
      const question = { client_id, redirect_uri, response_type: "code", code_challenge: "A".repeat(43) }
      const query = new URLSearchParams({ ...question, code_challenge_method: "S256", scope: "read" })
      return `/oauth/authorize?${query.toString()}`
    },
    reads: "asks for a key",
  },
  { name: "program-asks-wrongly", as: baker, reach: () => "/oauth/authorize", reads: "is not understood" },
  { name: "device", as: baker, reach: () => "/device", reads: "Type the code that your program shows" },
  {
    name: "device-asks",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(await device(base))
      await press(page, "Go on")
    },
    reads: "Go on only if it shows the code",
  },
  {
    name: "device-signed-in",
    as: baker,
    reach: async ({ base }, page) => {
      await page.goto(await device(base))
      await press(page, "Go on")
      await page.waitForSelector("#may")
      await page.select("#may", "read")
      await page.select("#numbers", "*")
      await press(page, "Give it a key")
    },
    reads: "The command line is signed in",
  },
]

/** The page on which a device's code is typed, for a device that waits. */
async function device(base: string): Promise<string> {
  const body = new URLSearchParams({ client_id: "The command line" })
  const begun = await fetch(`${base}/oauth/device`, { method: "POST", body })
  // RFC 8628.
  const { verification_uri_complete } = (await begun.json()) as { verification_uri_complete: string }
  return verification_uri_complete.replace("127.0.0.1", "localhost")
}
